import { expect, test } from 'bun:test';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import { createUsageRecorder, MEASURE_MS } from './usage.ts';
import type { MachineServer } from './ports.ts';

type Recorder = Parameters<typeof createUsageRecorder>[0];
type Added = Parameters<Parameters<Parameters<Recorder['uow']['run']>[0]>[0]['serverUsage']['add']>;

const STARTED = 20_000 * DAY;
/** A server that runs and that the node just saw busy. */
const server = (more: Partial<MachineServer> = {}): MachineServer => ({
  id: 'uuid-a',
  state: 'running',
  memory: 1000.4,
  cpu: 12.34,
  disk: 5000,
  received: 70,
  sent: 80,
  totals: { cpuUs: 1_000_000, received: 1000, sent: 2000 },
  halt: null,
  ...more,
});

/** A recorder whose node says what `list` holds. Out: what was written, by transaction. */
function recorder(more: Partial<Recorder> = {}) {
  let nowMs = STARTED;
  const state: { list: MachineServer[]; isAway: boolean; asked: number } = { list: [], isAway: false, asked: 0 };
  const written: Added[] = [];
  const tx = { serverUsage: { add: async (...added: Added) => void written.push(added) } };
  const record = createUsageRecorder({
    clock: { now: () => nowMs },
    uow: { run: (work: (tx: never) => unknown) => work(tx as never) } as never,
    node: {
      list: async () => {
        state.asked += 1;
        return state.isAway ? { outcome: 'unavailable' } : { outcome: 'ok', value: state.list };
      },
    },
    sold: async () => state.list.map(({ id }) => ({ uuid: id, id: `ours-${id}` })),
    ...more,
  });
  return {
    state,
    written,
    /** Measures, after so many ms. Out: what was written of the first server. */
    async after(ms: number) {
      nowMs += ms;
      written.length = 0;
      await record();
      return written[0]?.[1][0]?.figures;
    },
  };
}

test('a first measurement is what the node saw last; later ones are of all the time in between', async () => {
  const { state, written, after } = recorder();
  state.list = [server()];
  expect(await after(0)).toEqual({ memory: 1000, cpu: 123, disk: 5000, received: 70, sent: 80 });
  expect(written).toEqual([[STARTED, [{ serverId: 'ours-uuid-a', figures: expect.anything() as never }]]]);
  // Half a core, 2 KB/s in and 4 KB/s out for five minutes.
  const totals = { cpuUs: 1_000_000 + 150_000_000, received: 1000 + 600_000, sent: 2000 + 1_200_000 };
  state.list = [server({ totals })];
  expect(await after(MEASURE_MS)).toMatchObject({ cpu: 500, received: 2000, sent: 4000 });
});

test('totals that begin again at zero give no negative figures', async () => {
  const { state, after } = recorder();
  state.list = [server()];
  await after(0);
  state.list = [server({ totals: { cpuUs: 10, received: 0, sent: 2000 + 300 } })];
  expect(await after(MEASURE_MS)).toMatchObject({ cpu: 0, received: 0, sent: 1 });
});

test('after an outage of the product, and with a clock that was set back, what the node saw last counts', async () => {
  const { state, after } = recorder();
  for (const ms of [4 * HOUR, -2 * HOUR]) {
    state.list = [server()];
    await after(MEASURE_MS);
    state.list = [server({ totals: { cpuUs: 9e12, received: 9e12, sent: 9e12 } })];
    expect(await after(ms)).toMatchObject({ cpu: 123, received: 70, sent: 80 });
  }
});

test('a measurement belongs to the hour in which it is made', async () => {
  const { state, written, after } = recorder();
  state.list = [server()];
  await after(59 * MINUTE);
  expect(written[0]?.[0]).toBe(STARTED);
  await after(MINUTE);
  expect(written[0]?.[0]).toBe(STARTED + HOUR);
});

test('servers that do not run are not measured, nor those that are nobody’s', async () => {
  const { state, written, after } = recorder({ sold: async () => [{ uuid: 'uuid-a', id: 'ours' }] });
  state.list = [
    ...(['offline', 'stopping', 'installing', 'install_failed'] as const).map((now) => server({ state: now })),
    server({ id: 'uuid-gone' }),
  ];
  await after(0);
  expect(written).toEqual([]);
  state.list = [server({ state: 'starting' })];
  expect(await after(MEASURE_MS)).toBeDefined();
});

test('all servers are asked about at once, and written a hundred at a time', async () => {
  const { state, written, after } = recorder();
  state.list = Array.from({ length: 230 }, (_, at) => server({ id: `uuid-${at}` }));
  await after(0);
  expect([state.asked, written.map(([, rows]) => rows.length)]).toEqual([1, [100, 100, 30]]);
});

test('while the node is away, or there is none, nothing is written', async () => {
  const { state, written, after } = recorder();
  state.isAway = true;
  await after(0);
  expect(written).toEqual([]);
  const none = recorder({ node: null });
  await none.after(0);
  expect(none.written).toEqual([]);
});
