import type { Handlers } from '#server/http/implement.types.ts';
import type { SignedIn } from '#server/modules/kernel.ts';
import type { UserBulk, UserBulkAll, UserListQuery } from '#server/modules/people/index.ts';
import { userListQuery } from '#shared/contract/economy.ts';
import type { adminUserBulk } from '#shared/contract/user-bulk.ts';
import { fieldError } from '#shared/errors.ts';
import { iso } from '#shared/time.ts';
import { toQuestion } from './user-list.ts';

interface Services {
  readonly userBulk: UserBulk;
  readonly userBulkAll: UserBulkAll;
}

/** Commands on several users at once, and on all who fit a filter. */
export function userBulkHandlers({ userBulk, userBulkAll }: Services): Handlers<typeof adminUserBulk> {
  return {
    setRole: (ctx, { body }) => userBulk.setRole(ctx, body.ids, body.role),
    confirm: (ctx, { body }) => userBulk.confirm(ctx, body.ids),
    write: (ctx, { body }) => userBulk.write(ctx, body.ids, body),
    countAll: async (ctx, { query }) => ({ count: await userBulkAll.count(ctx, toQuestion(ctx, query), ctx.signal) }),
    setRoleAll: (ctx, { body }) =>
      userBulkAll.start(ctx, 'setRole', parseFilter(ctx, body.filter), { role: body.role }),
    confirmAll: (ctx, { body }) => userBulkAll.start(ctx, 'confirm', parseFilter(ctx, body.filter), {}),
    writeAll: (ctx, { body: { filter, subject, text } }) =>
      userBulkAll.start(ctx, 'write', parseFilter(ctx, filter), { subject, text }),
    async latestRun(ctx) {
      const run = await userBulkAll.latest(ctx);
      if (!run) return { run: null };
      const { id, kind, state, by, total, done, refused, createdMs, finishedMs } = run;
      const times = { started_at: iso(createdMs), finished_at: iso(finishedMs) };
      return { run: { id, kind, state, by, total, done, refused, ...times } };
    },
    cancelRun: (ctx, { params }) => userBulkAll.cancel(ctx, params.id),
  };
}

/** The question of a filter. Throws VALIDATION_FAILED at `filter` for what is none: nobody is meant by mistake. */
function parseFilter(ctx: SignedIn, text: string): UserListQuery {
  const given = Object.fromEntries(new URLSearchParams(text));
  const parsed = userListQuery.safeParse(given);
  const known: Readonly<Record<string, unknown>> = userListQuery.shape;
  if (!parsed.success || Object.keys(given).some((name) => !(name in known))) throw fieldError('filter', 'INVALID');
  return toQuestion(ctx, parsed.data);
}
