import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { CallResult } from '#server/modules/plugins/engine-ports.ts';
import { startSandbox, SANDBOX_LIMITS, type Sandbox } from './sandbox.ts';

// A busy machine gives a thread a processor for some hundredths of the time.
setDefaultTimeout(300_000);

const spawn = () => new Worker(new URL('sandbox.worker.ts', import.meta.url));
const running: Sandbox[] = [];
afterEach(() => running.splice(0).forEach((each) => each.stop()));

/** The result of a single hook. */
function onlyOf([result]: readonly CallResult[]): CallResult {
  if (!result) throw new Error('nothing was begun');
  return result;
}

async function start(hooks: string, ask: (what: string, args: readonly unknown[]) => Promise<string> = async () => '') {
  const ends: string[] = [];
  const sandbox = await startSandbox({
    spawn,
    code: `export default { events: { ${hooks} } };`,
    ask,
    callMs: 240_000,
    onEnd: (why) => ends.push(why),
  });
  running.push(sandbox);
  const run = async (name: string, input: unknown = {}) =>
    onlyOf(await sandbox.run('events', [{ name, input: JSON.stringify(input) }]));
  return { sandbox, run, ends };
}

describe('a plugin in the sandbox', () => {
  test('it hears an event, asks the product, and answers', async () => {
    const asked: unknown[] = [];
    const { sandbox, run } = await start(
      `'a.b': async (event, host) => { await host.storage.set('k', event.n); return { got: await host.storage.get('k') }; }`,
      async (what, args) => {
        asked.push([what, args]);
        return what === 'storage.get' ? '7' : '';
      },
    );
    expect(sandbox.hooks).toEqual({ events: ['a.b'], endpoints: [], tasks: [] });
    expect(await run('a.b', { n: 7 })).toEqual({ ok: true, json: '{"got":7}' });
    expect(asked).toEqual([
      ['storage.set', ['k', 7]],
      ['storage.get', ['k']],
    ]);
  });

  test('T48 it finds no files, no network, no environment, no clock of its own and nothing of the runtime', async () => {
    const { run } = await start(
      `look: () => ['fetch','process','Bun','require','postMessage','Worker','setTimeout','WebAssembly','__ask','XMLHttpRequest','Deno'].filter((name) => name in globalThis), ` +
        `imports: () => import('node:fs'), escape: () => (() => {}).constructor('return typeof process')()`,
    );
    expect(await run('look')).toEqual({ ok: true, json: '[]' });
    expect(await run('imports')).toMatchObject({ ok: false, fault: 'threw' });
    expect(await run('escape')).toEqual({ ok: true, json: '"undefined"' });
  });

  test.each([
    ['a loop', '() => { for (;;); }'],
    ['a chain of promises', 'async () => { for (;;) await 0; }'],
    ['a pattern', "() => /(a+)+$/.test('a'.repeat(40) + 'b')"],
    ['a loop after an answer of the product', "async (_, host) => { await host.storage.get('k'); for (;;); }"],
  ])('%s without end is ended at its limit, and its thread with it', async (_, hook) => {
    const { run, ends } = await start(`spin: ${hook}`);
    expect(await run('spin')).toMatchObject({ ok: false, fault: 'late' });
    expect(ends).toHaveLength(1);
    expect(await run('spin')).toMatchObject({ ok: false, fault: 'ended' });
  });

  test('a call may compute as long as its limit, however many other threads keep the processors busy meanwhile', async () => {
    // Together far more than the limit of one; each by itself far below it, also before its engine has been compiled.
    const many = await Promise.all(
      Array.from({ length: 24 }, () => start('count: () => { let n = 0; while (n < 60_000) n += 1; return n; }')),
    );
    const results = await Promise.all(many.map(({ run }) => run('count')));
    expect(results).toEqual(many.map(() => ({ ok: true, json: '60000' })));
  });

  test.each([
    ['a long text', "() => 'x'.repeat(2 ** 29).length"],
    ['a deep recursion', '() => { const f = () => f() + 1; return f(); }'],
    ['a growing list', '() => { const all = []; for (;;) all.push(new Uint8Array(1 << 20).fill(1)); }'],
    ['many small texts', "() => { const all = []; for (let i = 0; ; i += 1) all.push('text ' + i); }"],
  ])('%s does not reach beyond the memory of the plugin', async (_, hook) => {
    const before = process.memoryUsage.rss();
    const { run } = await start(`eat: ${hook}`);
    expect(await run('eat')).toMatchObject({ ok: false });
    expect(process.memoryUsage.rss() - before).toBeLessThan(200 * 1024 * 1024);
  });

  test('what every hook throws is its own fault, in its own words', async () => {
    const { run, ends } = await start(
      `bad: () => { throw new TypeError('no'); }, later: async () => { throw 'text'; }, odd: () => Promise.reject(null)`,
    );
    expect(await run('bad')).toEqual({ ok: false, fault: 'threw', message: 'TypeError: no' });
    expect(await run('later')).toMatchObject({ ok: false, fault: 'threw' });
    expect(await run('odd')).toMatchObject({ ok: false, fault: 'threw' });
    expect(await run('none')).toMatchObject({ ok: false, fault: 'missing' });
    expect(ends).toEqual([]);
  });

  test('an answer of ten megabytes is refused, and so is a question of that size', async () => {
    const asked: string[] = [];
    const { run } = await start(
      `large: () => 'x'.repeat(10_000_000), ask: (_, host) => host.storage.set('k', 'x'.repeat(10_000_000))`,
      async (what) => (asked.push(what), ''),
    );
    expect(await run('large')).toMatchObject({ ok: false });
    expect(await run('ask')).toMatchObject({ ok: false });
    expect(asked).toEqual([]);
  });

  test('a flood of calls is answered or refused, and none is forgotten', async () => {
    const { run } = await start(`one: async (n) => n`);
    const all = await Promise.all(Array.from({ length: 500 }, (_, n) => run('one', n)));
    expect(all.filter(({ ok }) => ok).length).toBeGreaterThanOrEqual(50);
    expect(all.filter((each) => !each.ok && each.fault !== 'busy')).toEqual([]);
  });

  const KEEP = `keep: async (n, host) => { await host.log('begin ' + n); if (n === 'bad') throw new Error('no'); await host.log('end ' + n); return n; }`;
  const keeping = async (hooks = KEEP) => {
    const heard: unknown[] = [];
    const started = await start(hooks, async (_, [text]) => {
      heard.push(text);
      await Bun.sleep(1);
      return '';
    });
    const runAll = (...inputs: readonly (string | number)[]) =>
      started.sandbox.run(
        'events',
        inputs.map((input) => ({ name: 'keep', input: JSON.stringify(input) })),
      );
    return { ...started, heard, runAll };
  };

  test('many hooks at once run one after the other, in their order, and each has its own answer', async () => {
    const { runAll, heard } = await keeping();
    const numbers = Array.from({ length: 40 }, (_, at) => at);
    expect(await runAll(...numbers)).toEqual(numbers.map((n) => ({ ok: true, json: String(n) })));
    expect(heard).toEqual(numbers.flatMap((n) => [`begin ${n}`, `end ${n}`]));
    expect(await runAll()).toEqual([]);
  });

  test('a thread that has answered everything is left alone, however long nobody asks it', async () => {
    const { runAll, ends } = await keeping(`keep: (n) => n`);
    await runAll(1, 2, 3);
    // Longer than a thread may be silent that has something to do.
    await Bun.sleep(SANDBOX_LIMITS.computeMs + 2700);
    expect(ends).toEqual([]);
    expect(await runAll(4)).toEqual([{ ok: true, json: '4' }]);
  });

  test('hooks behind one that fails are not begun, and a later call runs as ever', async () => {
    const { runAll, heard } = await keeping();
    expect(await runAll(1, 'bad', 3)).toMatchObject([{ ok: true }, { ok: false, fault: 'threw' }]);
    await Bun.sleep(50);
    expect(heard).toEqual(['begin 1', 'end 1', 'begin bad']);
    expect(await runAll(4)).toEqual([{ ok: true, json: '4' }]);
  });

  test('hooks behind one that takes too long are not begun, also once it has ended', async () => {
    let release: () => void = () => undefined;
    const asked: unknown[] = [];
    const sandbox = await startSandbox({
      spawn,
      code: `export default { events: { keep: async (n, host) => { await host.log(n); return n; } } };`,
      callMs: 3000,
      onEnd: () => undefined,
      ask: async (_, [n]) => {
        asked.push(n);
        if (n === 2) await new Promise<void>((resolve) => (release = resolve));
        return '';
      },
    });
    running.push(sandbox);
    const all = [1, 2, 3].map((n) => ({ name: 'keep', input: String(n) }));
    expect(await sandbox.run('events', all)).toMatchObject([{ ok: true }, { ok: false, fault: 'late' }]);
    release();
    expect(await sandbox.run('events', [{ name: 'keep', input: '4' }])).toEqual([{ ok: true, json: '4' }]);
    expect(asked).toEqual([1, 2, 4]);
  });

  test('a thread that hangs in the middle of many hooks ends with what had been answered', async () => {
    const { runAll, ends } = await keeping(`keep: (n) => { while (n === 2) continue; return n; }`);
    expect(await runAll(1, 2, 3)).toMatchObject([{ ok: true, json: '1' }, { ok: false }]);
    expect(ends).toHaveLength(1);
    expect(await runAll(4)).toMatchObject([{ ok: false, fault: 'ended' }]);
  });

  test('a question that fails is an error that the plugin can catch', async () => {
    const { run } = await start(
      `pay: async (_, host) => { try { await host.pay({}); } catch (error) { return error.message; } }`,
      async () => {
        throw new Error('NOT_GRANTED');
      },
    );
    expect(await run('pay')).toEqual({ ok: true, json: '"NOT_GRANTED"' });
  });

  test('a module that throws, loops or exports nothing is not started', async () => {
    for (const code of ['throw new Error("x")', 'for(;;);', 'export const a = 1', 'this is no script'])
      expect(
        await startSandbox({ spawn, code, ask: async () => '', onEnd: () => undefined }).then(
          () => 'started',
          () => 'refused',
        ),
      ).toBe('refused');
  });

  test('a call that waits for ever ends, and a thread that is stopped takes its calls along', async () => {
    const { run, sandbox } = await start(
      `wait: (_, host) => host.storage.get('k')`,
      () => new Promise(() => undefined),
    );
    const waiting = run('wait');
    sandbox.stop();
    expect(await waiting).toMatchObject({ ok: false, fault: 'ended' });
    expect(SANDBOX_LIMITS.memory).toBe(33_554_432);
  });
});
