import { confirmationOf } from '#shared/confirmation.ts';
import { RESOURCE_KINDS } from '#shared/constants.ts';
import { iso } from '#shared/time.ts';
import { requiresSecondFactor, requiresVerification, type IdentityDeps } from './deps.ts';

/** The session answer (specification, section 3): the user, their credits, their counts and limits, their permissions. */
interface SessionView {
  readonly user_info: Record<string, string | number | boolean | null>;
  readonly billing: Record<string, number>;
  readonly stats: Record<string, number>;
  readonly permissions: string[];
}

/** The query that builds a user's session answer, without secrets; null when the account is not active. */
export function createSessionView(deps: Pick<IdentityDeps, 'uow' | 'ledger' | 'limits' | 'settings' | 'mailing'>) {
  const { uow, ledger, limits } = deps;
  return (userId: string): Promise<SessionView | null> =>
    uow.read(async (tx) => {
      const user = await tx.identity.findUser(userId);
      const role = user && (await tx.access.role(user.roleId));
      if (!user || !role || user.status !== 'active') return null;
      const permissions = await tx.access.permissionsOf(user.roleId);
      const hasFactor = (await tx.factors.find(userId))?.secret != null;
      const meters = await limits.meters(tx, userId);
      const stats: Record<string, number> = {
        servers: meters.slots.used,
        unread: await tx.notifications.unread(userId),
        tickets_unread: await tx.tickets.countUnread(userId),
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
          time_zone: user.timeZone ?? deps.settings.current().app_timezone,
          verified: user.verifiedMs !== null || !requiresVerification(deps),
          confirmation: confirmationOf(user.verifiedMs, requiresVerification(deps)),
          second_factor: hasFactor ? 'on' : requiresSecondFactor(deps, permissions) ? 'required' : 'off',
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
