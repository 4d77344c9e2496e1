import { confirmationOf, type Confirmation } from '#shared/confirmation.ts';
import type { Meters } from '../limits/index.ts';
import { requiresSecondFactor, requiresVerification, type IdentityDeps } from './deps.ts';

/** What the browser knows of whoever is signed in (specification, section 3): nothing of it is secret. */
export interface SessionView {
  readonly user: {
    readonly id: string;
    readonly username: string;
    readonly email: string;
    readonly firstName: string;
    readonly lastName: string;
    readonly role: string;
    readonly roleColor: string;
    readonly locale: string;
    /** Their own, else the installation's (IANA name). */
    readonly timeZone: string;
    /** Confirmed, or nobody asks for it. */
    readonly verified: boolean;
    readonly confirmation: Confirmation;
    readonly secondFactor: 'on' | 'off' | 'required';
    readonly createdMs: number;
  };
  readonly credits: { readonly balance: number; readonly held: number; readonly debt: number };
  readonly meters: Meters;
  readonly unread: { readonly notifications: number; readonly tickets: number };
  readonly permissions: readonly string[];
}

/** The query that reads what a user's session shows; null when the account is not active. */
export function createSessionView(deps: Pick<IdentityDeps, 'uow' | 'ledger' | 'limits' | 'settings' | 'mailing'>) {
  const { uow, ledger, limits } = deps;
  return (userId: string): Promise<SessionView | null> =>
    uow.read(async (tx) => {
      const user = await tx.identity.findUser(userId);
      const role = user && (await tx.access.role(user.roleId));
      if (!user || !role || user.status !== 'active') return null;
      const permissions = await tx.access.permissionsOf(user.roleId);
      const hasFactor = (await tx.factors.find(userId))?.secret != null;
      const { id, username, email, firstName, lastName, locale, verifiedMs, createdMs } = user;
      return {
        user: {
          id,
          username,
          email,
          firstName,
          lastName,
          role: role.name,
          roleColor: role.color,
          locale,
          timeZone: user.timeZone ?? deps.settings.current().app_timezone,
          verified: verifiedMs !== null || !requiresVerification(deps),
          confirmation: confirmationOf(verifiedMs, requiresVerification(deps)),
          secondFactor: hasFactor ? 'on' : requiresSecondFactor(deps, permissions) ? 'required' : 'off',
          createdMs,
        },
        credits: {
          balance: await ledger.balance(tx, `user:${userId}`),
          held: await ledger.held(tx, userId),
          debt: await ledger.balance(tx, `debt:${userId}`),
        },
        meters: await limits.meters(tx, userId),
        unread: {
          notifications: await tx.notifications.unread(userId),
          tickets: await tx.tickets.countUnread(userId),
        },
        permissions,
      };
    });
}
