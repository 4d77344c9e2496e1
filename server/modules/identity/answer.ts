import { confirmationOf } from '#shared/confirmation.ts';
import { RESOURCE_KINDS } from '#shared/constants.ts';
import { iso } from '#shared/time.ts';
import { asksFactor, asksVerification, type IdentityDeps } from './deps.ts';

/** What the session answer holds (specification, section 3): who, their credits, their numbers, what they may. */
interface SessionAnswer {
  readonly user_info: Record<string, string | number | boolean | null>;
  readonly billing: Record<string, number>;
  readonly stats: Record<string, number>;
  readonly permissions: string[];
}

/** Puts the session answer of a user together. No secret is in it. Null where the account is not active. */
export function createAnswer(deps: Pick<IdentityDeps, 'uow' | 'ledger' | 'limits' | 'settings' | 'mailing'>) {
  const { uow, ledger, limits } = deps;
  return (userId: string): Promise<SessionAnswer | null> =>
    uow.read(async (tx) => {
      const user = await tx.identity.user(userId);
      const role = user && (await tx.access.role(user.roleId));
      if (!user || !role || user.status !== 'active') return null;
      const permissions = await tx.access.permissionsOf(user.roleId);
      const factor = (await tx.factors.find(userId))?.secret != null;
      const meters = await limits.meters(tx, userId);
      const stats: Record<string, number> = {
        servers: meters.slots.used,
        unread: await tx.notifications.unread(userId),
      };
      for (const kind of RESOURCE_KINDS) {
        stats[`${kind}_used`] = meters[kind].used;
        stats[`${kind}_limit`] = meters[kind].limit;
      }
      return {
        user_info: {
          id: user.id,
          uuid: user.id,
          username: user.username,
          email: user.email,
          first_name: user.firstName,
          last_name: user.lastName,
          role: role.name,
          role_color: role.color,
          locale: user.locale,
          verified: user.verifiedMs !== null || !asksVerification(deps),
          confirmation: confirmationOf(user.verifiedMs, asksVerification(deps)),
          second_factor: factor ? 'on' : asksFactor(deps, permissions) ? 'required' : 'off',
          created_at: iso(user.createdMs),
        },
        billing: {
          credits: await ledger.balance(tx, `user:${userId}`),
          held: await ledger.held(tx, userId),
          debt: await ledger.balance(tx, `debt:${userId}`),
        },
        stats,
        permissions,
      };
    });
}
