import type { SettingValues } from '#shared/settings.ts';
import { BackupFault } from '../fault.ts';
import { createRequester, failed, refused, type S3Deps, type S3Place } from './request.ts';
import { objectsIn, tagText } from './xml.ts';

/** What is sent, by pieces of any size. */
interface S3Source {
  readonly bytes: number;
  read(at: number, length: number): Promise<Uint8Array<ArrayBuffer>>;
}
export type S3 = ReturnType<typeof createS3>;

/** The storage that the settings name for backups, or for images; null where something is missing. */
export function s3PlaceOf(values: SettingValues, what: 'backup' | 'image' = 'backup'): S3Place | null {
  const endpoint = values[`${what}_s3_endpoint`].replace(/\/+$/, '');
  const bucket = values[`${what}_s3_bucket`];
  const accessKey = values[`${what}_s3_access_key`];
  const secretKey = values[`${what}_s3_secret_key`];
  if ([endpoint, bucket, accessKey, secretKey].includes('')) return null;
  const region = values[`${what}_s3_region`] || 'us-east-1';
  return { endpoint, region, bucket, prefix: values[`${what}_s3_prefix`], accessKey, secretKey };
}

/** What is sent or fetched by one request; S3 takes no part but the last below 5 MiB. */
const PART = 8 << 20;
/** Parts that an object may have. */
const PARTS_MAX = 10_000;
/** Lists of 1,000 names that are read. */
const PAGES_MAX = 20;

/**
 * A storage that speaks S3, by names of its bucket. Requests are signed (AWS Signature Version 4, the body's hash
 * included, which the storage compares), bounded in time and size, and tried again where no whole answer came. Throws
 * BackupFault: `remote_refused`, `remote_missing`, `remote_failed`.
 */
export function createS3(deps: S3Deps) {
  const { place } = deps;
  const { ask, get, abortUpload } = createRequester(deps);

  /** Size and version of an object; null where there is none. */
  async function find(key: string): Promise<{ bytes: number; etag: string } | null> {
    const { status, headers } = await ask('HEAD', key);
    if (status === 404) return null;
    if (status !== 200) throw refused(`HTTP ${status}`);
    return { bytes: Number(headers.get('content-length') ?? NaN), etag: headers.get('etag') ?? '' };
  }

  /** Sends the parts of an object. Out: their tags, in order. */
  async function sendParts(key: string, uploadId: string, source: S3Source, onBytes: (sent: number) => void) {
    const size = Math.max(PART, Math.ceil(source.bytes / PARTS_MAX));
    const tags: string[] = [];
    for (let at = 0; at < source.bytes; at += size) {
      const body = await source.read(at, Math.min(size, source.bytes - at));
      const query = { partNumber: String(tags.length + 1), uploadId };
      const { headers } = await get('PUT', key, { query, body });
      const tag = headers.get('etag') ?? '';
      if (!/^"?[\w-]{1,128}"?$/.test(tag)) throw failed('a part has no tag');
      tags.push(tag);
      onBytes(at + body.byteLength);
    }
    return tags;
  }

  return {
    find,
    /**
     * Sends an object. It is there whole or not at all: the storage puts the parts together at the end, and then its
     * size is compared.
     */
    async send(key: string, source: S3Source, onBytes: (sent: number) => void = () => undefined): Promise<void> {
      const uploadId = tagText((await get('POST', key, { query: { uploads: '' } })).text, 'UploadId');
      if (uploadId === null) throw failed('it began no upload');
      const query = { uploadId };
      try {
        const tags = await sendParts(key, uploadId, source, onBytes);
        const parts = tags.map((tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${tag}</ETag></Part>`);
        const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
        // An answer that got lost, or that says otherwise than its status, decides nothing: what is there does.
        const said = await get('POST', key, { query, body }).catch((error: unknown) => error);
        if ((await find(key))?.bytes === source.bytes) return;
        throw said instanceof BackupFault ? said : failed('it did not put the parts together');
      } catch (error) {
        await abortUpload(key, query);
        throw error;
      }
    },
    /** The bytes of an object, by pieces that are each whole. Throws where it becomes another one meanwhile. */
    async *read(key: string): AsyncGenerator<Uint8Array> {
      const found = await find(key);
      if (!found) throw new BackupFault('remote_missing', 'The backup is not in the storage.');
      if (!Number.isSafeInteger(found.bytes)) throw failed('it does not say how large it is');
      for (let at = 0; at < found.bytes; at += PART) {
        const expects = Math.min(PART, found.bytes - at);
        const headers = { Range: `bytes=${at}-${at + expects - 1}`, 'If-Match': found.etag };
        yield (await get('GET', key, { headers, expects })).bytes;
      }
    },
    /** Every object below the prefix: its name and size. */
    async list(): Promise<{ key: string; bytes: number }[]> {
      const found: { key: string; bytes: number }[] = [];
      let token: string | null = null;
      for (let page = 0; page < PAGES_MAX; page += 1) {
        const more: Record<string, string> = token === null ? {} : { 'continuation-token': token };
        const { text } = await get('GET', '', { query: { 'list-type': '2', prefix: place.prefix, ...more } });
        if (tagText(text, 'IsTruncated') === null) throw failed('it gave no list');
        found.push(...objectsIn(text));
        token = tagText(text, 'IsTruncated') === 'true' ? tagText(text, 'NextContinuationToken') : null;
        if (token === null) break;
      }
      return found;
    },
    /** Deletes an object; none of this name is fine. */
    async remove(key: string): Promise<void> {
      const answer = await ask('DELETE', key);
      if (answer.status >= 300 && answer.status !== 404)
        throw refused(tagText(new TextDecoder().decode(answer.bytes), 'Code') ?? `HTTP ${answer.status}`);
    },
  };
}
