import { statement, statementCsv, type StatementDeps } from '#server/api/statement.ts';
import type { Handlers, SignedInCtx } from '#server/http/implement.types.ts';
import type { SignedIn } from '#server/modules/kernel.ts';
import type { People, UserDetails } from '#server/modules/people/index.ts';
import type { Profiles } from '#server/modules/profiles/index.ts';
import type { Store } from '#server/modules/store/index.ts';
import type { adminUsers } from '#shared/contract/economy.ts';
import { confirmationOf } from '#shared/confirmation.ts';
import { fieldError } from '#shared/errors.ts';
import { can } from '#shared/permissions.ts';
import { iso } from '#shared/time.ts';
import { userListHandlers } from './user-list.ts';

interface Services extends StatementDeps {
  readonly people: People;
  readonly profiles: Pick<Profiles, 'badges'>;
  readonly asksVerification: () => boolean;
  readonly store: Pick<Store, 'refund'>;
}

/** Users as staff see them, as far as the economy goes. */
export function usersHandlers(services: Services): Handlers<typeof adminUsers> {
  const { people, store } = services;
  return {
    ...userListHandlers(services),
    async get(ctx, { params }) {
      const view = toView(await people.view(ctx, params.id), services.asksVerification());
      const badges = await services.profiles.badges([params.id]);
      return { ...view, badge: badges.get(params.id) ?? null };
    },
    async statement(ctx, { params, query }) {
      await people.assertExists(params.id);
      return statement(services, staffReader(ctx, params.id), query);
    },
    async statementCsv(ctx, { params, query }) {
      await people.assertExists(params.id);
      return statementCsv(services, staffReader(ctx, params.id), query);
    },
    adjust: (ctx, { params, body }) =>
      people.adjust(ctx, params.id, {
        amount: body.direction === 'in' ? body.amount : -body.amount,
        reason: body.reason,
        reference: body.reference,
      }),
    async find(_, { query: { login, discord_id: discordId } }) {
      if ((login === undefined) === (discordId === undefined)) throw fieldError('login', 'REQUIRED');
      const found = await people.find(login === undefined ? { discordId: discordId ?? '' } : { login });
      const { user, role, balance, held, debt } = found;
      return {
        user: {
          id: user.id,
          username: user.username,
          email: user.email,
          status: user.status,
          role,
          credits: balance,
          held,
          debt,
          verified: confirmationOf(user.verifiedMs, services.asksVerification()) === 'confirmed',
          discord_id: found.discordId,
        },
      };
    },
    refund: (ctx, { params }) => store.refund(ctx, params.purchase, params.id),
  };
}

const hidesCodes = ({ actor }: SignedIn): boolean => !can(actor.permissions, 'admin.redeem.codes.list');

const staffReader = (ctx: SignedInCtx, userId: string) => ({
  userId,
  staff: true,
  hidesCodes: hidesCodes(ctx),
  timeZone: ctx.actor.timeZone,
  signal: ctx.signal,
});

function toView(details: UserDetails, asked: boolean) {
  const { user, role, seenMs, limits, balance, held, debt, purchases } = details;
  return {
    id: user.id,
    username: user.username,
    email: user.email,
    first_name: user.firstName,
    last_name: user.lastName,
    locale: user.locale,
    time_zone: user.timeZone,
    confirmation: confirmationOf(user.verifiedMs, asked),
    status: user.status,
    ban_reason: user.banReason,
    banned_until: iso(user.bannedUntilMs),
    banned_at: iso(user.bannedMs),
    banned_by: details.bannedBy,
    manageable: details.isManageable,
    viewable: details.isViewable,
    role_id: user.roleId,
    roles: [...details.roles],
    role,
    created_at: iso(user.createdMs),
    support_pin: details.pin && { pin: details.pin.pin, expires_at: iso(details.pin.expiresMs) },
    referrer: details.referrer && { ...details.referrer },
    earned: toLately(details.earned.map(({ kind, credits }) => ({ name: kind, credits }))),
    spent: toLately(details.spent.map(({ on, credits }) => ({ name: on, credits }))),
    paid: details.paid && details.paid.map((sum) => ({ ...sum })),
    seen_at: iso(seenMs),
    limits,
    balance,
    held,
    debt,
    purchases: purchases.map(({ id, kind, units, quantity, total, createdMs, refundedMs }) => ({
      id,
      kind,
      units,
      quantity,
      total,
      at: iso(createdMs),
      refunded_at: iso(refundedMs),
    })),
  };
}

/** The sum of credits by what they were for, and the greatest part of them; of amounts in order, the most first. */
function toLately<N extends string>(parts: readonly { readonly name: N; readonly credits: number }[]) {
  const [most] = parts;
  return {
    credits: parts.reduce((sum, { credits }) => sum + credits, 0),
    most: most !== undefined && most.credits > 0 ? most : null,
  };
}
