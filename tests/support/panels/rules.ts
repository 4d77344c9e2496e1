import { crash, invalid, type Failure } from './errors.ts';
import type { Body, Json } from './rows.ts';

/** A rule by name (`between:1,191`), or one with a test of its own: true is fine. */
export type Rule = string | { readonly rule: string; readonly text: string; readonly fine: (value: Json) => boolean };
export type Rules = Readonly<Record<string, readonly Rule[]>>;

const IMPLICIT = new Set(['required', 'present', 'required_with', 'required_without']);
const isEmpty = (value: Json | undefined): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === 'string' && value.trim() === '') ||
  (typeof value === 'object' && Object.keys(value).length === 0);
const isNumeric = (value: Json): boolean =>
  typeof value === 'number' || (typeof value === 'string' && /^\s*[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(value));
const isInteger = (value: Json): boolean =>
  typeof value === 'number'
    ? Number.isInteger(value)
    : typeof value === 'string'
      ? /^[+-]?(0|[1-9]\d*)$/.test(value.trim())
      : value === true;
const text = (value: Json): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');

/** The value at a dotted path; undefined where it is absent. */
export function at(body: Json | undefined, path: string): Json | undefined {
  let value: Json | undefined = body;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Array.isArray(value) ? value[Number(key)] : value[key];
  }
  return value;
}

/** A pattern as PHP writes it: `/^a$/i`. One that is cut (a `|` in it splits a rule string) is a crash of the panel. */
function pattern(source: string): RegExp {
  const parts = /^(\W)(.*)\1([a-z]*)$/s.exec(source);
  if (!parts) throw crash('ErrorException');
  return new RegExp(parts[2] ?? '', (parts[3] ?? '').replace(/[^imsu]/g, ''));
}
function size(value: Json, numeric: boolean): number {
  if (numeric && isNumeric(value)) return Number(value);
  if (typeof value === 'object' && value !== null) return Object.keys(value).length;
  return [...text(value)].length;
}

type Test = (value: Json, args: readonly string[], numeric: boolean, raw: string) => boolean;
/** The rules requests and eggs use. True is fine. An unknown one is a crash of the panel. */
const TESTS: Record<string, Test> = {
  string: (value) => typeof value === 'string',
  array: (value) => typeof value === 'object' && value !== null,
  boolean: (value) => [true, false, 0, 1, '0', '1'].some((each) => each === value),
  integer: isInteger,
  int: isInteger,
  numeric: isNumeric,
  email: (value) => typeof value === 'string' && /^[^\s@.]+(\.[^\s@.]+)*@[^\s@]+[^\s@.]$/.test(value),
  url: (value) => typeof value === 'string' && /^https?:\/\/[^\s/]+/.test(value),
  ip: (value) => typeof value === 'string' && (/^\d{1,3}(\.\d{1,3}){3}$/.test(value) || value.includes(':')),
  alpha: (value) => /^\p{L}+$/u.test(text(value)),
  alpha_num: (value) => /^[\p{L}\p{N}]+$/u.test(text(value)),
  alpha_dash: (value) => /^[\p{L}\p{N}_-]+$/u.test(text(value)),
  in: (value, args) => args.includes(text(value)),
  not_in: (value, args) => !args.includes(text(value)),
  min: (value, [least], numeric) => size(value, numeric) >= Number(least),
  max: (value, [most], numeric) => size(value, numeric) <= Number(most),
  size: (value, [wanted], numeric) => size(value, numeric) === Number(wanted),
  between: (value, [least, most], numeric) =>
    size(value, numeric) >= Number(least) && size(value, numeric) <= Number(most),
  digits: (value, [count]) => /^\d+$/.test(text(value)) && text(value).length === Number(count),
  digits_between: (value, [least, most]) =>
    /^\d+$/.test(text(value)) && text(value).length >= Number(least) && text(value).length <= Number(most),
  starts_with: (value, args) => args.some((each) => text(value).startsWith(each)),
  ends_with: (value, args) => args.some((each) => text(value).endsWith(each)),
  regex: (value, _args, _numeric, raw) => pattern(raw).test(text(value)),
  not_regex: (value, _args, _numeric, raw) => !pattern(raw).test(text(value)),
  /** At least three characters; ends with letters and digits, between them `_ . -` too (3). */
  p_username: (value) => /^[a-z0-9][\w.-]+[a-z0-9]$/.test(text(value).toLowerCase()),
};
const SAYS: Record<string, string> = {
  required: 'field is required.',
  present: 'field must be present.',
  string: 'must be a string.',
  array: 'must be an array.',
  integer: 'must be an integer.',
  boolean: 'field must be true or false.',
  email: 'must be a valid email address.',
  regex: 'format is invalid.',
  p_username:
    'must start and end with alpha-numeric characters and contain only letters, numbers, dashes, underscores, and periods.',
};

