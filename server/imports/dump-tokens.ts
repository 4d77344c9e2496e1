/**
 * The parts of a dump, read from a string of one character a byte. Every function gives null where the text ends before
 * its part does: then it is called again with more.
 */
interface Found<T> {
  readonly value: T;
  /** Where the text goes on. */
  readonly end: number;
}

const ESCAPES: Readonly<Record<string, string>> = { '0': '\0', n: '\n', r: '\r', t: '\t', Z: '\x1a', b: '\b' };

/** Where a quoted text that begins at `at` ends, behind its quote. A backslash escapes, and a doubled quote is one. */
function endOfQuoted(text: string, at: number): number | null {
  const quote = text.charCodeAt(at);
  for (let i = at + 1; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === 92 && quote !== 96) i += 1;
    else if (code === quote) {
      if (i + 1 >= text.length) return null;
      if (text.charCodeAt(i + 1) !== quote) return i + 1;
      i += 1;
    }
  }
  return null;
}

/** The content of a quoted text, quotes included. */
function unquote(quoted: string): string {
  const quote = quoted[0] ?? "'";
  const inner = quoted.slice(1, -1);
  if (!inner.includes('\\') && !inner.includes(quote)) return inner;
  return inner.replaceAll(/\\([\s\S])|''|""|``/g, (part, escaped: string | undefined) =>
    escaped === undefined ? (part[0] ?? '') : (ESCAPES[escaped] ?? escaped),
  );
}

const SPACE = /\s*/y;
const BARE = /[^\s,()'"]+/y;

function skipSpace(text: string, at: number): number {
  SPACE.lastIndex = at;
  SPACE.exec(text);
  return SPACE.lastIndex;
}

/** A value that is not quoted: a number, NULL, a bit or hexadecimal digits, as text. */
function bareValue(word: string): string | null {
  if (/^null$/i.test(word)) return null;
  if (/^0x([0-9a-f]{2})*$/i.test(word)) return Buffer.from(word.slice(2), 'hex').toString('latin1');
  if (/^true$/i.test(word)) return '1';
  return /^false$/i.test(word) ? '0' : word;
}

/** One value of a row. */
function readValue(text: string, from: number): Found<string | null> | null {
  const at = skipSpace(text, from);
  const quote = text[at];
  if (quote === "'" || quote === '"') {
    const end = endOfQuoted(text, at);
    return end === null ? null : { value: unquote(text.slice(at, end)), end };
  }
  BARE.lastIndex = at;
  const word = BARE.exec(text)?.[0] ?? '';
  const end = at + word.length;
  if (end >= text.length) return null;
  // `_binary 'text'`, `b'101'` and `x'4142'`: a word that says how the text after it is meant.
  const quoted = skipSpace(text, end);
  if (quoted >= text.length) return null;
  if (!/^(_\w+|b|x)$/i.test(word) || text[quoted] !== "'") return { value: bareValue(word), end };
  const next = readValue(text, quoted);
  if (next === null || next.value === null) return next;
  if (/^b$/i.test(word)) return { ...next, value: String(Number.parseInt(next.value || '0', 2)) };
  return /^x$/i.test(word) ? { ...next, value: Buffer.from(next.value, 'hex').toString('latin1') } : next;
}

/** Thrown where the text is none that a dump has. */
export class NoDump extends Error {
  override readonly name = 'NoDump';
}

/** A row in brackets that begins at `from`. Throws NoDump. */
export function readTuple(text: string, from: number): Found<(string | null)[]> | null {
  let at = from;
  if (text[at] !== '(') throw new NoDump('a row of values was expected');
  const values: (string | null)[] = [];
  for (;;) {
    const found = readValue(text, at + 1);
    if (found === null) return null;
    values.push(found.value);
    at = skipSpace(text, found.end);
    if (at >= text.length) return null;
    if (text[at] === ')') return { value: values, end: at + 1 };
    if (text[at] !== ',') throw new NoDump('a comma was expected between two values');
  }
}

/** Where a statement ends, behind its delimiter: quotes and comments are passed over. */
export function endOfStatement(text: string, from: number, delimiter: string): number | null {
  const interesting = /['"`]|--[ \t\r\n]|#|\/\*|;+|\/\/|\$\$/g;
  interesting.lastIndex = from;
  for (let part = interesting.exec(text); part !== null; part = interesting.exec(text)) {
    const [mark] = part;
    if (text.startsWith(delimiter, part.index)) return part.index + delimiter.length;
    let end: number | null = interesting.lastIndex;
    if (mark === "'" || mark === '"' || mark === '`') end = endOfQuoted(text, part.index);
    else if (mark === '/*') end = after(text, '*/', interesting.lastIndex);
    else if (mark === '#' || mark.startsWith('--')) end = after(text, '\n', interesting.lastIndex - 1);
    if (end === null) return null;
    interesting.lastIndex = end;
  }
  return null;
}

/** Where a text goes on behind a mark. */
export function after(text: string, mark: string, from: number): number | null {
  const found = text.indexOf(mark, from);
  return found === -1 ? null : found + mark.length;
}

/** The table that `INSERT INTO …` names, its columns where it lists them, and where its rows begin. */
export function readInsertHead(text: string, from: number): Found<{ table: string; columns: string[] | null }> | null {
  const head =
    /(?:INSERT|REPLACE)\s+(?:LOW_PRIORITY\s+|DELAYED\s+|HIGH_PRIORITY\s+)?(?:IGNORE\s+)?INTO\s+(?:`[^`]+`\.)?[`"]?([\w$-]+)[`"]?\s*(\([^)]*\))?\s*VALUES\s*/iy;
  head.lastIndex = from;
  const found = head.exec(text);
  if (!found) return null;
  const columns = found[2]?.slice(1, -1).split(',');
  return {
    value: { table: found[1] ?? '', columns: columns?.map((name) => name.trim().replaceAll(/[`"]/g, '')) ?? null },
    end: head.lastIndex,
  };
}

/** Name of `CREATE TABLE …`, and its columns with their types in lower case; null where a statement is none. */
export function readCreateTable(statement: string): { table: string; columns: Map<string, string> } | null {
  const head = /^\s*CREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(?:`[^`]+`\.)?[`"]?([\w$-]+)[`"]?\s*\(/i.exec(statement);
  if (!head) return null;
  const lines =
    /^\s*(?:[`"]([^`"]+)[`"]|(?!(?:PRIMARY|UNIQUE|KEY|INDEX|CONSTRAINT|FOREIGN|FULLTEXT|SPATIAL|CHECK|PERIOD)\b)(\w+))\s+(\w[^\s,]*)/gim;
  const columns = [...statement.slice(head[0].length).matchAll(lines)].map(
    ([, quoted, bare, type = '']) => [quoted ?? bare ?? '', type.toLowerCase()] as const,
  );
  return { table: head[1] ?? '', columns: new Map(columns) };
}
