import { UPLOAD_PART_BYTES } from '#shared/backups.ts';
import { ApiError } from '#shared/contract/client.ts';

/** How often a part is sent that got no answer, and the pause before, in ms. */
const TRIES = 5;
const PAUSE_MS = 3000;

/** One part: the whole it belongs to, which one it is, from 0, and how many there are. */
interface FilePart {
  readonly params: { readonly upload: string };
  readonly query: { readonly part: string; readonly parts: string };
  readonly body: Uint8Array<ArrayBuffer>;
}

/** A name for an upload; not of the browser's own making, which pages without HTTPS lack. */
export const newUploadId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

/** Sends a file part by part, so that it may be of any size. Out: the id of what it became. Throws ApiError. */
export async function sendParts(
  send: (part: FilePart) => Promise<{ readonly id: string | null }>,
  file: File,
  onSent: (bytes: number) => void,
): Promise<string | null> {
  const upload = newUploadId();
  const parts = Math.ceil(file.size / UPLOAD_PART_BYTES);
  let id: string | null = null;
  for (let part = 0; part < parts; part += 1) {
    const slice = file.slice(part * UPLOAD_PART_BYTES, (part + 1) * UPLOAD_PART_BYTES);
    const body = new Uint8Array(await slice.arrayBuffer());
    ({ id } = await withRetries(() =>
      send({ params: { upload }, query: { part: String(part), parts: String(parts) }, body }),
    ));
    onSent(part * UPLOAD_PART_BYTES + slice.size);
  }
  return id;
}

/** Asks again where no answer came, or where too much was sent at once. Throws ApiError. */
export async function withRetries<T>(call: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1)
    try {
      return await call();
    } catch (error) {
      const passing = !(error instanceof ApiError) || error.status >= 500 || error.code === 'RATE_LIMITED';
      if (!passing || tries === TRIES)
        throw error instanceof ApiError ? error : new ApiError('SERVER_UNAVAILABLE', 503);
      const pauseMs = error instanceof ApiError && error.retryAfterS ? error.retryAfterS * 1000 : PAUSE_MS;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
}
