/**
 * Parses patterns of egg variables (`regex:/^…$/i`), which are untrusted: community eggs, panels, staff (attacks T52,
 * T58). Only a small syntax is supported, which PCRE, RE2 and this parser all read alike; any other pattern is left to
 * the panel. An engine without backtracking runs it (egg-matcher.ts), within the bounds computed here.
 */
export interface ParsedPattern {
  /** The pattern as RE2 takes it, without delimiters. */
  readonly source: string;
  readonly caseless: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
  /** PCRE's UTF mode: characters are code points, else bytes. */
  readonly unicode: boolean;
  /** Upper bound of the engine's program size, in instructions. */
  readonly size: number;
  /** Longest value it may be run on, in characters. */
  readonly maxLength: number;
}

/** Bound of instructions times characters in one run: below ten milliseconds with the slowest kind of pattern. */
export const MAX_STEPS = 50_000;
/** Longest value that is matched at all. */
const MAX_VALUE_LENGTH = 1000;
/** Maximum instructions of one program, compiled in a few milliseconds. */
export const MAX_SIZE = 2500;
/** Highest count of a repeat, nested ones multiplied: RE2's own limit. */
const MAX_COUNT = 1000;
/** Deepest nesting of groups. */
const MAX_DEPTH = 50;

/** What may follow a backslash: classes, anchors, escaped punctuation, code points, general categories of Unicode. */
const ESCAPE =
  /\\(?:[dDwWsSbBnrtf]|[!-/:-@[-`{-~ ]|x[0-9a-fA-F]{2}|x\{[0-9a-fA-F]{1,6}\}|[pP](?:[LMNPSZ]|\{(?:L[ulmto]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?)\}))/y;
/** Matches many characters, or a position: cannot end a range. */
const MULTI_CHARACTER = /^\\[dDwWsSpP]/;
/** With PCRE's UTF mode PHP lets these mean all of Unicode. */
const PERL_CLASS = /^\\[dDwWsSbB]/;
const GROUP = /\((?!\?)|\(\?:|\(\?P?<([A-Za-z_]\w{0,30})>/y;
const REPEAT = /(?:[*+?]|\{(0|[1-9]\d{0,3})(?:(,)(0|[1-9]\d{0,3})?)?\})\??/y;

/** A part of a pattern: its instructions, and how often its counted repeats copy their innermost part. */
interface Part {
  readonly size: number;
  readonly copies: number;
}
const SINGLE_CHARACTER: Part = { size: 1, copies: 1 };

/** Thrown for unsupported syntax. */
class UnsupportedSyntax extends Error {}

/** Parses a pattern in one pass. */
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

  /** Consumes what a sticky expression matches here. */
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
      // A brace that begins no repeat is a literal to one engine and an error to another.
      if (/[*+?{}]/.test(this.source[this.at] ?? '')) throw new UnsupportedSyntax();
      return atom ?? SINGLE_CHARACTER;
    }
    // A position cannot be repeated; a repeat of a repeat is possessive to PCRE and an error to others.
    if (atom === null || /[*+?{}]/.test(this.source[this.at] ?? '')) throw new UnsupportedSyntax();
    return repeatPart(atom, repeat);
  }

  /** One character, class or group; null for a position (`^`, `$`, `\b`), which cannot be repeated. */
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

  /** One character: a code point. */
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
    // Engines differ on a class that begins with its end.
    if (this.source[this.at] === ']') throw new UnsupportedSyntax();
    while (this.source[this.at] !== ']') {
      const from = this.member();
      if (this.source[this.at] !== '-' || this.source[this.at + 1] === ']') continue;
      // A dash next to a multi-character member is a literal to some engines, and an error to others.
      if (from === null) throw new UnsupportedSyntax();
      this.at += 1;
      const to = this.member();
      if (to === null || to < from) throw new UnsupportedSyntax();
    }
    this.at += 1;
    return SINGLE_CHARACTER;
  }

  /** A member of a class: its code point, or null if it matches many. */
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
/** Half of a UTF-16 surrogate pair. */
const isSurrogate = (point: number): boolean => point >= 0xd8_00 && point <= 0xdf_ff;

/** The code point of an escape of a single character. */
function codePointOf(escape: string): number {
  const hex = /^\\x\{?([0-9a-fA-F]+)/.exec(escape)?.[1];
  if (hex !== undefined) return Number.parseInt(hex, 16);
  return { n: 10, r: 13, t: 9, f: 12 }[escape[1] ?? ''] ?? escape.codePointAt(1) ?? 0;
}

/** Applies a repeat to a part: counted repeats copy the part. */
function repeatPart(part: Part, repeat: RegExpExecArray): Part {
  const [, low, comma, high] = repeat;
  if (low === undefined) return { size: part.size + 2, copies: part.copies };
  const least = Number(low);
  const most = comma === undefined ? least : high === undefined ? least : Number(high);
  if (most < least || most > MAX_COUNT || part.copies * Math.max(most, 1) > MAX_COUNT) throw new UnsupportedSyntax();
  return { size: (part.size + 1) * Math.max(most, 1) + 3, copies: part.copies * Math.max(most, 1) };
}

/** Encodes a pattern as bytes, to match against a value's bytes. */
function toByteString(source: string): string {
  return String.fromCharCode(...new TextEncoder().encode(source));
}

/**
 * Reads a PCRE pattern with delimiters and flags. Out: what is needed to run it; null if the syntax is unsupported or
 * the pattern too large: then only the panel can check it. Never throws.
 */
export function parsePattern(text: string): ParsedPattern | null {
  const delimiter = text[0] ?? '';
  const last = text.lastIndexOf(delimiter);
  if (last <= 0 || !/^[/#~!@%,;]$/.test(delimiter)) return null;
  const flags = text.slice(last + 1);
  if (!/^[imsuD]*$/.test(flags)) return null;
  const inside = text.slice(1, last);
  // An unescaped delimiter would end PCRE's pattern there.
  if (inside.replaceAll(/\\./gs, '').includes(delimiter)) return null;
  const body = inside.replaceAll(/\\(.)/gs, (pair, sign: string) => (sign === delimiter ? sign : pair));
  const [caseless, unicode] = [flags.includes('i'), flags.includes('u')];
  // Engines differ in case folding outside ASCII.
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
