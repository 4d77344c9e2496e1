import { parsePattern } from './egg-pattern.ts';
import type { FieldCode } from './errors.ts';

/**
 * Checks the values of egg variables by the Laravel rule strings that eggs carry (behaviour 6.1), the way the panel
 * would, so that a wrong value is a field error and not a failed installation. A rule that is unknown here, or whose
 * pattern is unsafe to run, is left to the panel and listed in `unchecked`.
 */
interface Rule {
  readonly name: string;
  readonly args: readonly string[];
  /** The rule as written, for reports. */
  readonly text: string;
}
interface RuleResult {
  /** REQUIRED or RULE_FAILED, or null if the value passes. */
  readonly code: FieldCode | null;
  /** Rules that were left to the panel. */
  readonly unchecked: readonly string[];
}
/** How a form should ask for a value with these rules. */
interface RuleField {
  readonly kind: 'text' | 'number' | 'switch' | 'select';
  readonly options: readonly string[];
  readonly required: boolean;
}

/** Longest value that is checked; the schema refuses longer ones (shared/schemas/server.ts). */
const MAX_VALUE = 1000;
/** Longest rule string that is read. Eggs have a few dozen characters. */
const MAX_RULES = 2000;

/** Takes the first rule off a rule string. A pattern may contain the separator, so it ends at its closing delimiter. */
function takeRule(text: string): { rule: string; rest: string } {
  const pattern = /^(?:not_)?regex:/.exec(text);
  const delimiter = pattern ? text[pattern[0].length] : undefined;
  if (pattern && delimiter) {
    for (let at = pattern[0].length + 1; at < text.length; at += 1) {
      if (text[at] === '\\') {
        at += 1;
        continue;
      }
      if (text[at] !== delimiter) continue;
      const flags = /^[A-Za-z]*/.exec(text.slice(at + 1))?.[0] ?? '';
      const end = at + 1 + flags.length;
      if (end === text.length || text[end] === '|') return { rule: text.slice(0, end), rest: text.slice(end + 1) };
    }
  }
  const end = text.indexOf('|');
  return end < 0 ? { rule: text, rest: '' } : { rule: text.slice(0, end), rest: text.slice(end + 1) };
}

/** Splits the arguments of a rule at commas; a part in double quotes may contain commas. */
function argumentsOf(text: string): string[] {
  const parts: string[] = [];
  let part = '';
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? '';
    if (sign === '"' && quoted && text[at + 1] === '"') {
      part += '"';
      at += 1;
    } else if (sign === '"' && (quoted || part === '')) quoted = !quoted;
    else if (sign === ',' && !quoted) {
      parts.push(part);
      part = '';
    } else part += sign;
  }
  return [...parts, part];
}

/** Splits a rule string into rules. Never throws; nonsense becomes unknown rules. */
function splitRules(text: string): Rule[] {
  const rules: Rule[] = [];
  let rest = text.slice(0, MAX_RULES).trim();
  while (rest !== '') {
    const next = takeRule(rest);
    rest = next.rest;
    const written = next.rule.trim();
    if (written === '') continue;
    const colon = written.indexOf(':');
    const name = (colon < 0 ? written : written.slice(0, colon)).toLowerCase();
    const tail = colon < 0 ? null : written.slice(colon + 1);
    const args = tail === null ? [] : name.endsWith('regex') ? [tail] : argumentsOf(tail);
    rules.push({ name, args, text: written });
  }
  return rules;
}

/** Rules whose first argument must be a number. */
const NUMERIC_ARGUMENT_RULES: ReadonlySet<string> = new Set([
  'max',
  'min',
  'size',
  'between',
  'gt',
  'gte',
  'lt',
  'lte',
  'multiple_of',
  'digits',
  'digits_between',
  'min_digits',
  'max_digits',
  'decimal',
]);

