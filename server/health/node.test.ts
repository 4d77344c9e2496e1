import { expect, test } from 'bun:test';
import type { Runtime, RuntimeMachine, RuntimeServer } from '#server/panel/index.ts';
import { nodeCheck } from './node.ts';

const server: RuntimeServer = {
  id: '0d9a4c1e-5b7f-4a35-9c58-2f6f8a1b7c01',
  revision: 1,
  state: 'running',
  memory: 1,
  cpu: 1,
  disk: 1,
  received: 0,
  sent: 0,
  totals: { cpuUs: 0, received: 0, sent: 0 },
  uptimeMs: 1,
  backups: 0,
  halt: null,
};
const parts = {
  user: 'enforced',
  network: 'enforced',
  memory: 'enforced',
  cpu: 'enforced',
  calls: 'enforced',
} as const;
const machine: RuntimeMachine = {
  parts: { ...parts, disk: 'partial' },
  groups: 2,
  system: 'Debian',
  kernel: '6.1',
  processor: '',
  cores: 2,
  uptimeMs: 1,
  memory: { total: 10, free: 5 },
  disk: { total: 100, free: 50, kind: 'ext4' },
  folder: '/srv/servers',
  maintenance: false,
  reserve: 10,
  engine: { state: 'absent', name: '', version: '', socket: '' },
  lacking: [],
};
const find = async (
  answer: Awaited<ReturnType<Runtime['list']>> | null,
  more: Partial<RuntimeMachine> = {},
  { accepted = 'disk', builtIn = true } = {},
) =>
  nodeCheck({
    runtime: answer && {
      list: async () => answer,
      machine: async () => ({ outcome: 'ok', value: { ...machine, ...more } }),
    },
    builtIn,
    serversDir: '/srv/servers',
    accepted: () => accepted,
  }).run(new AbortController().signal);

test('a node that answers is fine, and its servers are counted', async () => {
  const value = [server, { ...server, state: 'offline' as const }];
  expect(await find({ outcome: 'ok', value })).toMatchObject({
    code: 'counted',
    facts: { running: { value: 1 }, all: { value: 2 }, path: { value: '/srv/servers' } },
  });
});

test('a server that does not end is a fault, which names it', async () => {
  const value = [server, { ...server, state: 'stopping' as const, halt: { reason: 'stuck' as const, port: null } }];
  expect(await find({ outcome: 'ok', value })).toMatchObject({
    code: 'stuck',
    facts: { stuck: { value: 1 }, server: { value: server.id } },
  });
});

test('servers that wait for Docker or Podman are a fault, which names where that should listen', async () => {
  const value = [server, { ...server, state: 'offline' as const, halt: { reason: 'engine' as const, port: null } }];
  const engine = { state: 'silent' as const, name: 'Docker', version: '28.0', socket: '/var/run/docker.sock' };
  expect(await find({ outcome: 'ok', value }, { engine })).toMatchObject({
    code: 'engine',
    facts: { waiting: { value: 1 }, socket: { value: '/var/run/docker.sock' } },
  });
  expect(await find({ outcome: 'ok', value: [server] }, { engine })).toMatchObject({ code: 'counted' });
});

test('a node that does not answer is a fault', async () => {
  expect(await find({ outcome: 'unavailable' })).toMatchObject({ code: 'absent' });
});

test('without a node the built-in panel imitates servers, and beside another panel none run here', async () => {
  expect(await find(null)).toMatchObject({ code: 'imitated' });
  expect(await find(null, {}, { builtIn: false })).toMatchObject({ code: 'none' });
});

test('a weak part is a warning until the operator accepts it by name', async () => {
  const fine = { outcome: 'ok', value: [server] } as const;
  expect(await find(fine, {}, { accepted: '' })).toMatchObject({
    code: 'closed',
    facts: { grade: { value: 'B' }, weak: { value: 'disk' } },
  });
  expect(await find(fine, {}, { accepted: 'network disk' })).toMatchObject({
    code: 'counted',
    facts: { grade: { value: 'B' } },
  });
  expect(await find(fine, { parts: { ...parts, disk: 'enforced' } }, { accepted: '' })).toMatchObject({
    code: 'ok',
    facts: { grade: { value: 'A' } },
  });
});

test('maintenance is a warning, and a disk below the reserve a fault', async () => {
  const fine = { outcome: 'ok', value: [server] } as const;
  expect(await find(fine, { maintenance: true })).toMatchObject({ code: 'maintenance' });
  expect(await find(fine, { maintenance: true, disk: { total: 100, free: 9, kind: 'ext4' } })).toMatchObject({
    code: 'reserve',
    facts: { free: { value: 9 } },
  });
});
