import { afterEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ACCEPTED, isAccepted } from './accepted.ts';
import { copyCheckout } from './checkout.ts';
import { mutantsOf, someOf } from './mutants.ts';
import { SUITES, suitesOf } from './suites.ts';

const ROOT = join(import.meta.dir, '../..');

/** What the faults of a text do: kind, and the lines they touch afterwards. */
const faults = (source: string): string[] => mutantsOf('a.ts', source).map(({ kind, to }) => `${kind}: ${to}`);

describe('the faults of a file', () => {
  test.each([
    ['a < b;', ['boundary: a <= b;']],
    ['a === b;', ['condition: a !== b;']],
    ['a - b;', ['sum: a + b;']],
    ["a + 'text';", []],
    ['a && b;', ['logic: a || b;']],
    ['x = [one, two];', ['element removed: x = [two];', 'element removed: x = [one];', 'statement removed: ;']],
    ['const x = 7;', ['constant: const x = 8;']],
    ['const x = true;', ['constant: const x = false;']],
    ['const x = a ? b : c;', ['condition: const x = !(a) ? b : c;']],
    ['const x = !a;', ['condition: const x = (a);']],
    ['const x = move(from, to);', ['arguments swapped: const x = move(to, from);']],
    ['const x = move(deps, tx);', []],
    ['const x = move(a, a);', []],
    ['const x = Math.min(a, b);', ['other function: const x = Math.max(a, b);']],
    ['await write(a);', ['statement removed: ;']],
    ["deps.log.info('text');", []],
    ['const x = shape.parse(a);', ['parse dropped: const x = (a);']],
    [
      "const x = q.where('at', '<', b);",
      ["boundary: const x = q.where('at', '<=', b);", 'condition removed: const x = q;'],
    ],
    ["const x = permitted('admin.panels.edit', f);", ["access: const x = permitted('admin.dashboard.view', f);"]],
    ['type A = 1 | 2; interface B { a: 3 }', []],
  ])('%s is changed in each way that may matter', (source, expected) => {
    expect(faults(source).toSorted()).toEqual(expected.toSorted());
  });

  test('a guard is removed and inverted, and two of them change places', () => {
    expect(faults('function f() { if (a) throw b; if (c) return; }').toSorted()).toEqual([
      'condition: function f() { if (!(a)) throw b; if (c) return; }',
      'condition: function f() { if (a) throw b; if (!(c)) return; }',
      'guard removed: function f() { ; if (c) return; }',
      'guard removed: function f() { if (a) throw b; ; }',
      'order: function f() { if (c) return; if (a) throw b; }',
    ]);
  });

  test('effects change places, and what touches topics, which are published after the end, does not', () => {
    expect(faults('{ f(); g(); tx.touch(a); touchUser(b); }')).toEqual([
      'order: { g(); f(); tx.touch(a); touchUser(b); }',
      'statement removed: { ; g(); tx.touch(a); touchUser(b); }',
      'statement removed: { f(); ; tx.touch(a); touchUser(b); }',
      'statement removed: { f(); g(); ; touchUser(b); }',
      'statement removed: { f(); g(); tx.touch(a); ; }',
    ]);
  });

  test('an endpoint is opened and loses each of its flags, and an open one stays what it is', () => {
    expect(faults("const x = { access: 'admin.panels.edit', limit: 'create', errors: [] };")).toEqual([
      "access: const x = { access: 'signed-in', limit: 'create', errors: [] };",
      "flag removed: const x = { access: 'admin.panels.edit', errors: [] };",
    ]);
    expect(faults("const x = { access: 'signed-in', verified: b };")).toEqual([
      "access: const x = { access: 'open', verified: b };",
      "flag removed: const x = { access: 'signed-in', };",
    ]);
    expect(faults("const x = { access: 'open' };")).toEqual([]);
  });

  test('a fault is named by its line and the function it lies in', () => {
    const [found] = mutantsOf('a.ts', 'const x = {\n  pay: (a) => a > b,\n};\n');
    expect(found).toMatchObject({ line: 2, within: 'pay', kind: 'boundary', from: 'pay: (a) => a > b,' });
    expect(found?.source).toBe('const x = {\n  pay: (a) => a >= b,\n};\n');
  });

  test('a limit takes as many, the same ones for the same seed, in the order of the file', () => {
    const all = mutantsOf('a.ts', 'f(1);g(2);h(3);i(4);j(5);');
    const some = someOf(all, 3, 7);
    expect(some.length).toBe(3);
    expect(someOf(all, 3, 7)).toEqual(some);
    expect(someOf(all, 3, 8)).not.toEqual(some);
    expect(all.filter((each) => some.includes(each))).toEqual([...some]);
    expect(someOf(all, 1000, 7)).toEqual(all);
  });
});

