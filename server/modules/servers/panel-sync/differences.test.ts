import { describe, expect, test } from 'bun:test';
import { differences, allocationChanges, type DesiredServer } from './differences.ts';
import type { PanelServer } from '../panel/ports.ts';
import type { ServerRow } from '../core/ports.ts';

const resources = { memory: 512, disk: 512, cpu: 50, ports: 2, databases: 0, backups: 0 };
const row = (facts: Partial<ServerRow> = {}): ServerRow => ({
  id: 's',
  userId: 'u',
  name: 'n',
  description: 'd',
  locationId: 'l',
  categoryId: 'c',
  eggId: 'e',
  resources,
  variables: {},
  state: 'active',
  desired: 'running',
  suspendReason: null,
  failure: null,
  panel: 'p',
  panelNode: '1',
  panelIdentifier: null,
  panelId: '7',
  panelState: 'ready',
  panelSeenMs: 0,
  address: null,
  revision: 3,
  syncedRevision: 3,
  startupRevision: 0,
  primaryPort: null,
  reinstallMs: null,
  expiresMs: null,
  autoRenew: false,
  autoRenewOrder: 0,
  periods: 0,
  adoptedMs: null,
  createdMs: 0,
  updatedMs: 0,
  ...facts,
});
const port = (id: string) => ({ id, address: `x:${id}` });
const seen = (facts: Partial<PanelServer> = {}): PanelServer => ({
  panelId: '7',
  externalId: 's',
  identifier: 'i',
  userId: '9',
  node: '1',
  egg: '5',
  name: 'n',
  description: 'd',
  state: 'ready',
  suspended: false,
  resources,
  address: 'x:1',
  allocations: [port('1'), port('2')],
  usage: { databases: null, backups: null, disk: null },
  ...facts,
});
const want = (facts: Partial<ServerRow> = {}, ports: readonly string[] | null = ['1', '2']): DesiredServer => ({
  server: row(facts),
  account: '9',
  allocations: ports,
});
const suspended = { state: 'suspended', desired: 'suspended' } as const;

describe('what differs between us and the panel', () => {
  test('no difference is found where all is as it should be, also where the panel did not name ports or owner', () => {
    expect(differences(want(), seen())).toEqual([]);
    expect(differences(want(), seen({ allocations: null, userId: null }))).toEqual([]);
    expect(differences({ ...want(), account: null }, seen({ userId: 'somebody' }))).toEqual([]);
  });

  test('T27 owner, our id, name and description are one call, and limits and ports another', () => {
    for (const facts of [
      { userId: '10' },
      { externalId: null },
      { externalId: 'other' },
      { name: 'x' },
      { description: '' },
    ])
      expect(differences(want(), seen(facts))).toEqual(['details']);
    for (const facts of [
      { resources: { ...resources, memory: 0 } },
      { allocations: [port('1')] },
      { allocations: [port('1'), port('3')] },
      { portLimit: 3 },
    ])
      expect(differences(want(), seen(facts))).toEqual(['build']);
    expect(differences(want(), seen({ portLimit: 2 }))).toEqual([]);
  });

  for (const state of ['ready', 'installing', 'install_failed', 'reinstall_failed', 'restoring'] as const) {
    test(`T27 what should be suspended is suspended in the state ${state}, whatever brought it there`, () => {
      expect(differences(want(suspended), seen({ state }))).toEqual(['suspend']);
      expect(differences(want(suspended), seen({ state, suspended: true }))).toEqual([]);
    });
  }

  test('a reinstall lifts a suspension, so suspending comes after it', () => {
    expect(differences(want({ ...suspended, reinstallMs: 1 }), seen({ suspended: true }))).toEqual([
      'reinstall',
      'suspend',
    ]);
    expect(differences(want({ reinstallMs: 1 }), seen({ suspended: true }))).toEqual(['reinstall']);
  });

  test('variables are sent when they were changed here after the panel was last brought up to date', () => {
    expect(differences(want({ startupRevision: 3 }), seen())).toEqual([]);
    expect(differences(want({ startupRevision: 4, revision: 4 }), seen())).toEqual(['startup']);
  });
});

describe('ports to give and to take', () => {
  test('the default port stays whatever our record says, foreign ones go, and ours come', () => {
    expect(allocationChanges(want(), seen({ allocations: [port('1'), port('8')] }))).toEqual({
      addAllocations: ['2'],
      removeAllocations: ['8'],
      short: 0,
    });
    expect(allocationChanges(want({}, ['2', '1']), seen())).toEqual({
      addAllocations: [],
      removeAllocations: [],
      short: 0,
    });
    expect(allocationChanges(want(), seen({ allocations: [port('8'), port('1'), port('2')] }))).toEqual({
      addAllocations: [],
      removeAllocations: ['2'],
      short: 0,
    });
    expect(allocationChanges(want({ resources: { ...resources, ports: 1 } }), seen())).toEqual({
      addAllocations: [],
      removeAllocations: ['2'],
      short: 0,
    });
  });

  test('nothing is removed on half a knowledge: a record that does not know all, a panel that did not answer', () => {
    expect(allocationChanges(want({}, ['1']), seen({ allocations: [port('1'), port('8')] }))).toEqual({
      addAllocations: [],
      removeAllocations: [],
      short: 0,
    });
    expect(allocationChanges(want({}, null), seen())).toEqual({ addAllocations: [], removeAllocations: [], short: 0 });
    expect(allocationChanges(want(), seen({ allocations: null }))).toEqual({
      addAllocations: [],
      removeAllocations: [],
      short: 0,
    });
  });

  test('ports that others took are still to be found, so the server is not as it should be', () => {
    const wanted = want({ resources: { ...resources, ports: 3 } }, ['1']);
    const found = seen({ allocations: [port('1')], resources: { ...resources, ports: 1 } });
    expect(allocationChanges(wanted, found)).toEqual({ addAllocations: [], removeAllocations: [], short: 2 });
    expect(differences(wanted, found)).toEqual(['build']);
  });
});
