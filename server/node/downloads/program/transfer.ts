import { open, rm, type FileHandle } from 'node:fs/promises';
import type { Outbound } from '#server/outbound.ts';
import { SECOND } from '#shared/time.ts';
import { DownloadFailed, type SourceFile } from './plan.ts';

/** Redirects that are followed: each one goes through the same guard. */
const MOST_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Bytes of a file, and of an answer that lists files. */
const MOST_FILE = 1_073_741_824;
const MOST_ANSWER = 8_388_608;
/** How often in a row a source may break off without having sent anything. */
const MOST_BREAKS = 5;
const MB = 1_048_576;

interface Deps {
  readonly ask: Outbound;
  readonly userAgent: string;
  /** A line for the console. */
  readonly print: (text: string) => void;
  /** How long a source may be silent, in ms. */
  readonly silenceMs?: number;
  /** How long to wait before it is asked again, in ms, for the first time; then twice as long each time. */
  readonly pauseMs?: number;
}
interface Call {
  readonly response: Response;
  /** Begins the time anew that the source may be silent. */
  readonly restartSilence: () => void;
  readonly end: () => void;
}
/** An answer that may come out better the next time. */
class Broken extends Error {}

/** Asks a source, and follows redirects. Throws Broken, or DownloadFailed where asking again is of no use. */
const createCall =
  ({ ask, userAgent, silenceMs = 30 * SECOND }: Deps) =>
  async (url: string, headers: Readonly<Record<string, string>>): Promise<Call> => {
    const silence = new AbortController();
    let timer = setTimeout(() => silence.abort(), silenceMs);
    const end = () => {
      clearTimeout(timer);
      silence.abort();
    };
    const restartSilence = () => {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), silenceMs);
    };
    try {
      let at = url;
      for (let hop = 0; hop <= MOST_REDIRECTS; hop += 1) {
        const response = await ask(at, {
          headers: { 'User-Agent': userAgent, 'Accept-Encoding': 'identity', ...headers },
          redirect: 'manual',
          signal: silence.signal,
        });
        if (!REDIRECTS.has(response.status)) return { response, restartSilence, end };
        await response.body?.cancel();
        const next = URL.parse(response.headers.get('location') ?? '', at);
        if (next?.protocol !== 'https:') throw new DownloadFailed('The source leads to an address that is not HTTPS.');
        at = next.href;
      }
      throw new DownloadFailed('The source leads from one address to the next without end.');
    } catch (error) {
      end();
      if (error instanceof DownloadFailed) throw error;
      if (error instanceof Error && error.name === 'OutboundRefused')
        throw new DownloadFailed('The source leads to an address inside a private network.');
      throw new Broken(String(error));
    }
  };

/** Throws where an answer is none. */
function assertOk({ response: { status } }: Call): void {
  if (status === 200 || status === 206) return;
  if (status === 404 || status === 410) throw new DownloadFailed('The source does not have it.');
  if (status === 429 || status >= 500) throw new Broken(`status ${status}`);
  throw new DownloadFailed(`The source refuses (status ${status}).`);
}

/** The parts of a body; each begins the time of silence anew. */
async function* piecesOf({ response, restartSilence }: Call): AsyncGenerator<Uint8Array> {
  if (!response.body) return;
  try {
    for await (const piece of response.body) {
      restartSilence();
      yield piece;
    }
  } catch (error) {
    if (error instanceof DownloadFailed) throw error;
    throw new Broken(String(error));
  }
}

/** Does something again until it comes out, so many times at most without anything gained. */
const patience =
  (pauseMs: number) =>
  async <T>(work: (gained: () => void) => Promise<T>): Promise<T> => {
    for (let breaks = 0; ;) {
      try {
        return await work(() => (breaks = 0));
      } catch (error) {
        if (!(error instanceof Broken)) throw error;
        breaks += 1;
        if (breaks >= MOST_BREAKS) throw new DownloadFailed('The source does not answer.');
        await Bun.sleep(pauseMs * 2 ** (breaks - 1));
      }
    }
  };

export type Transfer = ReturnType<typeof createTransfer>;

/**
 * Reads from sources: over HTTPS, in pieces, with limits on bytes and silence. What breaks off is gone on with where it
 * broke off, or begun anew; a file that is there at the end is whole and has its checksum.
 */
