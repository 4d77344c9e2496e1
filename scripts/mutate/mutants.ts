import { isNode, nameOf, parseSource, walk, type SyntaxNode } from '#tests/support/sources.ts';
import { seeded } from '#tests/support/random.ts';
import { FAULTS } from './faults.ts';

/** A file with one small fault. */
export interface Mutant {
  readonly file: string;
  readonly line: number;
  readonly kind: string;
  /** Name of the function it lies in; '' outside of all. */
  readonly within: string;
  /** The lines it touches, before and after, with single spaces. */
  readonly from: string;
  readonly to: string;
  /** The whole file with the fault. */
  readonly source: string;
}

/** Types, imports and texts hold nothing that runs. */
const RUNS_NOT = /^(TS(?!AsExpression|SatisfiesExpression|NonNullExpression)|Import|ExportAll)/;

/** Every fault of a file, in the order of its text. In: its path (for messages) and its text. */
export function mutantsOf(file: string, source: string): Mutant[] {
  const found: Mutant[] = [];
  walk(parseSource(source, file.endsWith('x')), (node, above) => {
    if (RUNS_NOT.test(node.type)) return false;
    for (const faults of FAULTS) {
      for (const { kind, start, end, text } of faults(node, source, above)) {
        // Two that are the same change places: nothing is another.
        if (text === source.slice(start, end)) continue;
        const [first, last] = [source.lastIndexOf('\n', start - 1) + 1, lineEnd(source, end)];
        const to = source.slice(first, start) + text + source.slice(end, last);
        found.push({
          file,
          line: source.slice(0, start).split('\n').length,
          kind,
          within: functionOf([node, ...above]),
          from: oneLine(source.slice(first, last)),
          to: oneLine(to),
          source: source.slice(0, start) + text + source.slice(end),
        });
      }
    }
    return true;
  });
  return found.toSorted((one, other) => one.line - other.line);
}

/** At most so many of them, the same ones for the same seed, in their order. */
export function someOf(mutants: readonly Mutant[], limit: number, seed: number): readonly Mutant[] {
  if (mutants.length <= limit) return mutants;
  const random = seeded(seed);
  const left = [...mutants.keys()];
  const chosen = new Set<number>();
  while (chosen.size < limit) chosen.add(left.splice(random.int(left.length), 1)[0] ?? 0);
  return mutants.filter((_, at) => chosen.has(at));
}

const oneLine = (text: string): string => text.trim().replaceAll(/\s+/g, ' ');
const lineEnd = (source: string, from: number): number => {
  const at = source.indexOf('\n', from);
  return at < 0 ? source.length : at;
};

/** Name of the nearest function with one, or of the constant or property that it is the value of. */
function functionOf(nodes: readonly SyntaxNode[]): string {
  for (const [at, node] of nodes.entries()) {
    if (!isNode(node, 'FunctionDeclaration', 'ObjectMethod', 'ArrowFunctionExpression', 'FunctionExpression')) continue;
    const holder = nodes[at + 1];
    const name =
      nameOf(node.id) ||
      nameOf(node.key) ||
      (isNode(holder, 'VariableDeclarator') ? nameOf(holder.id) : '') ||
      (isNode(holder, 'ObjectProperty') ? nameOf(holder.key) : '');
    if (name) return name;
  }
  return '';
}
