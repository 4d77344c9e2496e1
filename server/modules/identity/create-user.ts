import { fieldError } from '#shared/errors.ts';
import { DEFAULT_LOCALE, type Locale } from '#shared/i18n/locales.ts';
import type { RoleKey } from '../access/index.ts';
import { writeAudit } from '../audit/index.ts';
import { runOnce } from '../idempotency/index.ts';
import type { SignedIn } from '../kernel.ts';
import { assertMay } from '../permit.ts';
import { addUser } from './add-user.ts';
import type { IdentityDeps } from './deps.ts';
import { isCommonPassword } from './password-policy.ts';
import type { RegistrationInput } from './register.ts';

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
/** Accounts that somebody else than their user creates: the operator, and staff. */
export function createUserCreation(deps: IdentityDeps) {
  const { uow, clock, passwords } = deps;

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

  return { createUser, createUserFor };
}
