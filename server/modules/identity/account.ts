import { DomainError, fieldError } from '#shared/errors.ts';
import { DEFAULT_LOCALE, type Locale } from '#shared/i18n/locales.ts';
import { writeAudit } from '../audit/index.ts';
import { runOnce } from '../idempotency/index.ts';
import type { SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import { assertMay, assertOutranks } from '../permit.ts';
import type { RoleKey, RoleRow } from '../access/index.ts';
import { touchUser, type IdentityDeps } from './deps.ts';
import { createPasswordChange } from './change-password.ts';
import { isCommonPassword } from './password-policy.ts';
import type { UserRow } from './ports.ts';
import { addUser } from './add-user.ts';
import type { RegistrationInput } from './register.ts';
import type { Throttle } from './throttle.ts';

/** What the operator creates a user from. */
type CreateUserInput = Omit<RegistrationInput, 'setup'> & { readonly locale: Locale; readonly role: RoleKey };
/** What staff create a user from. */
interface StaffUserInput {
  readonly username: string;
  readonly email: string;
  /** Absent: they set one by the link of a forgotten one. */
  readonly password?: string | undefined;
  readonly first_name?: string | undefined;
  readonly last_name?: string | undefined;
  readonly locale?: Locale | undefined;
}
interface Profile {
  readonly first_name: string;
  readonly last_name: string;
  readonly locale: Locale;
  /** IANA name; null: the installation's; absent: as it is. */
  readonly time_zone?: string | null | undefined;
}

/** A user's own account (behaviour 3.8). */
export function createAccount(deps: IdentityDeps, throttle: Throttle) {
  const { uow, clock, passwords } = deps;

  /** The caller's user and role. Throws UNAUTHENTICATED when the account no longer exists. */
  function getProfile(ctx: SignedIn): Promise<{ user: UserRow; role: RoleRow }> {
    return uow.read(async (tx) => {
      const user = await tx.identity.findUser(ctx.actor.userId);
      const role = user && (await tx.access.role(user.roleId));
      if (!user || !role) throw new DomainError('UNAUTHENTICATED');
      return { user, role };
    });
  }

  /** Updates the caller's name, language and time zone. Throws UNAUTHENTICATED when the account no longer exists. */
  function updateProfile(ctx: SignedIn, profile: Profile): Promise<void> {
    return uow.run(async (tx) => {
      const user = await tx.identity.lockUser(ctx.actor.userId);
      if (!user) throw new DomainError('UNAUTHENTICATED');
      const changed = await saveProfile(tx, ctx, user, profile);
      await writeAudit(tx, deps, ctx, { action: 'account.profile', target: user.id, ...changed });
    });
  }

  /**
   * Updates a user's name, language and time zone for them. Throws FORBIDDEN for a user of the caller's rank or above,
   * NOT_FOUND, CONFLICT for a deleted account.
   */
  function updateProfileOf(ctx: SignedIn, userId: string, profile: Profile): Promise<void> {
    return uow.run(async (tx) => {
      assertMay(ctx, 'admin.users.edit');
      const user = await tx.identity.lockUser(userId);
      if (!user) throw new DomainError('NOT_FOUND');
      await assertOutranks(tx, ctx, user.roleId);
      if (user.status === 'deleted') throw new DomainError('CONFLICT');
      const { username } = user;
      const { before, after } = await saveProfile(tx, ctx, user, profile);
      await writeAudit(tx, deps, ctx, {
        action: 'users.profile',
        target: userId,
        before: { username, ...before },
        after: { username, ...after },
      });
    });
  }

  /** Stores a profile. Out: what it was and is, for the audit log. */
  async function saveProfile(tx: Tx, ctx: SignedIn, user: UserRow, profile: Profile) {
    const { first_name: firstName, last_name: lastName, locale, time_zone: zone } = profile;
    const timeZone = zone === undefined ? user.timeZone : zone;
    await tx.identity.setProfile(user.id, { firstName, lastName, locale, timeZone }, clock.now());
    if (firstName !== user.firstName || lastName !== user.lastName)
      await deps.events.emit(tx, 'user.renamed', { userId: user.id }, ctx);
    touchUser(tx, user.id);
    return {
      before: { first_name: user.firstName, last_name: user.lastName, locale: user.locale, time_zone: user.timeZone },
      after: { first_name: firstName, last_name: lastName, locale, time_zone: timeZone },
    };
  }

  /**
   * Creates a user without registration: the operator's command (behaviour 3.2). The address counts as confirmed.
   * Returns the id. Throws VALIDATION_FAILED when the name or the address is taken or the password is a common one.
   */
  async function createUser(input: CreateUserInput): Promise<string> {
    if (isCommonPassword(input.password, [input.username])) throw fieldError('password', 'PASSWORD_COMMON');
    const hash = await passwords.hash(input.password);
    return uow.run(async (tx) => {
      const role = await tx.access.roleByKey(input.role);
      // Staff may have deleted it.
      if (!role) throw fieldError('role', 'UNKNOWN');
      const user = await addUser(deps, tx, { ...input, hash, role, verified: true });
      await writeAudit(tx, deps, null, {
        action: 'users.create',
        target: user.id,
        after: { username: user.username, role: role.name },
      });
      return user.id;
    });
  }

  /**
   * Creates an account for somebody, once an Idempotency-Key: with the role of everybody who registers, an address that
   * is not confirmed, and no session. Throws FORBIDDEN, VALIDATION_FAILED with the fields at fault,
   * SERVER_UNAVAILABLE.
   */
  async function createUserFor(ctx: SignedIn, input: StaffUserInput): Promise<{ id: string }> {
    assertMay(ctx, 'admin.users.edit');
    const { username, email, password, first_name: firstName, last_name: lastName, locale = DEFAULT_LOCALE } = input;
    if (password !== undefined && isCommonPassword(password, [username, email.split('@')[0] ?? '']))
      throw fieldError('password', 'PASSWORD_COMMON');
    const hash = password === undefined ? '' : await passwords.hash(password);
    return runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      const role = await tx.access.defaultRole();
      const names = { username, email, first_name: firstName ?? username, last_name: lastName ?? '-' };
      const { id } = await addUser(deps, tx, { ...names, locale, hash, role, verified: false });
      await writeAudit(tx, deps, ctx, { action: 'users.create', target: id, after: { username, role: role.name } });
      return { id };
    });
  }

  return {
    getProfile,
    updateProfile,
    updateProfileOf,
    createUser,
    createUserFor,
    ...createPasswordChange(deps, throttle, getProfile),
  };
}
