import type { Handlers } from '#server/http/implement.types.ts';
import type { Identities } from '#server/modules/identities/index.ts';
import type { linked as contract } from '#shared/contract/discord.ts';
import { iso } from '#shared/time.ts';

/** Linked accounts: the endpoints of behaviour 3.6 that link and unlink. */
export function linkedHandlers({ identities }: { identities: Identities }): Handlers<typeof contract> {
  return {
    async get(ctx) {
      const { available, linked, canUnlink } = await identities.getPage(ctx);
      const identity = linked && {
        id: linked.id,
        name: linked.name,
        linked_at: iso(linked.linkedMs),
        relink: linked.broken,
      };
      return { discord: { available, identity, can_unlink: canUnlink } };
    },
    startDiscord: (ctx) => identities.start(ctx),
    finishDiscord: (ctx, { body }) => identities.finish(ctx, body),
    unlink: (ctx, { params }) => identities.unlink(ctx, params.id),
  };
}
