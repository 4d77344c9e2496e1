import type { DownloadAnswer, Handlers } from '#server/http/implement.types.ts';
import type { SignedIn } from '#server/modules/kernel.ts';
import type { Servers } from '#server/modules/servers/index.ts';
import type { serverBackups as contract } from '#shared/contract/server-backups.ts';
import { ARCHIVE_PART_BYTES } from '#shared/schemas/server-backups.ts';
import { iso } from '#shared/time.ts';
import { downloadInParts } from './part-download.ts';

/** Backups of servers: what the browser asks of the node. */
export function serverBackupsHandlers({
  servers: { backups },
}: {
  readonly servers: Pick<Servers, 'backups'>;
}): Handlers<typeof contract> {
  return {
    async list(ctx, { params }) {
      const { backups: all, most } = await backups.list(ctx, params.id);
      return {
        backups: all.map(({ createdMs, restoredMs, ...backup }) => ({
          ...backup,
          created_at: iso(createdMs),
          restored_at: restoredMs === null ? null : iso(restoredMs),
        })),
        limit: most,
      };
    },
    async create(ctx, { params, body }) {
      await backups.make(ctx, params.id, params.backup, body.name);
    },
    async restore(ctx, { params: { id, backup }, body }) {
      await backups.call(ctx, id, 'restore', { backup, ...body });
    },
    async lock(ctx, { params: { id, backup }, body }) {
      await backups.call(ctx, id, 'lock', { backup, ...body });
    },
    async remove(ctx, { params: { id, backup } }) {
      await backups.call(ctx, id, 'delete', { backup });
    },
    download: (ctx, { params }) => downloadOf(backups, ctx, params),
  };
}

async function downloadOf(
  backups: Servers['backups'],
  ctx: SignedIn,
  { id, backup }: { readonly id: string; readonly backup: string },
): Promise<DownloadAnswer> {
  const read = (from: number, length: number) => backups.call(ctx, id, 'part', { backup, from, length });
  const first = await read(0, ARCHIVE_PART_BYTES);
  const { size, createdMs } = first.value;
  const body = downloadInParts(
    { size, first: first.bytes, most: ARCHIVE_PART_BYTES },
    async (from, length) => (await read(from, length)).bytes,
  );
  return { filename: `backup-${iso(createdMs).slice(0, 16).replaceAll(/[T:]/g, '-')}.tar.gz`, bytes: size, body };
}
