import type { Handlers } from '#server/http/implement.types.ts';
import type { Identity } from '#server/modules/identity/index.ts';
import type { viewing } from '#shared/contract/staff-users.ts';

/** Viewing as a user: the endpoints of behaviour 8.3 that begin and end it. */
export function viewingHandlers({ identity }: { identity: Pick<Identity, 'viewing'> }): Handlers<typeof viewing> {
  return {
    start: (ctx, { params }) => identity.viewing.start(ctx, params.id),
    end: async (ctx) => ({ user_id: await identity.viewing.end(ctx) }),
  };
}
