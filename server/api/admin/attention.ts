import type { Handlers } from '#server/http/implement.types.ts';
import type { Attention } from '#server/modules/attention/index.ts';
import type { adminAttention } from '#shared/contract/attention.ts';
import { iso } from '#shared/time.ts';

/** What needs a person, and what the caller puts off of it. */
export function attentionHandlers({ attention }: { readonly attention: Attention }): Handlers<typeof adminAttention> {
  return {
    async list(ctx) {
      const { atMs, items } = await attention.list(ctx);
      return {
        at: iso(atMs),
        items: items.map(({ id, key, count, sinceMs, data, snoozedUntilMs }) => ({
          id,
          key,
          count,
          since: iso(sinceMs),
          data: { ...data },
          snoozed_until: iso(snoozedUntilMs),
        })),
      };
    },
    snooze: async (ctx, { body }) => {
      await attention.snooze(ctx, body.item, body.hours);
      return {};
    },
    unsnooze: async (ctx, { body }) => {
      await attention.unsnooze(ctx, body.item);
      return {};
    },
  };
}
