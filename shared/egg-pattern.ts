/**
 * Reads patterns of egg variables (`regex:/^…$/i`), which strangers write: eggs of the community, panels, staff
 * (attacks T52, T58). Only a small syntax is taken, in which PCRE, RE2 and this reader mean the same by every sign;
 * whatever else stands in a pattern leaves its rule to the panel. A pattern is run by an engine without backtracking
 * (egg-matcher.ts); how much of its time it may take is known from here.
 */
export interface ParsedPattern {
  /** The pattern as RE2 takes it, without delimiters. */
  readonly source: string;
  readonly caseless: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
  /** PCRE's UTF mode: signs are code points, else bytes. */
  readonly unicode: boolean;
  /** Most instructions the engine's program has. */
  readonly size: number;
  /** Longest value it may be run on, in signs. */
  readonly maxLength: number;
}

/** Instructions times signs that one run may take: below ten milliseconds with the slowest kind of pattern. */
export const MAX_STEPS = 50_000;
/** Longest value that is matched at all. */
const MAX_VALUE_LENGTH = 1000;
/** Most instructions of one program, which are made in a few milliseconds. */
export const MAX_SIZE = 2500;
/** Highest count of a repeat, nested ones multiplied: RE2's own limit. */
const MAX_COUNT = 1000;
/** Deepest nesting of groups. */
const MAX_DEPTH = 50;

/**
 * What may follow a backslash: classes, anchors, signs without a meaning of their own, code points, general categories
 * of Unicode.
 */