export function createTransfer(deps: Deps) {
  const { print, pauseMs = SECOND } = deps;
  const call = createCall(deps);
  const patiently = patience(pauseMs);
  const text = (url: string): Promise<string> =>
    patiently(async () => {
      const answer = await call(url, { Accept: 'application/json, text/plain' });
      try {
        assertOk(answer);
        const parts: Uint8Array[] = [];
        let size = 0;
        for await (const piece of piecesOf(answer)) {
          size += piece.byteLength;
          if (size > MOST_ANSWER) throw new DownloadFailed('The source answers without end.');
          parts.push(piece);
        }
        return Buffer.concat(parts).toString('utf8');
      } finally {
        answer.end();
      }
    });

  /** Writes a file; `have` bytes of it are there. */
  async function receive(source: SourceFile, file: FileHandle, begun: Begun, gained: () => void): Promise<void> {
    const ranged: Record<string, string> =
      begun.size > 0 && begun.tag !== null ? { Range: `bytes=${begun.size}-`, 'If-Range': begun.tag } : {};
    const answer = await call(source.url, ranged);
    try {
      assertOk(answer);
      const { headers, status } = answer.response;
      const isRest = status === 206 && headers.get('content-range')?.startsWith(`bytes ${begun.size}-`) === true;
      if (status === 206 && !isRest) throw new DownloadFailed('The source sends another part than was asked for.');
      if (!isRest) await begun.beginAnew(file);
      const tag = headers.get('etag');
      begun.tag = tag?.startsWith('"') ? tag : null;
      const length = Number(headers.get('content-length') ?? Number.NaN);
      const most = source.size ?? MOST_FILE;
      const whole = Number.isSafeInteger(length) ? begun.size + length : null;
      if (whole !== null && whole > most) throw new DownloadFailed('The file is larger than it may be.');
      for await (const piece of piecesOf(answer)) {
        if (begun.size + piece.byteLength > most) throw new DownloadFailed('The file is larger than it may be.');
        await begun.add(file, piece);
        gained();
      }
      if (begun.size < (source.size ?? whole ?? 0)) throw new Broken('it broke off');
    } finally {
      answer.end();
    }
  }

  /** Loads a file to a path. It is there when this returns; else it is not. Throws DownloadFailed. */
  async function load(source: SourceFile, path: string): Promise<void> {
    const { checksum } = source;
    for (let time = 0; ; time += 1) {
      const file = await open(path, 'w');
      const begun = new Begun(checksum?.kind ?? 'sha256', source.size, print);
      try {
        await patiently((gained) => receive(source, file, begun, gained));
        await file.sync();
      } catch (error) {
        await rm(path, { force: true });
        throw error;
      } finally {
        await file.close();
      }
      if (checksum === null || begun.digest() === checksum.value) return;
      await rm(path, { force: true });
      // What was put together of two answers may be of two files.
      if (time > 0) throw new DownloadFailed('The file does not have the checksum that its source publishes.');
      print('The file does not have its checksum. Loading it again…');
    }
  }
  return { text, load };
}

/** A file that is being loaded: how much of it is there, and its checksum so far. */
class Begun {
  size = 0;
  /** The version of the file at its source; null: it cannot be gone on with. */
  tag: string | null = null;
  private hasher: Bun.CryptoHasher;
  private reported = 0;
  private readonly kind: Bun.SupportedCryptoAlgorithms;
  private readonly whole: number | null;
  private readonly print: (text: string) => void;
  constructor(kind: Bun.SupportedCryptoAlgorithms, whole: number | null, print: (text: string) => void) {
    this.kind = kind;
    this.whole = whole;
    this.print = print;
    this.hasher = new Bun.CryptoHasher(kind);
  }
  async beginAnew(file: FileHandle): Promise<void> {
    await file.truncate(0);
    this.size = 0;
    this.reported = 0;
    this.hasher = new Bun.CryptoHasher(this.kind);
  }
  async add(file: FileHandle, piece: Uint8Array): Promise<void> {
    for (let done = 0; done < piece.byteLength;)
      done += (await file.write(piece, done, piece.byteLength - done, this.size + done)).bytesWritten;
    this.size += piece.byteLength;
    this.hasher.update(piece);
    const tenths = Math.floor(this.size / (16 * MB));
    if (tenths === this.reported) return;
    this.reported = tenths;
    const of = this.whole === null ? '' : ` of ${Math.ceil(this.whole / MB)}`;
    this.print(`${Math.floor(this.size / MB)}${of} MB`);
  }
  digest(): string {
    return this.hasher.copy().digest('hex');
  }
}
