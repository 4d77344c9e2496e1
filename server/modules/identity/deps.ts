import { isStaff } from '#shared/can.ts';
import { DAY } from '#shared/time.ts';
import type { Access } from '../access/index.ts';
import type { Events } from '../events/index.ts';
import type { Actor, Bus, Clock, Ctx, Ids, Log, Sealer, SignedIn } from '../kernel.ts';
import type { Ledger } from '../ledger/index.ts';
import type { Limits } from '../limits/index.ts';
import type { Mailing } from '../mailing/index.ts';
import type { Settings } from '../settings/index.ts';
import type { Tx, UnitOfWork } from '../tx.ts';
import type { Passwords, Totp, UserRow } from './ports.ts';

export interface IdentityDeps {
  readonly uow: UnitOfWork;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly passwords: Passwords;
  readonly totp: Totp;
  readonly sealer: Sealer;
  readonly access: Access;
  readonly settings: Pick<Settings, 'current'>;
  readonly mailing: Pick<Mailing, 'configured' | 'send' | 'sendTo'>;
  readonly events: Pick<Events, 'emit'>;
  readonly limits: Pick<Limits, 'meters' | 'grantDefaults'>;
  readonly ledger: Pick<Ledger, 'balance' | 'held'>;
  /** Asked before a registration, and before a log-in after failures (behaviour 4.6); nothing is asked when absent. */
  readonly challenge?: {
    kind(): string;
    verify(
      action: 'register' | 'login',
      who: { readonly ctx: Ctx; readonly device: string },
      answer: string | undefined,
    ): Promise<void>;
  };
  /** Hashes under the installation's key. */
  readonly keyed: { mac(purpose: string, text: string): string };
}

/** Life of a link to set up or to confirm an address (behaviour 3.1, 3.2). */
export const LINK_LIFE = DAY;

/**
 * The context of a command that a user gives before a session of theirs stands behind it (registration, log-in): for
 * the audit trail.
 */
export function asUser(ctx: Ctx, user: Pick<UserRow, 'id' | 'username'>, sessionId: string): SignedIn {
  const actor: Actor = { userId: user.id, sessionId, username: user.username, permissions: [], verified: false };
  return { ...ctx, actor };
}

/** Whether addresses have to be confirmed: by the setting, and only where mails leave the house (behaviour 3.1). */
export function asksVerification(deps: Pick<IdentityDeps, 'settings' | 'mailing'>): boolean {
  return deps.settings.current().mail_verification && deps.mailing.configured();
}

/** Whether somebody with these permissions has to have a second factor (`force_2fa`, behaviour 3.5). */
export function asksFactor({ settings }: Pick<IdentityDeps, 'settings'>, permissions: readonly string[]): boolean {
  const { force_2fa: forced } = settings.current();
  return forced === 'all' || (forced === 'staff' && isStaff(permissions));
}

/**
 * Tells after commit that a user is somebody else now: name, standing, proof of address, second factor. Credits move
 * far more often, and touch only `user:<id>`: who a session belongs to is kept through them.
 */
export function touchUser(tx: Tx, userId: string): void {
  tx.touch(`account:${userId}`, `user:${userId}`);
}

/**
 * Tells caches and streams after commit that a session goes by another secret. Its streams close without a word before
 * they name anything else that the transaction changed: a page that asked now would still do so with the old secret,
 * because the answer that brings the new one is only on its way.
 */
export function touchRotatedSession(tx: Tx, sessionId: string): void {
  tx.touch(`rotated:${sessionId}`);
  touchSessions(tx, [sessionId]);
}

/** Tells caches and streams after commit that sessions ended. */
export function touchSessions(tx: Tx, sessionIds: readonly string[]): void {
  tx.touch(...sessionIds.map((id) => `session:${id}`));
}
