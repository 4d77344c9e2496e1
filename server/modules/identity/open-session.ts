import { deviceName, writeAudit } from '../audit/index.ts';
import type { Ctx } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { expireBan, isBanned } from './bans.ts';
import { toSignedIn, type IdentityDeps } from './deps.ts';
import type { Browser } from './login.ts';
import type { UserRow } from './ports.ts';
import type { OpenedSession, Sessions } from './sessions.ts';

/** `wrong`: the account was deleted, or got another password since it was checked. */
type Outcome =
  | { readonly kind: 'opened'; readonly opened: OpenedSession }
  | { readonly kind: 'banned'; readonly user: UserRow }
  | { readonly kind: 'wrong' };

export type SessionOpener = ReturnType<typeof createSessionOpener>;

/**
 * Opens the session of a log-in, whichever way somebody proved who they are: bans, the audit log and new devices are
 * the same for all. In: the user as they were when that was checked.
 */
export function createSessionOpener(deps: IdentityDeps, sessions: Pick<Sessions, 'open'>) {
  const { clock, ids } = deps;

  /** Records the device, and emits an event when it is new (behaviour 3.3) but not the very first. */
  async function recordLoginDevice(tx: Tx, ctx: Ctx, user: UserRow, token: string, sessionId: string): Promise<void> {
    const status = await tx.identity.recordDevice(user.id, ids.hash(token), clock.now());
    if (status !== 'new') return;
    const device = deviceName(ctx.userAgent) || '–';
    await deps.events.emit(tx, 'user.new_device', { userId: user.id, sessionId, device, address: ctx.address }, ctx);
  }

  /** Reads the user again: they may have been banned or changed their password meanwhile. */
  return async function openSessionFor(tx: Tx, ctx: Ctx, checked: UserRow, browser: Browser): Promise<Outcome> {
    const user = await tx.identity.lockUser(checked.id);
    if (!user || user.status === 'deleted' || user.passwordVersion !== checked.passwordVersion)
      return { kind: 'wrong' };
    if (isBanned(user, clock.now())) return { kind: 'banned', user };
    if (user.status === 'banned') await expireBan(deps, tx, user.id);
    const opened = await sessions.open(tx, ctx, user, browser);
    await writeAudit(tx, deps, toSignedIn(ctx, user, opened.sessionId), { action: 'account.login', target: user.id });
    await recordLoginDevice(tx, ctx, user, browser.device, opened.sessionId);
    return { kind: 'opened', opened };
  };
}
