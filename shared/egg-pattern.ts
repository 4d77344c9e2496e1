/**
 * Patterns of egg variables (`regex:/^…$/i`), read as the panel's PCRE would and run only where that cannot take long (attacks T52).
 * A backtracking engine needs exponential time for a repeated group that itself repeats, and n^k for k repeats in a row, so the first
 * are refused and the second get a bound on the length of the value.
 */
export interface SafePattern {
  readonly regex: RegExp;
  /** Longest value the pattern may be run on. */
  readonly maxLength: number;
}

/** Steps a pattern may take in the worst case; about ten milliseconds. */
const STEPS = 1_000_000;
/** Longest value that is matched at all. */
const LONGEST = 1000;
/** A repeat that may go on this often counts as endless. */
const ENDLESS = 12;
/** Most times a group that holds a repeat may itself be repeated, and the repeat in it (`(\d{1,3}\.){3}`). */
const NESTED = 5;

/** Syntax that PCRE knows and JavaScript does not, or means differently: possessive and atomic groups, inline flags, POSIX classes … */
const FOREIGN = /\\[hHRKGXQE]|\[\[:|\(\?[>|#&RP0-9+(i-]|\(\*|[*+?}]\+|\\[1-9]|\\k|\\g/;

interface Repeat {
  readonly max: number;
  readonly variable: boolean;
  readonly length: number;
}

/** The quantifier at a place of the pattern, if there is one. */
function repeatAt(source: string, at: number): Repeat | null {
  const match = /^(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/.exec(source.slice(at, at + 24));
  if (!match) return null;
  const sign = match[0][0];
  if (sign === '*' || sign === '+') return { max: Infinity, variable: true, length: match[0].length };
  if (sign === '?') return { max: 1, variable: true, length: match[0].length };
  const low = Number(match[1]);
  const high = match[2] === undefined ? low : match[3] === '' ? Infinity : Number(match[3]);
  return { max: high, variable: high !== low, length: match[0].length };
}

/** End of the character class or escape that starts here (index after it); a plain character is one long. */
function atomEnd(source: string, at: number): number {
  if (source[at] === '\\') {
    const property = /^\\[pPxu](?:\{[^}]{0,40}\}|[0-9a-fA-F]{2,4})?/.exec(source.slice(at, at + 48));
    return at + Math.max(2, property?.[0].length ?? 0);
  }
  if (source[at] !== '[') return at + 1;
  let end = at + (source[at + 1] === '^' ? 2 : 1);
  if (source[end] === ']') return -1;
  while (end < source.length && source[end] !== ']') end += source[end] === '\\' ? 2 : 1;
  return end < source.length ? end + 1 : -1;
}

interface Group {
  /** Largest number of times that something variable in this group may repeat. */
  inner: number;
  branches: number;
  /** Ways to match one text that short repeats and alternatives in it allow. */
  ways: number;
}
const fresh = (): Group => ({ inner: 0, branches: 1, ways: 1 });

/** Adds a part (a group or a single sign) with its repeat to the group around it; false where that could take exponential time. */
function addPart(outer: Group, part: Group | undefined, repeat: Repeat | null): boolean {
  const times = repeat?.max ?? 1;
  if (part && times > 1) {
    if (part.inner > 0 && (times > NESTED || part.inner > NESTED)) return false;
    if (part.branches > 1 && times > NESTED) return false;
  }
  const once = (part?.ways ?? 1) * (part?.branches ?? 1);
  outer.ways *= once ** Math.min(Math.max(times, 1), NESTED);
  if (repeat?.variable && times <= ENDLESS) outer.ways *= times + 1;
  outer.inner = Math.max(outer.inner, part?.inner ?? 0, repeat?.variable ? times : 0);
  if (part && part.branches > 1) outer.inner = Math.max(outer.inner, 1);
  return true;
}

/** How often a pattern repeats without end, and the ways its short repeats allow; null where it is not safe at any length. */
function costOf(source: string): { endless: number; ways: number } | null {
  const stack: Group[] = [fresh()];
  let endless = 0;
  let at = 0;
  while (at < source.length) {
    const sign = source[at];
    const top = stack.at(-1);
    if (!top) return null;
    if (sign === '(') {
      stack.push(fresh());
      at += /^\((?:\?(?:[:=!]|<[=!]|<[A-Za-z_]\w*>))?/.exec(source.slice(at, at + 40))?.[0].length ?? 1;
      continue;
    }
    if (sign === '|') {
      top.branches += 1;
      at += 1;
      continue;
    }
    const closed = sign === ')' ? stack.pop() : undefined;
    const outer = stack.at(-1);
    const end = sign === ')' ? at + 1 : atomEnd(source, at);
    if (!outer || end < 0) return null;
    const repeat = repeatAt(source, end);
    at = end + (repeat?.length ?? 0);
    if (!addPart(outer, closed, repeat)) return null;
    if ((repeat?.max ?? 1) > ENDLESS) endless += 1;
  }
  const whole = stack.length === 1 ? stack[0] : undefined;
  return whole ? { endless, ways: whole.ways * whole.branches } : null;
}

const known = new Map<string, SafePattern | null>();

function build(text: string): SafePattern | null {
  const delimiter = text[0] ?? '';
  const closing = delimiter === '{' ? '}' : delimiter === '(' ? ')' : delimiter === '[' ? ']' : delimiter;
  const last = text.lastIndexOf(closing);
  if (last <= 0 || /[A-Za-z0-9\\\s]/.test(delimiter)) return null;
  const flags = text.slice(last + 1);
  const body = text.slice(1, last).replaceAll(`\\${delimiter}`, delimiter === '/' ? '\\/' : `\\${delimiter}`);
  if (!/^[imsuD]*$/.test(flags) || FOREIGN.test(body)) return null;
  const source = body.replaceAll(/\\A/g, '^').replaceAll(/\\[zZ]/g, '$');
  const cost = costOf(source);
  if (!cost) return null;
  // A pattern that does not begin at the start is tried from every place, which is one more repeat.
  const degree = cost.endless + (source.startsWith('^') && !source.includes('|') ? 0 : 1);
  const maxLength = Math.min(LONGEST, Math.floor((STEPS / cost.ways) ** (1 / Math.max(degree, 1))));
  if (maxLength < 1) return null;
  const mode = flags.replace('D', '') + (/\\[pP]\{/.test(source) && !flags.includes('u') ? 'u' : '');
  try {
    return { regex: new RegExp(source, mode), maxLength };
  } catch {
    return null;
  }
}

/**
 * Reads a PCRE pattern with delimiters. Out: a pattern that may be run on values up to its `maxLength`, or null where it cannot be
 * read here or could take long. Answers are remembered (bounded).
 */
export function patternOf(text: string): SafePattern | null {
  const found = known.get(text);
  if (found !== undefined) return found;
  const pattern = build(text);
  if (known.size >= 1000) known.clear();
  known.set(text, pattern);
  return pattern;
}
