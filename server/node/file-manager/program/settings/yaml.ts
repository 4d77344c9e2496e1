import { isCollection, isMap, isScalar, isSeq, parseDocument, type Document } from 'yaml';
import type { ConfigSetting } from '#shared/config-files.ts';
import { pathsOf, typed, Unreadable, valueFor } from './dotted.ts';

const keyText = (key: unknown): string => String(isScalar(key) ? key.value : key);

/** The names or numbers of what is below a path. */
function children(document: Document, path: readonly (string | number)[]): (string | number)[] {
  const node = path.length === 0 ? document.contents : document.getIn(keysOf(document, path), true);
  if (isMap(node)) return node.items.map(({ key }) => keyText(key));
  return isSeq(node) ? node.items.map((_, at) => at) : [];
}

/** A path with the keys as the document has them: `25565` may be a number there. */
function keysOf(document: Document, path: readonly (string | number)[]): unknown[] {
  const keys: unknown[] = [];
  let node: unknown = document.contents;
  for (const part of path) {
    const pair = isMap(node) ? node.items.find(({ key }) => keyText(key) === String(part)) : undefined;
    const key = isScalar(pair?.key) ? pair.key.value : part;
    // In a list only a number is a place.
    if (isSeq(node) && !/^\d+$/.test(String(part))) throw new Unreadable('yaml');
    keys.push(isSeq(node) ? Number(part) : key);
    node = isCollection(node) ? node.get(keys.at(-1), true) : undefined;
  }
  return keys;
}

/** Brings a text of YAML to its settings, and keeps its comments and its order. Throws where it is none. */
export function setInYaml(text: string, settings: readonly ConfigSetting[]): string {
  // Names that come twice are left alone, as the games that read such files do; long numbers stay whole.
  const document = parseDocument(text, { uniqueKeys: false, intAsBigInt: true });
  if (document.errors.length > 0) throw new Unreadable('yaml');
  if (document.contents === null || (isScalar(document.contents) && document.contents.value === null))
    document.contents = document.createNode({}) as never;
  if (!isCollection(document.contents)) throw new Unreadable('yaml');
  let isChanged = false;
  for (const setting of settings)
    for (const path of pathsOf(setting.key, (at) => children(document, at))) {
      const keys = keysOf(document, path);
      const node = document.getIn(keys, true);
      const now = isScalar(node) ? String(node.value) : node === undefined ? null : '';
      const given = valueFor(setting, now);
      if (given === null || (isScalar(node) && now === String(given))) continue;
      document.setIn(keys, typed(given));
      isChanged = true;
    }
  return isChanged ? document.toString({ lineWidth: 0 }) : text;
}
