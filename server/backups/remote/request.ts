import { createHash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import { BackupFault } from '../fault.ts';
import { tagText } from './xml.ts';

/** Where a storage that speaks S3 is, and what opens it. */
export interface S3Place {
  /** `https://s3.example.com`, without a slash at its end; the bucket stands in the path. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** What the names of our objects begin with; may be empty. */
  readonly prefix: string;
  readonly accessKey: string;
  readonly secretKey: string;
}
export interface S3Deps {
  /** The way to services elsewhere: it looks at every address before it is asked (attacks T44). */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly place: S3Place;
  /** Pauses before a request is tried again, in ms. */
  readonly pausesMs?: readonly number[];
  /** How long one request may take, its answer included, in ms. */
  readonly timeoutMs?: number;
}
const PAUSES_MS = [1000, 5000];
const TIMEOUT_MS = 60_000;
/** Bytes of an answer that is no object: a list of 1,000 names is below half of it. */
const TEXT_MAX = 1 << 20;
interface Ask {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer> | string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes that the answer has; absent: a text of any length up to the bound. */
  readonly expects?: number;
}
interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
}

/** Signed requests to a storage that speaks S3. Throws BackupFault, as createS3 says. */
export function createRequester({ fetch, place, pausesMs = PAUSES_MS, timeoutMs = TIMEOUT_MS }: S3Deps) {
  const once = async (method: string, key: string, { query, body, headers, expects }: Ask): Promise<Answered> => {
    const url = new URL(`${place.endpoint}/${place.bucket}${key === '' ? '' : `/${key}`}`);
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
    const signed = await new AwsV4Signer({
      method,
      url: url.href,
      headers: {
        ...headers,
        'X-Amz-Content-Sha256': createHash('sha256')
          .update(body ?? '')
          .digest('hex'),
      },
      ...(body === undefined ? {} : { body }),
      accessKeyId: place.accessKey,
      secretAccessKey: place.secretKey,
      service: 's3',
      region: place.region,
    }).sign();
    const response = await fetch(signed.url.href, {
      method,
      headers: signed.headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
      ...(body === undefined ? {} : { body }),
    });
    const bytes = await boundedBytes(response, response.ok ? (expects ?? TEXT_MAX) : TEXT_MAX);
    if (response.ok && expects !== undefined && bytes.byteLength !== expects) throw new Error('the answer is cut off');
    return { status: response.status, headers: response.headers, bytes };
  };

  /** A request, tried again where no whole answer came or the storage was at fault. */
  async function ask(method: string, key: string, options: Ask = {}): Promise<Answered> {
    let why = '';
    for (const pause of [0, ...pausesMs]) {
      if (pause > 0) await Bun.sleep(pause);
      try {
        const answer = await once(method, key, options);
        if (answer.status < 500 && answer.status !== 429) return answer;
        why = `HTTP ${answer.status}`;
      } catch (error) {
        if (error instanceof Error && error.name === 'OutboundRefused') throw refused(error.message);
        why = error instanceof Error ? error.message : String(error);
      }
    }
    throw failed(why);
  }
  /** A request whose answer has to be a success. Out: its answer. */
  async function get(method: string, key: string, options: Ask = {}): Promise<Answered & { readonly text: string }> {
    const answer = await ask(method, key, options);
    const text = options.expects === undefined ? new TextDecoder().decode(answer.bytes) : '';
    if (answer.status >= 200 && answer.status < 300) return { ...answer, text };
    const code = tagText(new TextDecoder().decode(answer.bytes), 'Code');
    if (answer.status === 404 && key !== '' && code !== 'NoSuchBucket')
      throw new BackupFault('remote_missing', 'The backup is not in the storage.');
    throw refused(code ?? `HTTP ${answer.status}`);
  }

  return {
    ask,
    get,
    /** Gives up an upload that was begun, once: whatever comes of it, what went wrong before counts. */
    abortUpload: (key: string, query: Readonly<Record<string, string>>): Promise<unknown> =>
      once('DELETE', key, { query }).catch(() => undefined),
  };
}

/** The fault of a storage that says no, and of one that gives no whole answer. */
export const refused = (why: string) => new BackupFault('remote_refused', `The storage says no: ${why.slice(0, 200)}.`);
export const failed = (why: string) =>
  new BackupFault('remote_failed', `The storage does not answer as it should: ${why.slice(0, 200)}.`);

/** The body of an answer. Throws where it is longer than it may be. */
async function boundedBytes(response: Response, max: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > max) throw new Error('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
