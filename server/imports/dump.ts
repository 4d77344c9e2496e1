import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { after, endOfStatement, NoDump, readCreateTable, readInsertHead, readTuple } from './dump-tokens.ts';

/** A row or a statement longer than this is none of a dashboard's. */
const PART_MAX = 64 << 20;

/** Hears what a dump has, in its order. A promise is waited for. */
interface DumpListener {
  /** A table, and its columns with their types. */
  table(name: string, columns: ReadonlyMap<string, string>): void;
  /** Whether rows of a table are wanted: those of others are passed over. */
  wants(table: string): boolean;
  /** A row, one character a byte; with the names of its columns, null where the dump does not say. */
  row(table: string, values: readonly (string | null)[], columns: readonly string[] | null): void;
  /** Bytes that were read so far. */
  progress(bytes: number): void;
}

/** The bytes of a dump, which may be packed by gzip. */
export async function* openDump(path: string): AsyncGenerator<Buffer> {
  const file = await open(path, 'r');
  const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
  await file.close();
  const isPacked = bytesRead === 2 && buffer.readUInt16BE(0) === 0x1f8b;
  const bytes = createReadStream(path, { highWaterMark: 1 << 20 });
  if (!isPacked) {
    yield* bytes as AsyncIterable<Buffer>;
    return;
  }
  const unpacked = createGunzip();
  bytes.on('error', (error) => unpacked.destroy(error));
  yield* bytes.pipe(unpacked) as AsyncIterable<Buffer>;
}

/** What is read of a dump and not yet understood. */
class Window {
  text = '';
  at = 0;
  #bytes = 0;
  readonly #source: AsyncIterator<Buffer>;
  readonly #onBytes: (bytes: number) => void;

  constructor(source: AsyncIterable<Buffer>, onBytes: (bytes: number) => void) {
    this.#source = source[Symbol.asyncIterator]();
    this.#onBytes = onBytes;
  }
  /** Reads on. Out: false at the end. Throws NoDump where one part goes on for ever. */
  async more(): Promise<boolean> {
    if (this.text.length - this.at > PART_MAX) throw new NoDump('a row is longer than 64 MB');
    const parts = [this.text.slice(this.at)];
    // As much again as there is already: a part that is long is not looked through again and again.
    for (let wanted = Math.max(1, parts[0]?.length ?? 0); wanted > 0;) {
      const next = await this.#source.next();
      if (next.done) break;
      this.#bytes += next.value.byteLength;
      parts.push(next.value.toString('latin1'));
      wanted -= next.value.byteLength;
    }
    this.text = parts.join('');
    this.at = 0;
    this.#onBytes(this.#bytes);
    return parts.length > 1;
  }
  /** Reads on until a part is whole; null at the end of the dump. */
  async whole<T>(read: (text: string, at: number) => T | null): Promise<T | null> {
    for (;;) {
      const found = read(this.text, this.at);
      if (found !== null || !(await this.more())) return found;
    }
  }
}

/**
 * Reads a dump of MySQL or MariaDB row by row, in memory that does not grow with it. Nothing of it is run. Throws
 * NoDump where it is none, or is cut off.
 */
export async function readDump(source: AsyncIterable<Buffer>, listener: DumpListener): Promise<void> {
  const window = new Window(source, (bytes) => listener.progress(bytes));
  let delimiter = ';';
  while (await skipBlank(window)) {
    const command = /DELIMITER[ \t]+(\S+)/iy;
    const changed = await window.whole((text, at) =>
      /^DELIMITER/i.test(text.slice(at, at + 9)) ? after(text, '\n', at) : at,
    );
    if (changed !== null && changed > window.at) {
      command.lastIndex = window.at;
      delimiter = command.exec(window.text)?.[1] ?? ';';
      window.at = changed;
    } else if (/^(INSERT|REPLACE)\s/i.test(window.text.slice(window.at, window.at + 8))) {
      await readInsert(window, listener);
    } else {
      const end = await window.whole((text, at) => endOfStatement(text, at, delimiter));
      if (end === null) throw new NoDump('the file ends in the middle of a statement');
      const made = readCreateTable(window.text.slice(window.at, end));
      if (made) listener.table(made.table, made.columns);
      window.at = end;
    }
  }
}

/** Passes over blanks, comments and empty statements. Out: false at the end. */
async function skipBlank(window: Window): Promise<boolean> {
  for (;;) {
    const blank = /[\s;]*/y;
    blank.lastIndex = window.at;
    blank.exec(window.text);
    window.at = blank.lastIndex;
    // A comment is known by its first characters.
    if (window.text.length - window.at < 16 && (await window.more())) continue;
    if (window.at >= window.text.length) return false;
    const mark = window.text.slice(window.at, window.at + 2);
    if (mark !== '--' && mark !== '/*' && mark[0] !== '#') return true;
    const end = await window.whole((text, at) => after(text, mark === '/*' ? '*/' : '\n', at));
    window.at = end ?? window.text.length;
  }
}

/** Reads the rows of one `INSERT`. Throws NoDump. */
async function readInsert(window: Window, listener: DumpListener): Promise<void> {
  const head = await window.whole((text, at) => {
    const found = readInsertHead(text, at);
    // Until its first row is there: VALUES may be cut in two.
    return found && found.end < text.length ? found : text.length - at > 1 << 20 ? { value: null, end: at } : null;
  });
  if (!head?.value) throw new NoDump('an INSERT that is none of a dump');
  const { table, columns } = head.value;
  const wanted = listener.wants(table);
  window.at = head.end;
  for (;;) {
    const row = await window.whole(readTuple);
    if (!row) throw new NoDump('the file ends in the middle of a row');
    if (wanted) listener.row(table, row.value, columns);
    window.at = row.end;
    const mark = await window.whole((text, at) => {
      const found = /\S/g;
      found.lastIndex = at;
      const sign = found.exec(text);
      return sign && { value: sign[0], end: found.lastIndex };
    });
    if (!mark) return;
    window.at = mark.end;
    if (mark.value === ';') return;
    if (mark.value !== ',') throw new NoDump('a comma was expected between two rows');
    const next = await window.whole((text, at) => {
      const found = /\S/g;
      found.lastIndex = at;
      return found.exec(text)?.index ?? null;
    });
    window.at = next ?? window.at;
  }
}
