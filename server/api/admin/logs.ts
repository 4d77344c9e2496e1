import type { Handlers } from '#server/http/implement.types.ts';
import type { Logs } from '#server/modules/logs/index.ts';
import type { adminLogs } from '#shared/contract/logs.ts';
import { iso } from '#shared/time.ts';

/** The page of the log. */
export function logsHandlers({ logs }: { logs: Logs }): Handlers<typeof adminLogs> {
  return {
    async list(_, { query }) {
      const { lines, older, end, level } = await logs.list({
        level: query.level ?? 'debug',
        text: query.q,
        requestId: query.request,
        before: query.before,
        after: query.after,
      });
      return {
        lines: lines.map(({ atMs, requestId, ...line }) => ({ ...line, at: iso(atMs), request_id: requestId })),
        older,
        end,
        level,
      };
    },
    async setLevel(ctx, { body }) {
      await logs.setLevel(ctx, body.level);
      return {};
    },
  };
}