const ESCAPE =
  /\\(?:[dDwWsSbBnrtf]|[!-/:-@[-`{-~ ]|x[0-9a-fA-F]{2}|x\{[0-9a-fA-F]{1,6}\}|[pP](?:[LMNPSZ]|\{(?:L[ulmto]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?)\}))/y;
/** Stands for many signs, or for a place: not the end of a range. */
const MULTI_CHARACTER = /^\\[dDwWsSpP]/;
/** With PCRE's UTF mode PHP lets these mean all of Unicode. */
const PERL_CLASS = /^\\[dDwWsSbB]/;
const GROUP = /\((?!\?)|\(\?:|\(\?P?<([A-Za-z_]\w{0,30})>/y;
const REPEAT = /(?:[*+?]|\{(0|[1-9]\d{0,3})(?:(,)(0|[1-9]\d{0,3})?)?\})\??/y;

/**
 * A part of a pattern: how many instructions it takes, and how often the counted repeats in it copy their innermost
 * part.
 */
interface Part {
  readonly size: number;
  readonly copies: number;
}
const SINGLE_CHARACTER: Part = { size: 1, copies: 1 };

/** What is not of the small syntax. */
class UnsupportedSyntax extends Error {}

/** Reads a pattern from its beginning to its end; every sign is looked at once. */
class Reader {
  private at = 0;
  private depth = 0;
  private readonly names = new Set<string>();
  private readonly source: string;
  private readonly unicode: boolean;
  constructor(source: string, unicode: boolean) {
    this.source = source;
    this.unicode = unicode;
  }

  whole(): Part {
    const part = this.alternatives();
    if (this.at < this.source.length) throw new UnsupportedSyntax();
    return part;
  }

  /** Takes what a sticky expression finds here. */
  private take(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.at;
    const found = expression.exec(this.source);
    if (found) this.at += found[0].length;
    return found;
  }

  private alternatives(): Part {
    let { size, copies } = this.sequence();
    while (this.source[this.at] === '|') {
      this.at += 1;
      const next = this.sequence();
      size += next.size + 2;
      copies = Math.max(copies, next.copies);
    }
    return { size, copies };
  }

  private sequence(): Part {
    // An empty sequence is an instruction as well.
    let [size, copies] = [1, 1];
    while (this.at < this.source.length && !'|)'.includes(this.source[this.at] ?? '')) {
      const part = this.repeated();
      size += part.size;
      copies = Math.max(copies, part.copies);
    }
    return { size, copies };
  }

  private repeated(): Part {
    const sign = this.source[this.at] ?? '';
    const atom = this.atom(sign);
    const repeat = this.take(REPEAT);
    if (!repeat) {
      // A brace that begins no repeat is a sign to one engine and a mistake to another.
      if (/[*+?{}]/.test(this.source[this.at] ?? '')) throw new UnsupportedSyntax();
      return atom ?? SINGLE_CHARACTER;
    }
    // A place cannot be repeated; a repeat of a repeat is possessive to PCRE and a mistake to others.
    if (atom === null || /[*+?{}]/.test(this.source[this.at] ?? '')) throw new UnsupportedSyntax();
    return repeatPart(atom, repeat);
  }

  /** One sign, class or group; null for a place (`^`, `$`, `\b`), which takes no repeat. */
  private atom(sign: string): Part | null {
    if (sign === '(') return this.group();
    if (sign === '[') return this.charClass();
    if (sign === '\\') {
      const escape = this.escape();
      return /^\\[bB]/.test(escape) ? null : SINGLE_CHARACTER;
    }
    if (/[*+?{}\])]/.test(sign) || isControl(sign)) throw new UnsupportedSyntax();
    this.sign();
    return sign === '^' || sign === '$' ? null : SINGLE_CHARACTER;
  }

  /** One sign: a code point. */
  private sign(): number {
    const point = this.source.codePointAt(this.at) ?? 0;
    if (isSurrogate(point)) throw new UnsupportedSyntax();
    this.at += point > 0xff_ff ? 2 : 1;
    return point;
  }

  private escape(): string {
    const found = this.take(ESCAPE)?.[0];
    if (found === undefined || (this.unicode && PERL_CLASS.test(found))) throw new UnsupportedSyntax();
    const point = /^\\x\{?([0-9a-fA-F]+)/.exec(found)?.[1];
    const value = point === undefined ? 0 : Number.parseInt(point, 16);
    if (value > (this.unicode ? 0x10_ff_ff : 0xff) || isSurrogate(value)) throw new UnsupportedSyntax();
    return found;
  }

  private group(): Part {
    const opened = this.take(GROUP);
    const name = opened?.[1];
    this.depth += 1;
    if (!opened || this.depth > MAX_DEPTH || (name !== undefined && this.names.has(name)))
      throw new UnsupportedSyntax();
    if (name !== undefined) this.names.add(name);
    const inner = this.alternatives();
    if (this.source[this.at] !== ')') throw new UnsupportedSyntax();
    this.at += 1;
    this.depth -= 1;
    return { size: inner.size + 2, copies: inner.copies };
  }

  private charClass(): Part {
    this.at += 1;
    if (this.source[this.at] === '^') this.at += 1;
    // Where a class would begin with its end, engines differ.
    if (this.source[this.at] === ']') throw new UnsupportedSyntax();
    while (this.source[this.at] !== ']') {
      const from = this.member();
      if (this.source[this.at] !== '-' || this.source[this.at + 1] === ']') continue;
      // A dash after or before something wide is a sign to some, and a mistake to others.
      if (from === null) throw new UnsupportedSyntax();
      this.at += 1;
      const to = this.member();
      if (to === null || to < from) throw new UnsupportedSyntax();
    }
    this.at += 1;
    return SINGLE_CHARACTER;
  }

  /** A member of a class: its code point, or null where it stands for many. */
  private member(): number | null {
    const sign = this.source[this.at] ?? '';
    if (sign === '' || isControl(sign) || (sign === '[' && /[:.=]/.test(this.source[this.at + 1] ?? '')))
      throw new UnsupportedSyntax();
    if (sign !== '\\') return this.sign();
    const found = this.escape();
    if (/^\\[bB]/.test(found)) throw new UnsupportedSyntax();
    return MULTI_CHARACTER.test(found) ? null : codePointOf(found);
  }
}

const isControl = (sign: string): boolean => /^\p{Cc}/u.test(sign) && sign < '\u0080';
/** Half of a pair of UTF-16. */
const isSurrogate = (point: number): boolean => point >= 0xd8_00 && point <= 0xdf_ff;

/** The code point that an escape of a single sign stands for. */
function codePointOf(escape: string): number {
  const hex = /^\\x\{?([0-9a-fA-F]+)/.exec(escape)?.[1];
  if (hex !== undefined) return Number.parseInt(hex, 16);
  return { n: 10, r: 13, t: 9, f: 12 }[escape[1] ?? ''] ?? escape.codePointAt(1) ?? 0;
}

/** A part with its repeat: counted ones are copied as often as they count. */
function repeatPart(part: Part, repeat: RegExpExecArray): Part {
  const [, low, comma, high] = repeat;
  if (low === undefined) return { size: part.size + 2, copies: part.copies };
  const least = Number(low);
  const most = comma === undefined ? least : high === undefined ? least : Number(high);
  if (most < least || most > MAX_COUNT || part.copies * Math.max(most, 1) > MAX_COUNT) throw new UnsupportedSyntax();
  return { size: (part.size + 1) * Math.max(most, 1) + 3, copies: part.copies * Math.max(most, 1) };
}

/** A pattern that a value's bytes are held against is one of bytes as well. */
function toByteString(source: string): string {
  return String.fromCharCode(...new TextEncoder().encode(source));
}

/**
 * Reads a PCRE pattern with delimiters and flags. Out: what is needed to run it, or null where it is not of the small
 * syntax, or too large: then only the panel can say. Never throws.
 */
export function parsePattern(text: string): ParsedPattern | null {
  const delimiter = text[0] ?? '';
  const last = text.lastIndexOf(delimiter);
  if (last <= 0 || !/^[/#~!@%,;]$/.test(delimiter)) return null;
  const flags = text.slice(last + 1);
  if (!/^[imsuD]*$/.test(flags)) return null;
  const inside = text.slice(1, last);
  // A delimiter in the middle would end PCRE's pattern there.
  if (inside.replaceAll(/\\./gs, '').includes(delimiter)) return null;
  const body = inside.replaceAll(/\\(.)/gs, (pair, sign: string) => (sign === delimiter ? sign : pair));
  const [caseless, unicode] = [flags.includes('i'), flags.includes('u')];
  // What other letters are the same as one without regard to case, engines tell differently.
  if (caseless && (/\\[pP]/.test(body) || (!unicode && /\P{ASCII}|\\x(?:[89a-fA-F]|\{)/u.test(body)))) return null;
  const source = unicode ? body : toByteString(body);
  try {
    const { size } = new Reader(source, unicode).whole();
    const total = size + 4;
    const maxLength = Math.min(MAX_VALUE_LENGTH, Math.floor(MAX_STEPS / total));
    return total > MAX_SIZE
      ? null
      : {
          source,
          caseless,
          unicode,
          multiline: flags.includes('m'),
          dotAll: flags.includes('s'),
          size: total,
          maxLength,
        };
  } catch (error) {
    if (error instanceof UnsupportedSyntax) return null;
    throw error;
  }
}
