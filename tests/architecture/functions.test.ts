import { expect, setDefaultTimeout, test } from 'bun:test';
import { isNode, lineOf, nameOf, readSources, walk, type SyntaxNode } from '#tests/support/sources.ts';

// Every file is walked, which takes its time on a busy machine.
setDefaultTimeout(300_000);

/** Longest function of the product's source, its first and last line included. */
const LONGEST = 100;

const FUNCTIONS = [
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
  'ObjectMethod',
  'ClassMethod',
  'ClassPrivateMethod',
];

/** A function's own name, or that of what it is assigned to. */
function nameOfFunction(node: SyntaxNode, above: readonly SyntaxNode[]): string {
  const holder = above.find((each) => isNode(each, 'VariableDeclarator', 'ObjectProperty', 'ClassProperty'));
  return nameOf(node.id) || nameOf(node.key) || (holder ? nameOf(holder.id ?? holder.key) : '');
}

/** Line that a node ends on. */
function endOf(node: SyntaxNode): number {
  const { loc } = node;
  const end: unknown = typeof loc === 'object' && loc !== null ? Reflect.get(loc, 'end') : null;
  return typeof end === 'object' && end !== null ? Number(Reflect.get(end, 'line')) : 0;
}

const sources = readSources(['{server,client,shared,scripts}/**/*.{ts,tsx}']);

test('no function of the source is longer than a hundred lines', () => {
  const long = sources.flatMap(({ path, tree }) => {
    const found: string[] = [];
    walk(tree, (node, above) => {
      if (!FUNCTIONS.includes(node.type)) return;
      const lines = endOf(node) - lineOf(node) + 1;
      const name = `${path} ${nameOfFunction(node, above)}`;
      if (lines > LONGEST) found.push(`${name}: ${lines}`);
    });
    return found;
  });
  expect(long).toEqual([]);
}, 300_000);
