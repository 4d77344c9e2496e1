import type { Handlers } from '#server/http/implement.types.ts';
import type { Exports } from '#server/modules/exports/index.ts';
import type { CONTRACT } from '#shared/contract/index.ts';
import { iso } from '#shared/time.ts';

/** The export of one's own data. */
export function accountExportHandlers({
  exports,
}: {
  readonly exports: Exports;
}): Handlers<typeof CONTRACT.accountExport> {
  return {
    async get(ctx) {
      const latest = await exports.get(ctx);
      return {
        export: latest && {
          state: latest.state,
          requested_at: iso(latest.requestedMs),
          expires_at: iso(latest.expiresMs),
          size: latest.size,
        },
      };
    },
    request: (ctx) => exports.request(ctx),
    async download(ctx) {
      const { id, bytes } = await exports.download(ctx);
      return { type: 'application/zip', body: bytes, filename: `${ctx.actor.username}.zip`, version: id };
    },
  };
}
