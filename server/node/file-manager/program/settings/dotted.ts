import { RE2JS } from 're2js';
import type { ConfigSetting } from '#shared/config-files.ts';

/** Thrown where the text of a file is not what its parser reads, or has something else where a setting shall be. */
export class Unreadable extends Error {}

/** The parts of a dotted path: `a.b[0].*.c` is a, b, 0, * and c. */
function pathOf(key: string): (string | number)[] {
  return key.split('.').flatMap((part) => {
    const found = /^([^[\]]*)((?:\[\d{1,6}\])+)$/.exec(part);
    if (!found) return [part];
    const places = [...(found[2] ?? '').matchAll(/\d+/g)].map(([digits]) => Number(digits));
    return found[1] === '' ? places : [found[1] ?? '', ...places];
  });
}

/** What stands in the place of `*`: the names or numbers of what is below a path, none where nothing is. */
type Children = (path: readonly (string | number)[]) => readonly (string | number)[];

/** The paths that one with `*` stands for in a document. */
export function pathsOf(key: string, children: Children): (string | number)[][] {
  let paths: (string | number)[][] = [[]];
  for (const part of pathOf(key))
    paths = paths.flatMap((path) =>
      part === '*' ? children(path).map((child) => [...path, child]) : [[...path, part]],
    );
  return paths;
}

/**
 * What a setting puts in the place of a text; null where what stands there is not what it asks for. The engine of its
 * patterns takes linear time. In: what stands there; null: nothing.
 */
export function valueFor({ value, was }: ConfigSetting, now: string | null): string | boolean | null {
  if (was === null) return value;
  if (now === null) return null;
  if (!was.startsWith('regex:')) return now === was ? value : null;
  const matcher = RE2JS.compile(was.slice('regex:'.length)).matcher(now);
  if (!matcher.find()) return null;
  // Panels write groups as `${1}` as well.
  return typeof value === 'boolean' ? value : matcher.replaceAll(value.replaceAll(/\$\{(\d+)\}/g, '$$$1'));
}

/** A value as documents with kinds have it: whole numbers are no texts. */
export const typed = (value: string | boolean): string | boolean | number =>
  typeof value === 'string' && /^(?:0|-?[1-9]\d{0,14})$/.test(value) ? Number(value) : value;
