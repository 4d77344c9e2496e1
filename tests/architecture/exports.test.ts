import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { Glob } from 'bun';
import { importsOf } from '#tests/support/imports.ts';
import { isNode, nameOf, parseSource, readSources, walk, type Source } from '#tests/support/sources.ts';

// Every file is walked, which takes its time on a busy machine.
setDefaultTimeout(300_000);

const ROOT = join(import.meta.dir, '../..');
const product = readSources(['{server,client,shared}/**/*.{ts,tsx}']);
const scripts = readSources(['scripts/**/*.ts']);
const tests = [...new Glob('{server,client,shared,scripts,tests}/**/*.{ts,tsx}').scanSync(ROOT)]
  .filter((path) => path.startsWith('tests/') || /\.test\.tsx?$/.test(path))
  .map((path) => ({ path, tree: parseSource(readFileSync(join(ROOT, path), 'utf8'), path.endsWith('x')) }));

/** Imports of each file, by the product and its scripts, and by tests. */
const used = Map.groupBy(importsOf([...product, ...scripts]), ({ to }) => to);
const tested = Map.groupBy(importsOf(tests), ({ to }) => to);

/** Where processes, threads and browsers begin, and what tools read: nobody imports these. */
const BEGINNINGS: Readonly<Record<string, string>> = {
  'client/entry.tsx': 'the browser begins here',
  'client/lib/pow-worker.ts': 'a worker of the browser, built as a file of its own',
  'client/push-worker.ts': 'the same: the one that shows pushes',
  'server/data/reader/reader.worker.ts': 'a thread of the server, started by its address',
  'server/identity-providers/hash.worker.ts': 'a thread of the server, started by its address',
  'server/images/picture.worker.ts': 'a thread of the server, started by its address',
  'server/mail/read.worker.ts': 'a thread of the server, started by its address',
  'server/main.ts': 'the program begins here',
  'server/modules/graph.ts': 'read by the test of imports',
  'server/node/downloads/program/main.ts': 'a program of its own, bundled into one text by bundle.ts',
  'server/node/file-manager/program/main.ts': 'a program of its own, bundled into one text by bundle.ts',
  'server/plugins/package.worker.ts': 'a thread of the server, started by its address',
  'server/plugins/sandbox.worker.ts': 'a thread of the server, started by its address',
  'server/receipts/assets.d.ts': 'tells the compiler of files that are bundled',
  'server/sdk/assets.d.ts': 'tells the compiler of files that are bundled',
};
/** Files whose exports need no importer, and why. */
const OPEN: Readonly<Record<string, string>> = {
  'shared/resources/columns.ts': 'kinds of columns, of which the generator of areas takes what it needs',
  'client/lib/plugins.ts': 'the interface that plugins are written against',
  'server/modules/graph.ts': 'read by the test of imports',
};
/** Exports that tests alone use, and why they have to be there all the same. */
const FOR_TESTS: Readonly<Record<string, string>> = {
  'server/modules/servers/panel/registry.ts createFixedRegistry': 'the worlds of tests have panels that never change',
  'shared/earning-sources.ts SOURCE_SWITCHES': 'tests turn every switch on, whatever sources there are',
};

/** Names that a file exports; for those it only passes on, the file they come from and their name there. */
function exportsOf({ tree }: Source): string[] {
  const body = Array.isArray(tree.body) ? tree.body.filter((node) => isNode(node)) : [];
  return body.flatMap((node) => {
    if (node.type === 'ExportDefaultDeclaration') return ['default'];
    if (node.type !== 'ExportNamedDeclaration') return [];
    const parts = Array.isArray(node.specifiers) ? node.specifiers.filter((part) => isNode(part)) : [];
    return [...parts.map((part) => nameOf(part.exported)), ...declaredIn(node.declaration)];
  });
}

function declaredIn(node: unknown): string[] {
  if (!isNode(node)) return [];
  if (!Array.isArray(node.declarations)) return [nameOf(node.id)];
  return node.declarations.flatMap((each: unknown) =>
    isNode(each) && isNode(each.id, 'Identifier') ? [nameOf(each.id)] : [],
  );
}

/** How often each name stands in a file: a name that stands there once is only declared. */
function namesIn({ tree }: Source): Map<string, number> {
  const counts = new Map<string, number>();
  walk(tree, (node) => {
    if (isNode(node, 'Identifier', 'JSXIdentifier')) counts.set(nameOf(node), (counts.get(nameOf(node)) ?? 0) + 1);
  });
  return counts;
}

/** Whether the product itself uses an export: in another file, or in its own. */
function isLive(path: string, name: string, own: ReadonlyMap<string, number>): boolean {
  return (
    (own.get(name) ?? 0) > 1 ||
    (used.get(path) ?? []).some(({ from, names, passedAs }) =>
      names.some((taken, index) => {
        if (taken === '*') return true;
        if (taken !== name) return false;
        return passedAs === null || isLive(from, passedAs[index] ?? '', new Map());
      }),
    )
  );
}

describe('the source', () => {
  test('the source has no file that nobody imports', () => {
    const alone = product.map(({ path }) => path).filter((path) => !used.has(path));
    expect(alone).toEqual(Object.keys(BEGINNINGS).toSorted());
  });

  test('the source exports nothing that no other file imports, and nothing that tests alone use', () => {
    const idle = product.flatMap((source) => {
      const { path } = source;
      if (Object.hasOwn(OPEN, path) || Object.hasOwn(BEGINNINGS, path)) return [];
      const all = [...(used.get(path) ?? []), ...(tested.get(path) ?? [])].flatMap(({ names }) => names);
      const taken = new Set(all);
      const own = namesIn(source);
      return exportsOf(source)
        .filter((name) => !taken.has('*') && !(taken.has(name) && isLiveOrPassed(source, name, own)))
        .map((name) => `${path} ${name}`);
    });
    expect(idle.toSorted()).toEqual(Object.keys(FOR_TESTS).toSorted());
  });
});

/** As `isLive`; what a file only passes on is judged where it comes from. */
function isLiveOrPassed(source: Source, name: string, own: ReadonlyMap<string, number>): boolean {
  const passed = importsOf([source]).some(({ passedAs }) => passedAs?.includes(name));
  return passed || isLive(source.path, name, own);
}
