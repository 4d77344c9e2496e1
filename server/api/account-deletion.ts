import type { Handlers } from '#server/http/implement.types.ts';
import type { Deletions } from '#server/modules/deletion/index.ts';
import type { CONTRACT } from '#shared/contract/index.ts';
import { iso } from '#shared/time.ts';

/** The deletion of one's own account. */
export function accountDeletionHandlers({
  deletion,
}: {
  readonly deletion: Deletions;
}): Handlers<typeof CONTRACT.accountDeletion> {
  return {
    async get(ctx) {
      const { dueMs, servers, credits, lastOwner } = await deletion.getState(ctx);
      return { due_at: iso(dueMs), servers: [...servers], credits, last_owner: lastOwner };
    },
    request: async (ctx, { body }) => ({ due_at: iso(await deletion.request(ctx, body.password)) }),
    cancel: (ctx) => deletion.cancel(ctx),
  };
}
