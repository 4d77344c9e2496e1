import type { Handlers } from '#server/http/implement.types.ts';
import type { UserBulk } from '#server/modules/people/index.ts';
import type { adminUserBulk } from '#shared/contract/user-bulk.ts';

/** Commands on several users at once. */
export function userBulkHandlers({ userBulk }: { readonly userBulk: UserBulk }): Handlers<typeof adminUserBulk> {
  return {
    setRole: (ctx, { body }) => userBulk.setRole(ctx, body.ids, body.role),
    confirm: (ctx, { body }) => userBulk.confirm(ctx, body.ids),
    write: (ctx, { body }) => userBulk.write(ctx, body.ids, body),
  };
}
