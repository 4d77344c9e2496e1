import { isSecretName, MASK, maskText } from '#shared/mask.ts';

/** A value formatted as one line, and its kind (for its colour). */
export interface FormattedValue {
  readonly text: string;
  readonly kind: 'text' | 'number' | 'word' | 'thing' | 'masked' | 'error';
}

const MAX_LENGTH = 2_000;
const MAX_PREVIEWED = 5;
/** Maximum number of children listed per value. */
export const MAX_CHILDREN = 200;

/** Formats any value as one line: `{a: 1, b: "x"}`, `Array(3) [1, 2, 3]`. Secrets are masked by their names. */
export function formatValue(value: unknown, name = '', depth = 0): FormattedValue {
  if (typeof value === 'string') {
    if (name !== '' && isSecretName(name)) return { text: MASK, kind: 'masked' };
    return { text: JSON.stringify(clipped(maskText(value))), kind: 'text' };
  }
  if (typeof value === 'number' || typeof value === 'bigint') {
    if (name !== '' && isSecretName(name)) return { text: MASK, kind: 'masked' };
    return { text: typeof value === 'bigint' ? `${value}n` : String(value), kind: 'number' };
  }
  if (value === null || value === undefined || typeof value === 'boolean') return { text: String(value), kind: 'word' };
  if (typeof value === 'symbol') return { text: String(value), kind: 'word' };
  if (typeof value === 'function') return { text: `ƒ ${value.name}()`, kind: 'thing' };
  if (value instanceof Error) return { text: maskText(`${value.name}: ${value.message}`), kind: 'error' };
  return { text: clipped(preview(value, isSecretName(name), depth)), kind: 'thing' };
}

function preview(value: object, secret: boolean, depth: number): string {
  if (secret) return MASK;
  if (value instanceof Element) return `<${value.tagName.toLowerCase()}${value.id ? `#${value.id}` : ''}>`;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? String(value) : value.toISOString();
  if (value instanceof RegExp) return String(value);
  const title = titleOf(value);
  if (depth > 1) return title || '{…}';
  const children = childrenOf(value, MAX_PREVIEWED + 1);
  const inner = children.slice(0, MAX_PREVIEWED).map(({ name, value: each }) => {
    const text = formatValue(each, name, depth + 1).text;
    return Array.isArray(value) ? text : `${name}: ${text}`;
  });
  if (children.length > MAX_PREVIEWED) inner.push('…');
  const [from, to] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return `${title === '' ? '' : `${title} `}${from}${inner.join(', ')}${to}`;
}

function titleOf(value: object): string {
  if (Array.isArray(value)) return `Array(${value.length})`;
  if (value instanceof Map || value instanceof Set) return `${value instanceof Map ? 'Map' : 'Set'}(${value.size})`;
  const name = (Object.getPrototypeOf(value) as { constructor?: { name?: string } } | null)?.constructor?.name ?? '';
  return name === 'Object' ? '' : name;
}

export interface Child {
  readonly name: string;
  readonly value: unknown;
}

/** Whether a value can be expanded. */
export function canUnfold(value: unknown): value is object {
  return typeof value === 'object' && value !== null && childrenOf(value, 1).length > 0;
}

/**
 * The children of a value: entries, own properties, and getters of its class (as with `Response`). Those that throw are
 * left out.
 */
export function childrenOf(value: object, most = MAX_CHILDREN): Child[] {
  if (value instanceof Map)
    return [...value].slice(0, most).map(([key, each]: [unknown, unknown]) => ({
      name: typeof key === 'string' ? key : formatValue(key, '', 2).text,
      value: each,
    }));
  if (value instanceof Set)
    return [...value].slice(0, most).map((each: unknown, index) => ({ name: String(index), value: each }));
  const found: Child[] = [];
  for (const name of namesOf(value)) {
    if (found.length >= most) break;
    try {
      const each: unknown = Reflect.get(value, name);
      if (typeof each !== 'function' || Object.hasOwn(value, name)) found.push({ name, value: each });
    } catch {
      // A getter that throws.
    }
  }
  return found;
}

function namesOf(value: object): Set<string> {
  const names = new Set(Object.keys(value));
  if (value instanceof Error) for (const name of ['message', 'stack', 'cause']) if (name in value) names.add(name);
  let from: unknown = Object.getPrototypeOf(value);
  while (from !== null && typeof from === 'object' && from !== Object.prototype && from !== Array.prototype) {
    for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(from)))
      if (property.get) names.add(name);
    from = Object.getPrototypeOf(from);
  }
  return names;
}

function clipped(text: string): string {
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}

/** A piece of pretty JSON, with its colour. */
export interface Piece {
  readonly text: string;
  readonly kind: 'name' | 'text' | 'number' | 'word' | 'masked' | 'plain';
}

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|true|false|null/gi;

/** Splits a body into coloured pieces: JSON indented, anything else as it is. */
export function prettyBody(body: string): readonly Piece[] {
  let text: string;
  try {
    text = JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return [{ text: body, kind: 'plain' }];
  }
  const pieces: Piece[] = [];
  let from = 0;
  for (const found of text.matchAll(TOKEN)) {
    const [whole, quoted, colon = ''] = found;
    if (found.index > from) pieces.push({ text: text.slice(from, found.index), kind: 'plain' });
    from = found.index + whole.length;
    if (quoted === undefined) pieces.push({ text: whole, kind: /^[tfn]/.test(whole) ? 'word' : 'number' });
    else if (colon) pieces.push({ text: quoted, kind: 'name' }, { text: colon, kind: 'plain' });
    else pieces.push({ text: quoted, kind: quoted === `"${MASK}"` ? 'masked' : 'text' });
  }
  if (from < text.length) pieces.push({ text: text.slice(from), kind: 'plain' });
  return pieces;
}
