import { DomainError, fieldError } from '#shared/errors.ts';
import type { Ctx } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { bannedError } from './bans.ts';
import { requiresVerification, type IdentityDeps } from './deps.ts';
import type { Browser } from './login.ts';
import type { NewAccounts } from './new-accounts.ts';
import type { SessionOpener } from './open-session.ts';
import type { OpenedSession } from './sessions.ts';

/** A registration through a provider, validated by the shared schema. */
interface ExternalRegistration {
  readonly username: string;
  readonly email: string;
  /** The provider has proven the address. */
  readonly proven: boolean;
  readonly first_name: string;
  readonly last_name: string;
  readonly challenge?: string | undefined;
  readonly referral?: string | undefined;
  /** What the provider said (modules/sso). */
  readonly ssoRegistration: string;
}

/** Log-in and registration of who has proven elsewhere who they are (behaviour 3.6): no password is asked for. */
export function createExternal(deps: IdentityDeps, accounts: NewAccounts, openSessionFor: SessionOpener) {
  const { uow, clock, settings } = deps;

  /**
   * Opens the session of a user who was recognised in the same transaction. It has not passed a second factor (attacks
   * T30). Throws LOGIN_FAILED, ACCOUNT_BANNED.
   */
  async function openRecognised(tx: Tx, ctx: Ctx, userId: string, browser: Browser): Promise<OpenedSession> {
    const user = await tx.identity.findUser(userId);
    const outcome = user ? await openSessionFor(tx, ctx, user, browser) : null;
    if (outcome?.kind === 'banned') throw bannedError(deps, outcome.user);
    if (outcome?.kind !== 'opened') throw new DomainError('LOGIN_FAILED');
    return outcome.opened;
  }

  /** Throws REGISTRATION_DISABLED. */
  function assertRegistrationOpen(): void {
    if (!settings.current().registration_enabled) throw new DomainError('REGISTRATION_DISABLED');
  }

  /**
   * Creates an account without a password. Returns the opened session; null where its address has to be confirmed
   * first. `claim` uses up what the provider said, in the same transaction: of two at once, one creates an account.
   * Throws REGISTRATION_DISABLED, VALIDATION_FAILED with the fields at fault, CHALLENGE_REQUIRED, CHALLENGE_FAILED,
   * CHALLENGE_UNAVAILABLE, and what `claim` throws.
   */
  async function registerExternal(
    ctx: Ctx,
    input: ExternalRegistration,
    browser: Browser,
    claim: (tx: Tx) => Promise<void>,
  ): Promise<OpenedSession | null> {
    assertRegistrationOpen();
    await deps.challenge?.verify('register', { ctx, device: browser.device }, input.challenge);
    return uow.run(async (tx) => {
      await claim(tx);
      if (
        (await tx.identity.isUsernameTaken(input.username)) ||
        (await tx.pending.isNameTaken(input.username, clock.now()))
      )
        throw fieldError('username', 'USERNAME_TAKEN');
      const account = { ...input, hash: '', referral: input.referral ?? '' };
      if (!input.proven && requiresVerification(deps))
        return accounts.addPending(tx, ctx, account, browser).then(() => null);
      const role = await tx.access.defaultRole();
      return accounts.addNow(tx, ctx, { ...account, role, verified: input.proven }, browser);
    });
  }

  return { openRecognised, assertRegistrationOpen, registerExternal };
}
