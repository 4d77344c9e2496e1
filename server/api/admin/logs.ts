import type { Handlers } from '#server/http/implement.types.ts';
import type { Logs } from '#server/modules/logs/index.ts';
import type { adminLogs } from '#shared/contract/logs.ts';

/** The page of the log. */
export function logsHandlers({ logs }: { logs: Logs }): Handlers<typeof adminLogs> {
  return {
    list: async (_, { query }) =>
      logs.list({
        level: query.level ?? 'debug',
        text: query.q,
        requestId: query.request,
        before: query.before,
        after: query.after,
      }),
    async setLevel(ctx, { body }) {
      await logs.setLevel(ctx, body.level);
      return {};
    },
  };
}
