import { DomainError, fieldError } from '#shared/errors.ts';
import type { Ctx } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { addUser } from './add-user.ts';
import { asksVerification, asUser, type IdentityDeps } from './deps.ts';
import type { Browser } from './login.ts';
import { isCommonPassword } from './password-policy.ts';
import type { PendingPart } from './pending.ts';
import type { Opened, SessionsPart } from './sessions.ts';
import { createSetup } from './setup.ts';
import { networkOf } from './throttle.ts';

/** What a person gives to get an account; its form was checked by the shared schema. */
export interface Newcomer {
  readonly username: string;
  readonly email: string;
  readonly password: string;
  readonly first_name: string;
  readonly last_name: string;
  /** One-time set-up token of an installation without an owner. */
  readonly setup?: string | undefined;
  /** Answer to the challenge, where one is asked for. */
  readonly challenge?: string | undefined;
  /** Referral code as it was typed (behaviour 4.4); a wrong one stops nothing. */
  readonly referral?: string | undefined;
}

/** Registration, and the first owner (behaviour 3.1, 3.2). */
export function createRegister(
  deps: IdentityDeps,
  sessions: Pick<SessionsPart, 'open'>,
  pending: Pick<PendingPart, 'add'>,
) {
  const { uow, clock, ids, access, passwords } = deps;
  const setup = createSetup(deps);

  /** What the log-in and registration pages need to know. */
  function options(token: string | undefined) {
    return uow.read(async (tx) => ({
      registration: deps.settings.current().registration_enabled,
      verification: asksVerification(deps),
      sends_mail: deps.mailing.configured(),
      setup_valid: token
        ? (await tx.identity.isTokenValid('setup', ids.hash(token), clock.now())) && !(await access.hasOwner(tx))
        : false,
      empty: !(await tx.identity.anyUser()),
    }));
  }

  /**
   * Makes an account. Out: the session that was opened; null where addresses have to be confirmed: then the account
   * comes to life with the link in the e-mail, and everything until then is the same for an address that has an account
   * already, whose owner gets another e-mail. Throws REGISTRATION_DISABLED, SETUP_LINK_INVALID, SETUP_DONE,
   * VALIDATION_FAILED with the fields at fault, SERVER_UNAVAILABLE, CHALLENGE_REQUIRED, CHALLENGE_FAILED,
   * CHALLENGE_UNAVAILABLE.
   */
  async function register(ctx: Ctx, person: Newcomer, browser: Browser): Promise<Opened | null> {
    if (person.setup !== undefined) await uow.read((tx) => setup.check(tx, person.setup ?? ''));
    else if (!deps.settings.current().registration_enabled) throw new DomainError('REGISTRATION_DISABLED');
    // Who holds the server's own link is no robot.
    if (person.setup === undefined)
      await deps.challenge?.verify('register', { ctx, device: browser.device }, person.challenge);
    const needsVerification = person.setup === undefined && asksVerification(deps);
    if (isCommonPassword(person.password, [person.username, person.email.split('@')[0] ?? '']))
      throw fieldError('password', 'PASSWORD_COMMON');
    if (await uow.read((tx) => nameTaken(tx, person))) throw fieldError('username', 'USERNAME_TAKEN');
    const hash = await passwords.hash(person.password);
    return uow.run((tx) =>
      needsVerification
        ? createPendingAccount(tx, ctx, person, hash, browser)
        : createAccountNow(tx, ctx, person, hash, browser),
    );
  }

  /** Whether somebody has a name, or has it reserved. Not for who holds the set-up link. */
  async function nameTaken(tx: Tx, { username, setup: link }: Newcomer): Promise<boolean> {
    return (
      (await tx.identity.usernameTaken(username)) ||
      (link === undefined && (await tx.pending.nameTaken(username, clock.now())))
    );
  }

  /**
   * An account with a session. With a set-up token its owner becomes the owner: the token is used up in the same
   * transaction, so once.
   */
  async function createAccountNow(tx: Tx, ctx: Ctx, person: Newcomer, hash: string, browser: Browser): Promise<Opened> {
    const owner = person.setup !== undefined;
    if (owner) await setup.useToken(tx, person.setup ?? '');
    const role = owner ? await access.seededRole(tx, 'owner') : await tx.access.defaultRole();
    // Who holds the server's own link needs no e-mail to prove that they are meant.
    const user = await addUser(deps, tx, { ...person, hash, role, locale: ctx.locale, verified: owner });
    const payload = {
      userId: user.id,
      role: role.name,
      referral: person.referral ?? '',
      address: ctx.address,
      device: browser.device,
    };
    await deps.events.emit(tx, 'user.registered', payload, asUser(ctx, user, ''));
    const opened = await sessions.open(tx, ctx, user, browser.secret);
    await tx.identity.recordDevice(user.id, ids.hash(browser.device), clock.now());
    return opened;
  }

  /** A registration that waits for the link in the e-mail. */
  async function createPendingAccount(
    tx: Tx,
    ctx: Ctx,
    person: Newcomer,
    hash: string,
    browser: Browser,
  ): Promise<null> {
    const { username, email, first_name: firstName, last_name: lastName, referral = '' } = person;
    const deviceKey = ids.hash(browser.device);
    const asker = { network: ids.hash(networkOf(ctx.address)), device: deviceKey };
    await pending.add(
      tx,
      ctx,
      { username, email, passwordHash: hash, firstName, lastName, referral, deviceKey },
      asker,
    );
    return null;
  }

  return { options, register, createSetupToken: setup.createToken };
}
