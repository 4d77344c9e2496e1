import type { RoleRow } from '../access/index.ts';
import type { Ctx } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { addUser } from './add-user.ts';
import { toSignedIn, type IdentityDeps } from './deps.ts';
import type { Browser } from './login.ts';
import type { PendingAccounts } from './pending.ts';
import type { OpenedSession, Sessions } from './sessions.ts';
import { networkOf } from './throttle.ts';

/** What an account is created from, once everything about it was checked. */
interface AccountInput {
  readonly username: string;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  /** Hash of the password; '' for who signs in elsewhere. */
  readonly hash: string;
  /** Referral code as typed; '' for none. */
  readonly referral: string;
  /** What a provider said of them (modules/sso); '' for who registered with a password. */
  readonly ssoRegistration: string;
}

export type NewAccounts = ReturnType<typeof createNewAccounts>;

/** The two ways in which a registration becomes an account: at once, or once its address is confirmed (behaviour 3.1). */
export function createNewAccounts(
  deps: IdentityDeps,
  sessions: Pick<Sessions, 'open'>,
  pending: Pick<PendingAccounts, 'add'>,
) {
  const { ids, clock } = deps;

  /** Creates an account and opens its session. Throws VALIDATION_FAILED when the name or the address is taken. */
  async function addNow(
    tx: Tx,
    ctx: Ctx,
    input: AccountInput & { readonly role: RoleRow; readonly verified: boolean },
    browser: Browser,
  ): Promise<OpenedSession> {
    const { role, verified, referral, ssoRegistration } = input;
    const user = await addUser(deps, tx, { ...input, locale: ctx.locale });
    const payload = {
      userId: user.id,
      role: role.name,
      referral,
      ssoRegistration,
      address: ctx.address,
      device: browser.device,
    };
    await deps.events.emit(tx, 'user.registered', payload, toSignedIn(ctx, user, ''));
    // The owner's own link proves nothing to others; what a provider has proven is as good as our own link.
    if (verified && ssoRegistration !== '')
      await deps.events.emit(tx, 'user.verified', { userId: user.id }, toSignedIn(ctx, user, ''));
    const opened = await sessions.open(tx, ctx, user, browser);
    await tx.identity.recordDevice(user.id, ids.hash(browser.device), clock.now());
    return opened;
  }

  /** Stores a registration that waits for the link in its e-mail. Throws VALIDATION_FAILED (USERNAME_TAKEN). */
  async function addPending(tx: Tx, ctx: Ctx, input: AccountInput, browser: Browser): Promise<void> {
    const { username, email, first_name: firstName, last_name: lastName, referral, hash, ssoRegistration } = input;
    const deviceKey = ids.hash(browser.device);
    const requester = { network: ids.hash(networkOf(ctx.address)), device: deviceKey };
    await pending.add(
      tx,
      ctx,
      { username, email, passwordHash: hash, firstName, lastName, referral, ssoRegistration, deviceKey },
      requester,
    );
  }

  return { addNow, addPending };
}
