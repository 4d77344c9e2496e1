import { beforeEach, expect, test } from 'bun:test';
import { networks } from '#server/abuse/networks.ts';
import type { AbuseDeps } from './deps.ts';
import { createVpnList } from './vpn-list.ts';

type Stored = { body: string; ranges: number; updatedMs: number } | null;

let stored: Stored;
let audits: Record<string, unknown>[];
let bodyReads: number;
let nowMs: number;
let values: { vpn_check: boolean; vpn_networks: string; vpn_provider_url: string };
let failing: boolean;
beforeEach(() => {
  [stored, audits, bodyReads, nowMs, failing] = [null, [], 0, 1000, false];
  values = { vpn_check: true, vpn_networks: '', vpn_provider_url: '' };
});

/** The list of one process over a stored one that several share. */
function open() {
  const tx = {
    abuse: {
      findNetworkListTime: async (name: string) => (name === 'vpn' ? (stored?.updatedMs ?? null) : null),
      findNetworkList: async (name: string) => {
        bodyReads += 1;
        return name === 'vpn' ? stored : null;
      },
      setNetworkList: async (_: string, list: Stored) => {
        if (failing) throw new Error('the disk is full');
        stored = list;
      },
    },
    audit: { add: async (row: Record<string, unknown>) => void audits.push(row) },
  };
  const run = (work: (tx: never) => unknown) => work(tx as never);
  return createVpnList({
    uow: { run, read: run },
    clock: { now: () => nowMs },
    ids: { uuid: () => 'id' },
    settings: { current: () => values },
    networks,
  } as unknown as AbuseDeps);
}
const HERE = '203.0.113.9';

test('an uploaded list replaces the one before, is kept with its size and time, and is in the audit log', async () => {
  const list = open();
  expect([list.has(HERE), await list.findUploadedList()]).toEqual([false, null]);
  expect(await list.upload(null, '203.0.113.0/24\nno network\n198.51.100.1')).toEqual({ ranges: 2, faults: [2] });
  expect([list.has(HERE), list.has('198.51.100.1'), list.has('192.0.2.1')]).toEqual([true, true, false]);
  expect(await list.findUploadedList()).toEqual({ ranges: 2, updatedMs: 1000 });
  expect(await list.upload(null, '192.0.2.1')).toEqual({ ranges: 1, faults: [] });
  expect([list.has(HERE), list.has('192.0.2.1')]).toEqual([false, true]);
  expect(await list.upload(null, null)).toEqual({ ranges: 0, faults: [] });
  expect([list.has('192.0.2.1'), await list.findUploadedList(), stored]).toEqual([false, null, null]);
  expect(audits).toMatchObject(
    [
      [0, 2],
      [2, 1],
      [1, 0],
    ].map(([before, after]) => ({
      action: 'vpn_list.put',
      target: 'vpn',
      before: { ranges: before },
      after: { ranges: after },
    })),
  );
});

test('a list without a single network is refused, and one that could not be stored leaves the old one', async () => {
  const list = open();
  await list.upload(null, HERE);
  await expect(list.upload(null, 'no network\n# nor here')).rejects.toMatchObject({
    code: 'VALIDATION_FAILED',
    fields: { list: ['INVALID'] },
  });
  failing = true;
  await expect(list.upload(null, '192.0.2.1')).rejects.toThrow('the disk is full');
  expect([list.has(HERE), list.has('192.0.2.1'), audits.length]).toEqual([true, false, 1]);
});

test('another process reads the list once after each change, also with a clock set back or a removal', async () => {
  const [one, other] = [open(), open()];
  await one.upload(null, HERE);
  const atStart = bodyReads;
  expect(other.has(HERE)).toBe(false);
  await other.load();
  await other.load();
  expect([other.has(HERE), bodyReads - atStart]).toEqual([true, 1]);
  nowMs = 500;
  await one.upload(null, '192.0.2.1');
  expect(stored?.updatedMs).toBe(1001);
  await other.load();
  expect([other.has(HERE), other.has('192.0.2.1')]).toEqual([false, true]);
  await one.upload(null, null);
  await other.load();
  expect(other.has('192.0.2.1')).toBe(false);
});

test('lines of the settings count beside the uploaded list, and from the moment they are changed', async () => {
  const list = open();
  values.vpn_networks = '203.0.113.0/24';
  expect([list.has(HERE), list.has('192.0.2.1')]).toEqual([true, false]);
  await list.upload(null, '192.0.2.1');
  values.vpn_networks = '203.0.114.0/24';
  expect([list.has(HERE), list.has('203.0.114.1'), list.has('192.0.2.1')]).toEqual([false, true, true]);
});

test('the version changes with the uploaded list, a line, the provider or the switch, and only then', async () => {
  const list = open();
  const versions = [list.version()];
  const change = async (work: () => unknown) => {
    await work();
    versions.push(list.version());
    expect(list.version()).toBe(versions.at(-1) ?? '');
  };
  await change(() => (values.vpn_networks = '203.0.113.1'));
  // As long as the one before.
  await change(() => (values.vpn_networks = '203.0.113.2'));
  await change(() => (values.vpn_provider_url = 'https://a.example/{ip}'));
  await change(() => (values.vpn_provider_url = 'https://b.example/{ip}'));
  await change(() => (values.vpn_check = false));
  await change(() => list.upload(null, HERE));
  await change(() => list.upload(null, HERE));
  await change(() => list.upload(null, null));
  expect(new Set(versions.slice(0, -1)).size).toBe(8);
});