describe('the tests of a file', () => {
  test('every test that the table names is there', () => {
    const named = Object.values(SUITES).flat(2);
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    expect(Object.keys(SUITES).filter((path) => !existsSync(join(ROOT, path)) && !path.includes('repos/'))).toEqual([]);
  });

  test('a file’s own tests come first, else those of its folder, then those of the longest beginning of its path', () => {
    expect(suitesOf(ROOT, 'server/modules/gifts/service.ts')[0]).toEqual(['server/modules/gifts/service.test.ts']);
    expect(suitesOf(ROOT, 'server/modules/ledger/holds.ts')[0]).toEqual(['server/modules/ledger/']);
    // Where the table names some of the folder's, those are enough.
    expect(suitesOf(ROOT, 'server/modules/abuse/vpn.ts')[0]?.[0]).toBe('server/modules/abuse/signals.test.ts');
    expect(suitesOf(ROOT, 'server/http/authorize.ts').flat()).toContain('tests/api/pipeline.test.ts');
  });
});

test('every accepted survivor is still a fault of its file, and says why it does not matter', () => {
  for (const { file, within, changes, because } of ACCEPTED) {
    expect(because.length).toBeGreaterThan(20);
    const made = mutantsOf(file, readFileSync(join(ROOT, file), 'utf8')).filter((each) => each.within === within);
    for (const [from, to] of changes) {
      expect(
        made.some((each) => each.from === from && each.to === to) ? '' : `${file} ${within}: ${from} → ${to}`,
      ).toBe('');
      expect(isAccepted({ file, within, from, to })).toBe(true);
      expect(isAccepted({ file, within, from, to: `${to} more` })).toBe(false);
    }
  }
});

describe('a copy of the project', () => {
  let folder = '';
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test('the copy finds what the tests find, lets the rest survive, and leaves the project alone', async () => {
    folder = mkdtempSync(join(tmpdir(), 'spawnpoint-project-'));
    const source = 'export const isLarge = (a: number): boolean => a > 9;\n';
    const { compilerOptions } = (await Bun.file(join(ROOT, 'tsconfig.json')).json()) as { compilerOptions: object };
    const files = {
      'package.json': '{ "name": "small", "type": "module" }',
      'tsconfig.json': JSON.stringify({ compilerOptions: { ...compilerOptions, types: ['bun'] } }),
      'large.ts': source,
      'large.test.ts':
        "import { expect, test } from 'bun:test';\nimport { isLarge } from './large.ts';\ntest('it is', () => expect(isLarge(12)).toBe(true));\n",
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, '.gitignore'), 'node_modules\n');
    expect(Bun.spawnSync(['git', 'init', '-q'], { cwd: folder }).exitCode).toBe(0);
    const checkout = copyCheckout(folder, {});
    try {
      const stages = [['large.test.ts']];
      const times = await checkout.prepare(stages);
      expect(times.length).toBe(1);
      const [boundary, constant] = mutantsOf('large.ts', source);
      if (!boundary || !constant) throw new Error('no faults were made');
      expect(await checkout.finds(boundary, stages, times)).toBe(false);
      expect(await checkout.finds({ ...constant, source: source.replace('9', '90') }, stages, times)).toBe(true);
      // What does not compile needs no test.
      expect(await checkout.finds({ ...boundary, source: source.replace('9;', "'a';") }, [], [])).toBe(true);
      expect(readFileSync(join(folder, 'large.ts'), 'utf8')).toBe(source);
    } finally {
      checkout.remove();
    }
  }, 300_000);
});
