import type { Handlers } from '#server/http/implement.types.ts';
import type { Identity } from '#server/modules/identity/index.ts';
import type { adminViewing, viewing } from '#shared/contract/staff-users.ts';

interface ViewingServices {
  readonly identity: Pick<Identity, 'viewing'>;
}

/** Viewing as a user (behaviour 8.3): how staff begin it. */
export function adminViewingHandlers({ identity }: ViewingServices): Handlers<typeof adminViewing> {
  return { start: (ctx, { params }) => identity.viewing.start(ctx, params.id) };
}

/** How who views ends it. */
export function viewingHandlers({ identity }: ViewingServices): Handlers<typeof viewing> {
  return { end: async (ctx) => ({ user_id: await identity.viewing.end(ctx) }) };
}
