import type { DownloadAnswer, Handlers } from '#server/http/implement.types.ts';
import type { SignedIn } from '#server/modules/kernel.ts';
import { fileErrorOf, type Servers } from '#server/modules/servers/index.ts';
import type { serverFiles as contract } from '#shared/contract/server-files.ts';
import { FILE_PART_BYTES, type FileWork } from '#shared/schemas/server-files.ts';
import { iso } from '#shared/time.ts';
import { downloadInParts } from './part-download.ts';

/** The latest moment that there is a text for: a server may give its files any. */
const LATEST_MS = 8.64e15;
const timeOf = (ms: number): string => iso(Math.min(LATEST_MS, Math.max(0, Math.trunc(ms))));

/** Files of servers: what the browser asks of the node. */
export function serverFilesHandlers({
  servers: { files },
}: {
  readonly servers: Pick<Servers, 'files'>;
}): Handlers<typeof contract> {
  return {
    async list(ctx, { params, query }) {
      const input = { path: query.path ?? '', from: query.from ?? 0, find: query.q ?? '' };
      const { entries, work, ...rest } = (await files(ctx, params.id, 'list', input)).value;
      return {
        work: work ? { call: work.call, to: work.to, state: work.state, error: errorOf(work) } : null,
        entries: entries.map(({ modifiedMs, ...entry }) => ({ ...entry, modified_at: timeOf(modifiedMs) })),
        ...rest,
      };
    },
    async open(ctx, { params, query }) {
      const { value, bytes } = await files(ctx, params.id, 'open', query);
      return { text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), version: value.version };
    },
    save: async (ctx, { params, query, body }) =>
      (await files(ctx, params.id, 'save', { path: query.path, version: query.version ?? null }, body)).value,
    download: (ctx, { params, query }) => downloadOf(files, ctx, params.id, query.path),
    async createFolder(ctx, { params, body }) {
      await files(ctx, params.id, 'makeFolder', body);
    },
    async move(ctx, { params, body }) {
      await files(ctx, params.id, 'move', body);
    },
    async pack(ctx, { params, body }) {
      await files(ctx, params.id, 'pack', body);
    },
    async unpack(ctx, { params, body }) {
      await files(ctx, params.id, 'unpack', body);
    },
    async remove(ctx, { params, body }) {
      await files(ctx, params.id, 'delete', body);
    },
    uploaded: async (ctx, { params: { id, upload } }) => (await files(ctx, id, 'received', { upload })).value,
    async upload(ctx, { params: { id, upload }, query: { replace, ...query }, body }) {
      return (await files(ctx, id, 'receive', { ...query, upload, replace: replace === 'true' }, body)).value;
    },
    async discard(ctx, { params: { id, upload } }) {
      await files(ctx, id, 'discard', { upload });
    },
    async bin(ctx, { params }) {
      const { entries, more } = (await files(ctx, params.id, 'bin', {})).value;
      return { entries: entries.map(({ deletedMs, ...entry }) => ({ ...entry, deleted_at: timeOf(deletedMs) })), more };
    },
    async restore(ctx, { params, body }) {
      await files(ctx, params.id, 'restore', body);
    },
    async emptyBin(ctx, { params }) {
      await files(ctx, params.id, 'empty', { ids: null });
    },
  };
}

/** The code of what went wrong after the answer; null: nothing did. */
const errorOf = ({ state, reason }: FileWork): string | null =>
  state === 'failed' ? (fileErrorOf(reason ?? '') ?? 'SERVER_ERROR') : null;

/** The file itself, whatever is in its place by then: its number, which a file that grows keeps. */
const numberOf = (version: string): string => version.split('.')[0] ?? '';

/**
 * A file as it is when the download begins: what is written behind its end meanwhile is not sent. Breaks off where it
 * is replaced or cut short, or the server is no longer the caller's.
 */
async function downloadOf(files: Servers['files'], ctx: SignedIn, id: string, path: string): Promise<DownloadAnswer> {
  const read = (from: number, length: number) => files(ctx, id, 'part', { path, from, length, version: null });
  const { value: first, bytes } = await read(0, FILE_PART_BYTES);
  const body = downloadInParts({ size: first.size, first: bytes, most: FILE_PART_BYTES }, async (from, length) => {
    const part = await read(from, length);
    if (numberOf(part.value.version) !== numberOf(first.version)) throw new Error('the file is another one now');
    return part.bytes;
  });
  return { filename: path.slice(path.lastIndexOf('/') + 1), bytes: first.size, body };
}
