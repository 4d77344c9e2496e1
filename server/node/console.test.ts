import { expect, test } from 'bun:test';
import { closeSync, constants, mkdtempSync, openSync, readdirSync, readlinkSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanLine, ConsoleLines, readConsole } from './console.ts';
import { until } from '#tests/node/node-process.ts';
import { holdOutput } from './sandbox/running.ts';

const START = 1_700_000_000_000;
const filled = (count: number, text = (n: number) => `line ${n}`) => {
  const lines = new ConsoleLines(() => START);
  for (let n = 0; n < count; n += 1) lines.add('out', text(n));
  return lines;
};

test('N7 colours are all that stays of the sequences of a terminal', () => {
  const esc = '\u001b';
  expect(cleanLine(`${esc}[31mred${esc}[0m`)).toBe(`${esc}[31mred${esc}[0m`);
  expect(cleanLine(`a${esc}[2J${esc}[1;1Hb${esc}]0;title\u0007c${esc}(Bd\u0000e\u009bf\u202eg${esc}`)).toBe('abcBdefg');
  expect(cleanLine('a\tb')).toBe('a\tb');
  expect(cleanLine(`${esc}[${'1;'.repeat(5000)}m`).length).toBeLessThan(10);
});

test('N6 a flood keeps the newest lines in bounded memory', async () => {
  const lines = filled(50_000, (n) => `${n} ${'x'.repeat(1000)}`);
  let after = 0;
  let size = 0;
  let last = '';
  for (;;) {
    const { lines: part, gap } = await lines.read(after, 0);
    expect(gap).toBe(false);
    if (part.length === 0) break;
    size += part.reduce((sum, line) => sum + line.text.length, 0);
    ({ seq: after, text: last } = part.at(-1) ?? { seq: 0, text: '' });
  }
  expect(size).toBeLessThanOrEqual(524_288);
  expect(last.startsWith('49999 ')).toBe(true);
});

test('N13 a slow reader hears of the lines it missed, and a quick one misses none', async () => {
  const lines = filled(10);
  const { lines: first } = await lines.read(0, 0);
  const last = first.at(-1)?.seq ?? 0;
  expect(first.map((line) => line.text)).toEqual(Array.from({ length: 10 }, (_, n) => `line ${n}`));
  lines.add('out', 'next');
  expect(await lines.read(last, 0)).toMatchObject({ gap: false, lines: [{ text: 'next', seq: last + 1 }] });
  for (let n = 0; n < 5000; n += 1) lines.add('out', 'flood');
  expect((await lines.read(last, 0)).gap).toBe(true);
});

test('N16 numbers go up across restarts of the node, and a number from the future counts as a gap', async () => {
  const before = (await filled(3).read(0, 0)).lines.at(-1)?.seq ?? 0;
  const later = new ConsoleLines(() => START + 1000);
  later.add('out', 'again');
  expect(await later.read(before, 0)).toMatchObject({ gap: true, lines: [{ text: 'again' }] });
  expect(await filled(1).read(Number.MAX_SAFE_INTEGER, 0)).toMatchObject({ gap: true, lines: [{ text: 'line 0' }] });
});

test('a reader that waits is woken by a line, and otherwise goes away with nothing', async () => {
  const lines = filled(1);
  const { seq } = (await lines.read(0, 0)).lines[0] ?? { seq: 0 };
  const waiting = lines.read(seq, 5000);
  lines.add('in', 'list');
  expect((await waiting).lines).toMatchObject([{ kind: 'in', text: 'list' }]);
  expect((await lines.read(seq + 1, 10)).lines).toEqual([]);
});

test('N13 a reader that leaves waits no longer, also where it had left before it asked', async () => {
  const lines = filled(1);
  const { seq } = (await lines.read(0, 0)).lines[0] ?? { seq: 0 };
  const left = new AbortController();
  const waiting = lines.read(seq, 2 ** 30, left.signal);
  left.abort();
  expect((await waiting).lines).toEqual([]);
  expect((await lines.read(seq, 2 ** 30, left.signal)).lines).toEqual([]);
});

test('what a process wrote that ended before anybody read it is read', async () => {
  const run = mkdtempSync(join(tmpdir(), 'spawnpoint-console-'));
  for (const name of ['in', 'out']) Bun.spawnSync(['mkfifo', join(run, name)]);
  const lines: string[] = [];
  {
    using _held = holdOutput(run);
    await Bun.spawn(['sh', '-c', 'exec 1<>out; echo "no such program"'], { cwd: run }).exited;
    const pipe = openSync(join(run, 'out'), constants.O_RDWR | constants.O_NONBLOCK);
    await readConsole(pipe, (line) => lines.push(line)).end();
    closeSync(pipe);
  }
  expect(lines).toEqual(['no such program']);
  rmSync(run, { recursive: true });
});

test('whoever reads a console after another has all of its lines, and the one before leaves nothing open', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'spawnpoint-console-'));
  const path = join(folder, 'out');
  Bun.spawnSync(['mkfifo', path]);
  const open = () => openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const others = open();
  const read: string[][] = [];
  for (let time = 0; time < 5; time += 1) {
    const [pipe, lines]: [number, string[]] = [open(), []];
    const reader = readConsole(pipe, (line) => lines.push(line));
    for (let line = 0; line < 100; line += 1) writeSync(others, `${time} ${line}\n`);
    // What was written just before its end counts as well.
    await reader.end();
    closeSync(pipe);
    read.push(lines);
  }
  expect(read).toEqual(read.map((_, time) => Array.from({ length: 100 }, (__, line) => `${time} ${line}`)));
  const countOpen = () =>
    readdirSync('/proc/self/fd').filter((name) => {
      try {
        return readlinkSync(`/proc/self/fd/${name}`) === path;
      } catch {
        return false;
      }
    }).length;
  // A stream that is given up is closed beside the thread, some milliseconds later.
  await until(() => countOpen() === 1);
  closeSync(others);
  rmSync(folder, { recursive: true });
});
