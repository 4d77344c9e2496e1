import type { Handlers } from '#server/http/implement.types.ts';
import type { Attention } from '#server/modules/attention/index.ts';
import type { adminAttention } from '#shared/contract/attention.ts';

/** What needs a person, and what the caller puts off of it. */
export function attentionHandlers({ attention }: { readonly attention: Attention }): Handlers<typeof adminAttention> {
  return {
    list: (ctx) => attention.list(ctx),
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