/** Whether no panel could parse a rule. */
function isMalformed(rule: Rule): boolean {
  if (!/^[a-z][a-z0-9_]*$/.test(rule.name)) return true;
  if (rule.name === 'regex' || rule.name === 'not_regex')
    return !/^([^A-Za-z0-9\\\s]).*[^A-Za-z0-9\\\s][A-Za-z]*$/.test(rule.args[0] ?? '');
  return (
    NUMERIC_ARGUMENT_RULES.has(rule.name) && (rule.args.length === 0 || rule.args.some((arg) => !NUMERIC.test(arg)))
  );
}

/** Parses a rule string; null if it is too long or a rule is malformed (a pattern without delimiters, `max:`). */
export function parseRules(text: string): Rule[] | null {
  if (text.length > MAX_RULES) return null;
  const rules = splitRules(text);
  return rules.some(isMalformed) ? null : rules;
}

const NUMERIC = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const INTEGER = /^\s*[+-]?(?:0|[1-9]\d{0,18})\s*$/;
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const EMAIL = /^[^\s@]{1,64}@[^\s@.]+(?:\.[^\s@.]+)*$/;
const ALPHA = /^[\p{L}\p{M}]+$/u;
const ALPHA_NUM = /^[\p{L}\p{M}\p{N}]+$/u;
const ALPHA_DASH = /^[\p{L}\p{M}\p{N}_-]+$/u;

