import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, type ParserOptions } from '@babel/parser';
import { Glob } from 'bun';

const ROOT = join(import.meta.dir, '../..');

/** A node of the syntax tree, as far as the checks look into it. */
export interface SyntaxNode {
  readonly type: string;
  readonly [field: string]: unknown;
}
/** A file of the product with its syntax tree. */
export interface Source {
  readonly path: string;
  readonly tree: SyntaxNode;
}

/** Is this a node of the tree, and of one of these types if any are given? */
export function isNode(value: unknown, ...types: readonly string[]): value is SyntaxNode {
  if (typeof value !== 'object' || value === null || !('type' in value) || typeof value.type !== 'string') return false;
  return types.length === 0 || types.includes(value.type);
}

/**
 * Reads and parses the product's own files, tests left out. In: patterns below the project's folder; where only some
 * files are worth parsing, what tells so from their text.
 */
export function readSources(
  patterns: readonly string[],
  isWanted: (text: string, path: string) => boolean = () => true,
): Source[] {
  return readFiles(patterns, (text, path) => !isTest(path) && isWanted(text, path));
}

/** Reads and parses files of tests, and what stands beside them. In: patterns below the project's folder. */
export function readTests(patterns: readonly string[]): Source[] {
  return readFiles(patterns, (text) => /\btest\b/.test(text));
}

function isTest(path: string): boolean {
  return /(\.test|\/testing)\.tsx?$/.test(path);
}

function readFiles(patterns: readonly string[], isWanted: (text: string, path: string) => boolean): Source[] {
  const paths = patterns.flatMap((pattern) => [...new Glob(pattern).scanSync(ROOT)]);
  return [...new Set(paths)]
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))
    .filter(({ text, path }) => isWanted(text, path))
    .map(({ path, text }) => ({ path, tree: parseSource(text, path.endsWith('x')) }));
}

/** Trees of all texts so far: a dozen checks of one process walk the same thousands of files. */
const parsed = new Map<string, SyntaxNode>();

/** Parses TypeScript, with JSX if wanted. Out: its tree, which others hold as well. Throws SyntaxError. */
export function parseSource(text: string, jsx: boolean): SyntaxNode {
  const key = `${jsx}${text}`;
  const known = parsed.get(key);
  if (known) return known;
  const plugins: ParserOptions['plugins'] = jsx ? ['typescript', 'jsx'] : ['typescript'];
  const { program } = parse(text, { sourceType: 'module', attachComment: false, plugins });
  if (!isNode(program)) throw new Error('not a program');
  parsed.set(key, program);
  return program;
}

/**
 * Visits every node with those above it, the nearest first. A visitor that answers false keeps the walk out of that
 * node.
 */
export function walk(
  node: SyntaxNode,
  visit: (node: SyntaxNode, above: readonly SyntaxNode[]) => boolean | void,
  above: readonly SyntaxNode[] = [],
): void {
  if (visit(node, above) === false) return;
  const inside = [node, ...above];
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) walk(child, visit, inside);
  }
}

/** Line of a node in its file. */
export function lineOf(node: SyntaxNode): number {
  const { loc } = node;
  if (typeof loc !== 'object' || loc === null || !('start' in loc)) return 0;
  const { start } = loc;
  return typeof start === 'object' && start !== null && 'line' in start ? Number(start.line) : 0;
}

/** The parts of a template's text between its values; null for any other node. */
export function templateParts(node: SyntaxNode): string[] | null {
  if (node.type !== 'TemplateLiteral' || !Array.isArray(node.quasis)) return null;
  return node.quasis.map((quasi: unknown) => {
    const value = isNode(quasi) ? quasi.value : null;
    return typeof value === 'object' && value !== null && 'cooked' in value ? String(value.cooked) : '';
  });
}

/** The text of a string literal; null for any other node. */
export function literalOf(node: unknown): string | null {
  if (isNode(node, 'StringLiteral', 'JSXText') && typeof node.value === 'string') return node.value;
  const parts = isNode(node) ? templateParts(node) : null;
  return parts?.length === 1 ? (parts[0] ?? null) : null;
}

/** The name of an identifier, a JSX name or the last part of `a.b`; '' for any other node. */
export function nameOf(node: unknown): string {
  if (isNode(node, 'Identifier', 'JSXIdentifier')) return String(node.name);
  if (isNode(node, 'MemberExpression')) return nameOf(node.property);
  if (isNode(node, 'TSTypeReference')) return nameOf(node.typeName);
  return '';
}
