import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { isNode, literalOf, nameOf, walk, type Source, type SyntaxNode } from './sources.ts';

const ROOT = join(import.meta.dir, '../..');

/** One import of a file: what it names, and whether anything of it is left when the types are gone. */
export interface Import {
  readonly from: string;
  /** A path below the project's folder, or the name of a package. */
  readonly to: string;
  /** Imported names; `*` for all of them (namespaces, `export *`, import() of a module). */
  readonly names: readonly string[];
  /** Where the file only passes the names on (`export … from`): the names it gives them. */
  readonly passedAs: readonly string[] | null;
  readonly typeOnly: boolean;
  /** Import(): loaded when the line is reached. */
  readonly isLate: boolean;
}

/** Every import, re-export and import() of files, types included. */
export function importsOf(sources: readonly Source[]): Import[] {
  const found: Import[] = [];
  for (const { path, tree } of sources) {
    walk(tree, (node) => {
      const read = readImport(node);
      if (read) {
        const { target, ...rest } = read;
        found.push({ from: path, to: resolveImport(path, target), ...rest });
      }
    });
  }
  return found;
}

const FROM = ['ImportDeclaration', 'ExportNamedDeclaration', 'ExportAllDeclaration'];

function readImport(node: SyntaxNode): (Omit<Import, 'from' | 'to'> & { target: string }) | null {
  if (FROM.includes(node.type)) {
    const target = literalOf(node.source);
    if (target === null) return null;
    const parts = Array.isArray(node.specifiers) ? node.specifiers.filter((part) => isNode(part)) : [];
    const isType = (part: SyntaxNode) => part.importKind === 'type' || part.exportKind === 'type';
    const typeOnly = isType(node) || (parts.length > 0 && parts.every(isType));
    const names = node.type === 'ExportAllDeclaration' ? ['*'] : parts.map(nameTaken);
    const passedAs = node.type === 'ExportNamedDeclaration' ? parts.map((part) => nameOf(part.exported)) : null;
    return { target, names, passedAs, typeOnly, isLate: false };
  }
  if (node.type === 'ImportExpression' || node.type === 'TSImportType') {
    const target = literalOf(node.source ?? node.argument);
    const typeOnly = node.type === 'TSImportType';
    return target === null ? null : { target, names: ['*'], passedAs: null, typeOnly, isLate: !typeOnly };
  }
  return null;
}

/** The name that a part of an import or a re-export takes from the other file. */
function nameTaken(part: SyntaxNode): string {
  if (part.type === 'ImportDefaultSpecifier') return 'default';
  if (part.type === 'ImportSpecifier') return nameOf(part.imported);
  return part.type === 'ExportSpecifier' ? nameOf(part.local) : '*';
}

function resolveImport(path: string, target: string): string {
  if (target.startsWith('#')) return target.slice(1);
  if (!target.startsWith('.')) return target;
  const file = relative(ROOT, join(ROOT, dirname(path), target));
  if (!existsSync(join(ROOT, file))) throw new Error(`${path} imports ${target}, which does not exist`);
  return file;
}

/**
 * Groups of files that reach each other (strongly connected components of more than one file), each sorted. In: edges
 * between files.
 */
export function cyclesOf(edges: readonly Pick<Import, 'from' | 'to'>[]): string[][] {
  const next = Map.groupBy(edges, ({ from }) => from);
  const state = new Map<string, { order: number; low: number; open: boolean }>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (file: string) => {
    const own = { order: state.size, low: state.size, open: true };
    state.set(file, own);
    stack.push(file);
    for (const { to } of next.get(file) ?? []) {
      const seen = state.get(to) ?? visit(to);
      if (seen.open) own.low = Math.min(own.low, seen.low);
    }
    if (own.low === own.order) {
      const group = stack.splice(stack.indexOf(file));
      for (const member of group) {
        const each = state.get(member);
        if (each) each.open = false;
      }
      if (group.length > 1) found.push(group.toSorted());
    }
    return own;
  };
  for (const file of next.keys()) if (!state.has(file)) visit(file);
  return found;
}
