import { describe, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/auth/login');
const { runCode } = await import('./run.ts');
const { createTerminal } = await import('./terminal.ts');

/** Stands for a script element: the text is read as one, global names stay, what it throws comes back. */
function runScript(text: string): { error: unknown } | null {
  try {
    // Indirect: in the global scope, like a script.
    // oxlint-disable-next-line no-eval -- what the page does by a nonced script, this test does without a browser
    (0, eval)(text);
    return null;
  } catch (error) {
    return { error };
  }
}
const run = (code: string) => runCode(code, runScript);

describe('S2.16 the terminal runs typed code', () => {
  test.each<[string, unknown]>([
    ['1 + 1', 2],
    ['1 + 1;', 2],
    ['{ a: 1 }', { a: 1 }],
    ['Promise.resolve(7)', 7],
    ['await Promise.resolve(8)', 8],
    ['[1, 2].map((n) => n * 2) // twice', [2, 4]],
    ['(function () { return this === globalThis })()', true],
    ['', undefined],
    ['for (let n = 0; n < 3; n += 1) { globalThis.counted = n }', undefined],
    ['const answer = await Promise.resolve(9); globalThis.kept = answer', undefined],
  ])('the terminal answers %s', async (code, value) => expect(await run(code)).toEqual({ ok: true, value }));

  test('names that are declared stay', async () => {
    expect(await run('var declaredHere = 5')).toEqual({ ok: true, value: undefined });
    expect(await run('declaredHere * 2')).toEqual({ ok: true, value: 10 });
    await run('function twiceHere(n) { return n * 2 }');
    expect(await run('twiceHere(21)')).toEqual({ ok: true, value: 42 });
  });

  test('what is thrown, rejected or cannot be read is said, and nothing runs twice', async () => {
    expect(await run('(() => { throw new TypeError("no") })()')).toEqual({ ok: false, error: new TypeError('no') });
    expect(await run('await Promise.reject("why")')).toEqual({ ok: false, error: 'why' });
    const unread = await run('let = = 3');
    expect(unread.ok ? null : String(unread.error)).toStartWith('SyntaxError');
    await run('globalThis.times = 0');
    const thrown = await run('globalThis.times += 1; JSON.parse("{"); await 1');
    expect(thrown.ok).toBe(false);
    expect(await run('globalThis.times')).toEqual({ ok: true, value: 1 });
    expect('__debugRun' in window).toBe(false);
  });
});

test('help and clear are words of the terminal: nothing runs, and clear leaves nothing behind', async () => {
  const ran: string[] = [];
  const terminal = createTerminal(async (code) => {
    ran.push(code);
    return { ok: true, value: 1 };
  });
  for (const word of ['help', ' help() ;']) await terminal.run(word);
  expect(terminal.commands().map(({ outcome }) => outcome)).toEqual(['help', 'help']);
  await terminal.run('helper');
  await terminal.run('help.me');
  expect(ran).toEqual(['helper', 'help.me']);
  await terminal.run('clear()');
  expect([terminal.commands(), ran.length, terminal.history().at(-1)]).toEqual([[], 2, 'clear()']);
});

test('the terminal remembers what was run, masked where it is stored, and shows what came of it', async () => {
  sessionStorage.clear();
  const terminal = createTerminal(
    (code) => Promise.resolve({ ok: true, value: code.length }),
    () => 5,
  );
  const running = terminal.run('password = "plough lantern"');
  expect(terminal.commands()[0]).toMatchObject({ atMs: 5, outcome: null });
  await running;
  await terminal.run('1+1');
  await terminal.run('1+1');
  expect(terminal.commands().map(({ outcome }) => outcome)).toEqual([
    { ok: true, value: 27 },
    { ok: true, value: 3 },
    { ok: true, value: 3 },
  ]);
  expect(terminal.history()).toEqual(['password = "plough lantern"', '1+1']);
  expect(sessionStorage.getItem('debug-history')).not.toContain('plough');
  expect(createTerminal().history().at(-1)).toBe('1+1');
  terminal.clear();
  expect(terminal.commands()).toEqual([]);
});