function isIpv6(value: string): boolean {
  const halves = value.split('::');
  if (!/^[0-9a-fA-F:.]{2,45}$/.test(value) || halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const last = groups.at(-1) ?? '';
  const tail = last.includes('.') ? groups.pop() : undefined;
  if (tail !== undefined && !IPV4.test(tail)) return false;
  const count = groups.length + (tail === undefined ? 0 : 2);
  return groups.every((part) => /^[0-9a-fA-F]{1,4}$/.test(part)) && (halves.length === 2 ? count < 8 : count === 8);
}
function isUrl(value: string, schemes: readonly string[]): boolean {
  const match = /^([a-zA-Z][a-zA-Z0-9+.-]*):\/\/[^\s/?#]+[^\s]*$/.exec(value);
  return (
    match !== null && URL.canParse(value) && (schemes.length === 0 || schemes.includes((match[1] ?? '').toLowerCase()))
  );
}
function isJson(value: string): boolean {
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}

/** The size that size rules compare: the number itself if the rules say it is numeric, else the number of characters. */
function sizeOf(value: string, numeric: boolean): number {
  return numeric && NUMERIC.test(value) ? Number(value) : [...value].length;
}
/**
 * Makes a check that compares the size with numeric arguments; null if an argument is not a number (then the rule is
 * left to the panel).
 */
function sizeCheck(test: (size: number, ...bounds: number[]) => boolean, count: number) {
  return (value: string, args: readonly string[], numeric: boolean): boolean | null => {
    const bounds = args.slice(0, count).map(Number);
    if (bounds.length < count || bounds.some((bound) => !Number.isFinite(bound))) return null;
    return test(sizeOf(value, numeric), ...bounds);
  };
}
const digitsCheck =
  (test: (length: number, low: number, high: number) => boolean) => (value: string, args: readonly string[]) => {
    const [low = NaN, high = low] = args.map(Number);
    return Number.isNaN(low) ? null : /^\d+$/.test(value) && test(value.length, low, high);
  };
const patternTest = (pattern: RegExp, ascii?: RegExp) => (value: string, args: readonly string[]) =>
  (args[0] === 'ascii' && ascii ? ascii : pattern).test(value);

/** Whether a number has the given number of decimals, or a number of them in the given range. */
function hasDecimals(value: string, args: readonly string[]): boolean | null {
  const [low = NaN, high = low] = args.map(Number);
  if (Number.isNaN(low) || Number.isNaN(high)) return null;
  const decimals = /^[+-]?\d*\.?(\d*)$/.exec(value)?.[1]?.length;
  return NUMERIC.test(value) && decimals !== undefined && decimals >= low && decimals <= high;
}

type Check = (value: string, args: readonly string[], numeric: boolean) => boolean | null;
const always: Check = () => true;

/** Runs a pattern (egg-matcher.ts); null if only the panel can check it. `among`: how many patterns share the time. */
export type MatchPattern = (text: string, value: string, among: number) => boolean | null;
const isPattern = ({ name }: Rule): boolean => name === 'regex' || name === 'not_regex';
/** Maximum patterns run for one variable; eggs have one. */
const MAX_PATTERNS = 4;

const CHECKS: Readonly<Record<string, Check>> = {
  required: (value) => value.trim() !== '',
  filled: (value) => value.trim() !== '',
  nullable: always,
  sometimes: always,
  present: always,
  bail: always,
  string: always,
  numeric: patternTest(NUMERIC),
  decimal: hasDecimals,
  integer: patternTest(INTEGER),
  int: patternTest(INTEGER),
  boolean: (value) => value === '0' || value === '1',
  bool: (value) => value === '0' || value === '1',
  accepted: (value) => ['yes', 'on', '1', 'true'].includes(value),
  declined: (value) => ['no', 'off', '0', 'false'].includes(value),
  max: sizeCheck((size, bound) => size <= bound, 1),
  min: sizeCheck((size, bound) => size >= bound, 1),
  size: sizeCheck((size, bound) => size === bound, 1),
  between: sizeCheck((size, low, high) => size >= low && size <= high, 2),
  gt: sizeCheck((size, bound) => size > bound, 1),
  gte: sizeCheck((size, bound) => size >= bound, 1),
  lt: sizeCheck((size, bound) => size < bound, 1),
  lte: sizeCheck((size, bound) => size <= bound, 1),
  multiple_of: sizeCheck((size, step) => step !== 0 && Math.abs(size / step - Math.round(size / step)) < 1e-9, 1),
  digits: digitsCheck((length, exact) => length === exact),
  digits_between: digitsCheck((length, low, high) => length >= low && length <= high),
  min_digits: digitsCheck((length, low) => length >= low),
  max_digits: digitsCheck((length, high) => length <= high),
  in: (value, args) => args.includes(value),
  not_in: (value, args) => !args.includes(value),
  alpha: patternTest(ALPHA, /^[A-Za-z]+$/),
  alpha_num: patternTest(ALPHA_NUM, /^[A-Za-z0-9]+$/),
  alpha_dash: patternTest(ALPHA_DASH, /^[A-Za-z0-9_-]+$/),
  ascii: (value) => [...value].every((sign) => (sign.codePointAt(0) ?? 128) < 128),
  lowercase: (value) => value === value.toLowerCase(),
  uppercase: (value) => value === value.toUpperCase(),
  starts_with: (value, args) => args.some((part) => value.startsWith(part)),
  ends_with: (value, args) => args.some((part) => value.endsWith(part)),
  doesnt_start_with: (value, args) => !args.some((part) => value.startsWith(part)),
  doesnt_end_with: (value, args) => !args.some((part) => value.endsWith(part)),
  url: (value, args) => isUrl(value, args),
  ip: (value) => IPV4.test(value) || isIpv6(value),
  ipv4: patternTest(IPV4),
  ipv6: (value) => isIpv6(value),
  mac_address: patternTest(/^[0-9a-fA-F]{2}([:-])(?:[0-9a-fA-F]{2}\1){4}[0-9a-fA-F]{2}$/),
  uuid: patternTest(UUID),
  email: patternTest(EMAIL),
  json: (value) => isJson(value),
  port: (value) => /^\d{1,5}$/.test(value) && Number(value) >= 1 && Number(value) <= 65_535,
};

/** Rules that apply to an empty value even with `nullable`. */
const PRESENCE_RULES: ReadonlySet<string> = new Set(['required', 'filled', 'accepted', 'declined']);
/**
 * Rules that an empty value satisfies without `nullable`. The panel turns an empty text into null before it applies the
 * rules (panel contract, section 1), and null is neither a string nor a number, is in no list and matches no pattern:
 * so most rules fail then. Sizes count null as 0.
 */
const SATISFIED_BY_NULL: ReadonlySet<string> = new Set([
  'nullable',
  'sometimes',
  'present',
  'bail',
  'not_in',
  'doesnt_start_with',
  'doesnt_end_with',
]);
const SIZE_RULES: ReadonlySet<string> = new Set(['max', 'min', 'size', 'between', 'gt', 'gte', 'lt', 'lte']);
/** Rules that make size rules compare the number instead of the length. */
const NUMBER_RULES: ReadonlySet<string> = new Set(['numeric', 'integer', 'int', 'decimal']);

/** Whether an empty value satisfies a rule that is not skipped for it; null if unknown. */
function passesWhenEmpty(rule: Rule, check: Check): boolean | null {
  if (SATISFIED_BY_NULL.has(rule.name)) return true;
  if (SIZE_RULES.has(rule.name)) return check('', rule.args, false);
  return rule.name === 'in' && rule.args.includes('');
}

/** Makes the check of a rule with a pattern. */
function patternCheck({ name, args }: Rule, match: MatchPattern, among: number): Check {
  return (value) => {
    const fits = among > MAX_PATTERNS ? null : match(args[0] ?? '', value, among);
    return fits === null ? null : fits === (name === 'regex');
  };
}

/** Runs the rules until one fails; unknown ones are added to `unchecked`. */
function findFailingRule(rules: readonly Rule[], value: string, match: MatchPattern, unchecked: string[]): Rule | null {
  const among = rules.filter(isPattern).length;
  const numeric = rules.some((rule) => NUMBER_RULES.has(rule.name));
  const empty = value.trim() === '';
  const nullable = rules.some((rule) => rule.name === 'nullable');
  for (const rule of rules) {
    if (empty && nullable && !PRESENCE_RULES.has(rule.name)) continue;
    const check = isPattern(rule)
      ? patternCheck(rule, match, among)
      : Object.hasOwn(CHECKS, rule.name)
        ? CHECKS[rule.name]
        : undefined;
    const verdict = !check ? null : empty ? passesWhenEmpty(rule, check) : check(value, rule.args, numeric);
    if (verdict === null) unchecked.push(rule.text);
    else if (!verdict) return rule;
  }
  return null;
}

/**
 * Checks a value by a rule string. In: the egg's rules (`required|string|max:20`), the value as text, and the pattern
 * engine: without it (it is too large to load on every page) patterns are left unchecked. Out: the code of the first
 * rule that fails (REQUIRED if the value is missing, else RULE_FAILED) and the unchecked rules.
 */
export function checkRules(text: string, value: string, match: MatchPattern = () => null): RuleResult {
  if (value.length > MAX_VALUE) return { code: 'TOO_LONG', unchecked: [] };
  const unchecked: string[] = [];
  const broken = findFailingRule(splitRules(text), value, match, unchecked);
  return { code: broken ? (value.trim() === '' ? 'REQUIRED' : 'RULE_FAILED') : null, unchecked };
}

/** Whether a rule string has patterns, which need the engine. */
export function hasPatterns(text: string): boolean {
  return splitRules(text).some(isPattern);
}

/** The rules of a string that only the panel checks, for the egg's form. */
export function uncheckedRules(text: string): string[] {
  const rules = splitRules(text);
  const many = rules.filter(isPattern).length > MAX_PATTERNS;
  return rules
    .filter((rule) => (isPattern(rule) ? many || !parsePattern(rule.args[0] ?? '') : !Object.hasOwn(CHECKS, rule.name)))
    .map((rule) => rule.text);
}

/** The form field for a value: a select if the rules list the values, a switch for 0/1, a number, else a line of text. */
export function formFieldFor(text: string): RuleField {
  const rules = splitRules(text);
  const named = (...names: string[]) => rules.find((rule) => names.includes(rule.name));
  const required = named('required', 'filled') !== undefined;
  const choice = named('in');
  if (choice) return { kind: 'select', options: choice.args, required };
  if (named('boolean', 'bool')) return { kind: 'switch', options: ['0', '1'], required };
  return { kind: named('numeric', 'integer', 'int') ? 'number' : 'text', options: [], required };
}
