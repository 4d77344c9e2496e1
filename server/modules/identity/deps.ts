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
  readonly mailing: Pick<Mailing, 'isConfigured' | 'send' | 'sendTo'>;
  readonly events: Pick<Events, 'emit'>;
  readonly limits: Pick<Limits, 'meters' | 'grantDefaults'>;
  readonly ledger: Pick<Ledger, 'balance' | 'held'>;
  /** The bot check before a registration, and before a log-in after failures (behaviour 4.6); absent: no check. */
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

/** How long a link to set up the owner or to confirm an address is valid, in ms (behaviour 3.1, 3.2). */
export const LINK_LIFE = DAY;

/**
 * The context with this user as its actor, for commands that run before their session is resolved (registration,
 * log-in): events and audit log name the user. `sessionId` is '' when no session was opened.
 */
export function toSignedIn(ctx: Ctx, user: Pick<UserRow, 'id' | 'username'>, sessionId: string): SignedIn {
  const actor: Actor = { userId: user.id, sessionId, username: user.username, permissions: [], verified: false };
  return { ...ctx, actor };
}

/** Whether addresses have to be confirmed: the setting says so and e-mail is configured (behaviour 3.1). */
export function requiresVerification(deps: Pick<IdentityDeps, 'settings' | 'mailing'>): boolean {
  return deps.settings.current().mail_verification && deps.mailing.isConfigured();
}

/** Whether a user with these permissions must have a second factor (`force_2fa`, behaviour 3.5). */
export function requiresSecondFactor(
  { settings }: Pick<IdentityDeps, 'settings'>,
  permissions: readonly string[],
): boolean {
  const { force_2fa: forced } = settings.current();
  return forced === 'all' || (forced === 'staff' && isStaff(permissions));
}

/**
 * Publishes after commit that a user's identity changed: name, status, confirmed address, second factor. Credits change
 * far more often and publish only `user:<id>`, which leaves the cached actor of a session alone.
 */
export function touchUser(tx: Tx, userId: string): void {
  tx.touch(`account:${userId}`, `user:${userId}`);
}

/**
 * Publishes after commit that a session has a new secret. Its streams close silently before they announce anything else
 * that the transaction changed: a page that reloaded now would still send the old secret, because the response with the
 * new one is still on its way.
 */
export function touchRotatedSession(tx: Tx, sessionId: string): void {
  tx.touch(`rotated:${sessionId}`);
  touchSessions(tx, [sessionId]);
}

/** Publishes after commit that sessions ended or changed, for caches and streams. */
export function touchSessions(tx: Tx, sessionIds: readonly string[]): void {
  tx.touch(...sessionIds.map((id) => `session:${id}`));
}
