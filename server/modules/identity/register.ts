import { DomainError, fieldError } from '#shared/errors.ts';
import type { Ctx } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { requiresVerification, type IdentityDeps } from './deps.ts';
import type { Browser } from './login.ts';
import type { NewAccounts } from './new-accounts.ts';
import { isCommonPassword } from './password-policy.ts';
import type { OpenedSession } from './sessions.ts';
import { createOwnerSetup } from './setup.ts';

/** The registration form, validated by the shared schema. */
export interface RegistrationInput {
  readonly username: string;
  readonly email: string;
  readonly password: string;
  readonly first_name: string;
  readonly last_name: string;
  /** One-time set-up token of an installation without an owner. */
  readonly setup?: string | undefined;
  /** Response to the challenge, when one is required. */
  readonly challenge?: string | undefined;
  /** Referral code as typed (behaviour 4.4); a wrong one is ignored. */
  readonly referral?: string | undefined;
}

/** Registration, and the first owner (behaviour 3.1, 3.2). */
export function createRegister(deps: IdentityDeps, accounts: NewAccounts) {
  const { uow, clock, ids, access, passwords } = deps;
  const setup = createOwnerSetup(deps);

  /** What the log-in and registration pages depend on: settings, and whether a set-up token is valid. */
  function getOptions(token: string | undefined) {
    return uow.read(async (tx) => ({
      registration: deps.settings.current().registration_enabled,
      verification: requiresVerification(deps),
      sendsMail: deps.mailing.isConfigured(),
      setupValid: token
        ? (await tx.identity.isTokenValid('setup', ids.hash(token), clock.now())) && !(await access.hasOwner(tx))
        : false,
      empty: !(await tx.identity.hasAnyUser()),
    }));
  }

  /**
   * Creates an account. Returns the opened session; null when addresses have to be confirmed: then the link in the
   * e-mail creates the account, and until then nothing differs for an address that already has one, whose owner gets
   * another e-mail. Throws REGISTRATION_DISABLED, SETUP_LINK_INVALID, SETUP_DONE, VALIDATION_FAILED with the fields at
   * fault, SERVER_UNAVAILABLE, CHALLENGE_REQUIRED, CHALLENGE_FAILED, CHALLENGE_UNAVAILABLE.
   */
  async function register(ctx: Ctx, input: RegistrationInput, browser: Browser): Promise<OpenedSession | null> {
    if (input.setup !== undefined) await uow.read((tx) => setup.assertValid(tx, input.setup ?? ''));
    else if (!deps.settings.current().registration_enabled) throw new DomainError('REGISTRATION_DISABLED');
    // Whoever holds the server's own link is not a bot.
    if (input.setup === undefined)
      await deps.challenge?.verify('register', { ctx, device: browser.device }, input.challenge);
    const needsVerification = input.setup === undefined && requiresVerification(deps);
    if (isCommonPassword(input.password, [input.username, input.email.split('@')[0] ?? '']))
      throw fieldError('password', 'PASSWORD_COMMON');
    if (await uow.read((tx) => isNameTaken(tx, input))) throw fieldError('username', 'USERNAME_TAKEN');
    const hash = await passwords.hash(input.password);
    return uow.run((tx) => createForPassword(tx, ctx, { ...input, hash }, needsVerification, browser));
  }

  /** Whether a name is taken or reserved. Reservations do not bind the holder of the set-up link. */
  async function isNameTaken(tx: Tx, { username, setup: link }: RegistrationInput): Promise<boolean> {
    return (
      (await tx.identity.isUsernameTaken(username)) ||
      (link === undefined && (await tx.pending.isNameTaken(username, clock.now())))
    );
  }

  /**
   * Creates the account, or stores it until its address is confirmed. With a set-up token the user becomes the owner:
   * the token is used up in the same transaction, so only once.
   */
  async function createForPassword(
    tx: Tx,
    ctx: Ctx,
    input: RegistrationInput & { hash: string },
    needsVerification: boolean,
    browser: Browser,
  ): Promise<OpenedSession | null> {
    const account = { ...input, referral: input.referral ?? '', ssoRegistration: '' };
    if (needsVerification) return accounts.addPending(tx, ctx, account, browser).then(() => null);
    const isOwner = input.setup !== undefined;
    if (isOwner) await setup.useToken(tx, input.setup ?? '');
    const role = isOwner ? await access.seededRole(tx, 'owner') : await tx.access.defaultRole();
    // The holder of the server's own link does not have to confirm the address.
    return accounts.addNow(tx, ctx, { ...account, role, verified: isOwner }, browser);
  }

  return { getOptions, register, createSetupToken: setup.createToken };
}