/** True where an implicit rule is met. */
function met(rule: string, other: string, value: Json | undefined, body: Body): boolean {
  if (rule === 'present') return value !== undefined;
  if (rule === 'required_with' && isEmpty(at(body, other))) return true;
  if (rule === 'required_without' && !isEmpty(at(body, other))) return true;
  return !isEmpty(value);
}
/** Failures of one field. `bail` and a failed implicit rule end its list; null is skipped where it is `nullable`. */
function failuresOf(
  field: string,
  name: string,
  value: Json | undefined,
  rules: readonly Rule[],
  body: Body,
): Failure[] {
  const found: Failure[] = [];
  const numeric = rules.some((rule) => rule === 'numeric' || rule === 'integer' || rule === 'int');
  const nullable = rules.includes('nullable');
  if (value === undefined && rules.includes('sometimes')) return [];
  for (const rule of rules) {
    if (typeof rule !== 'string') {
      if (value !== undefined && !(value === null && nullable) && !rule.fine(value))
        found.push({ field, rule: rule.rule, detail: rule.text.replace(':attribute', name) });
    } else {
      const colon = rule.indexOf(':');
      const [key, raw] = colon === -1 ? [rule, ''] : [rule.slice(0, colon), rule.slice(colon + 1)];
      if (['nullable', 'sometimes', 'bail', ''].includes(key)) continue;
      if (IMPLICIT.has(key)) {
        if (!met(key, raw, value, body))
          return [...found, { field, rule: key, detail: `The ${name} ${SAYS[key] ?? `field is required (${rule}).`}` }];
        continue;
      }
      const test = TESTS[key];
      if (!test) throw crash('BadMethodCallException');
      if (value === undefined || (value === null && nullable)) continue;
      if (!test(value, raw.split(','), numeric, raw))
        found.push({ field, rule: key, detail: `The ${name} ${SAYS[key] ?? `is refused by ${rule}.`}` });
    }
    if (found.length > 0 && rules.includes('bail')) break;
  }
  return found;
}
/** The fields a key with `*` at its end stands for. */
function fieldsOf(key: string, body: Body): string[] {
  if (!key.endsWith('.*')) return [key];
  const list = at(body, key.slice(0, -2));
  return typeof list === 'object' && list !== null
    ? Object.keys(list).map((index) => `${key.slice(0, -1)}${index}`)
    : [];
}
/** Every failure of a body: one for each failed rule, in the order of the rules (2). */
export function check(body: Body, rules: Rules, names: Readonly<Record<string, string>> = {}): Failure[] {
  return Object.entries(rules).flatMap(([key, list]) =>
    fieldsOf(key, body).flatMap((field) =>
      failuresOf(field, names[field] ?? field.replaceAll('_', ' '), at(body, field), list, body),
    ),
  );
}
/** Throws 422 where a body fails. */
export function demand(body: Body, rules: Rules, names: Readonly<Record<string, string>> = {}): void {
  const failures = check(body, rules, names);
  if (failures.length > 0) throw invalid(failures);
}
/**
 * A rule string of an egg as Pterodactyl splits it: at every `|`, also one inside a pattern, which then is a crash.
 * Pelican has a list (`whole`).
 */
export const split = (rules: string, whole = false): string[] =>
  whole ? (rules.match(/(?:not_)?regex:(\W).*?\1[imsu]*(?=\||$)|[^|]+/gs) ?? []) : rules.split('|');
export const exists = (fine: (value: Json) => boolean): Rule => ({
  rule: 'exists',
  text: 'The selected :attribute is invalid.',
  fine,
});
export const unique = (free: (value: Json) => boolean): Rule => ({
  rule: 'unique',
  text: 'The :attribute has already been taken.',
  fine: free,
});
/** Strings are trimmed, and empty ones become null (2); passwords are left as they are. */
export function cleaned(value: Json, key = ''): Json {
  if (typeof value === 'string') {
    const short = key === 'password' ? value : value.trim();
    return short === '' ? null : short;
  }
  if (Array.isArray(value)) return value.map((each) => cleaned(each));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cleaned(each, name)]));
  return value;
}
