import { afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { PLUGIN_FAULTS_MAX } from '#shared/plugins.ts';
import { supervise } from './supervisor.ts';

// A busy machine gives a thread a processor for some hundredths of the time.
setDefaultTimeout(300_000);

const spawn = () => new Worker(new URL('sandbox.worker.ts', import.meta.url));
let running: ReturnType<typeof supervise> | null = null;
afterEach(() => running?.stop());

/** A plugin whose hook `spin` never ends, over a clock that the test moves. */
function start(code = `export default { events: { fine: () => 1, spin: () => { for (;;); } } };`) {
  const pauses: number[] = [];
  const offs: string[] = [];
  const faults: string[] = [];
  const states: string[] = [];
  let due: (() => void) | null = null;
  let nowMs = 0;
  const plugin = supervise({
    spawn,
    code,
    // Until it has computed its limit, however busy the machine is.
    callMs: 240_000,
    ask: async () => '',
    now: () => nowMs,
    later: (ms, run) => {
      pauses.push(ms);
      due = run;
      return () => (due = null);
    },
    onFault: (why) => faults.push(why),
    onOff: (why) => offs.push(why),
    onState: () => states.push(plugin.state()),
  });
  running = plugin;
  const until = async (state: string) => {
    while (plugin.state() !== state) await Bun.sleep(5);
  };
  return {
    plugin,
    pauses,
    offs,
    faults,
    states,
    pass: (ms: number) => (nowMs += ms),
    until,
    /** Lets the pause be over. */
    async goOn() {
      const run = due;
      due = null;
      run?.();
      await until('running');
    },
  };
}

const call = async (plugin: ReturnType<typeof supervise>, name: string) =>
  (await plugin.run('events', [{ name, input: '0' }]))[0];

test('a plugin that hangs is started again with growing pauses, and stays off after the fifth time', async () => {
  const { plugin, pauses, offs, faults, states, goOn } = start();
  await plugin.start();
  for (let time = 1; time <= PLUGIN_FAULTS_MAX; time += 1) {
    expect(await call(plugin, 'fine')).toEqual({ ok: true, json: '1' });
    expect(await call(plugin, 'spin')).toMatchObject({ ok: false, fault: 'late' });
    expect(await call(plugin, 'fine')).toMatchObject({ ok: false, fault: 'ended' });
    expect(plugin.faults()).toBe(time);
    if (time < PLUGIN_FAULTS_MAX) await goOn();
  }
  expect(pauses).toEqual([1000, 5000, 30_000, 120_000]);
  expect([plugin.state(), offs.length, faults.length]).toEqual(['off', 1, 5]);
  const again = ['starting', 'running', 'waiting'];
  expect(states).toEqual([...again, ...again, ...again, ...again, 'starting', 'running', 'off']);
});

test('one that ran well for a while begins to count from the start', async () => {
  const { plugin, pauses, goOn, pass } = start();
  await plugin.start();
  for (let time = 0; time < 2; time += 1) {
    await call(plugin, 'spin');
    await goOn();
  }
  pass(11 * 60_000);
  await call(plugin, 'spin');
  expect(pauses).toEqual([1000, 5000, 1000]);
});

test('a module that cannot be read counts as a fault as well', async () => {
  const { plugin, pauses, offs } = start('throw new Error("x")');
  for (let time = 0; time < 5; time += 1) await plugin.start();
  expect([pauses.length, offs]).toEqual([4, ['Error: x']]);
});
