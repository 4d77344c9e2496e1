import { fieldError } from '#shared/errors.ts';
import type { Locale } from '#shared/i18n/locales.ts';
import type { RoleRow } from '../access/index.ts';
import type { Tx } from '../tx.ts';
import type { IdentityDeps } from './deps.ts';
import type { UserRow } from './ports.ts';

/** What a new user's rows are built from. */
interface UserInput {
  readonly username: string;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  /** Hash of the password. */
  readonly hash: string;
  readonly role: RoleRow;
  readonly locale: Locale;
  /** The address is confirmed. */
  readonly verified: boolean;
}

/**
 * Inserts the rows of a new user: account and default limits. Returns the user as stored. Throws VALIDATION_FAILED when
 * the name or the address is taken, or the address is kept for a user who may still go back to it.
 */
export async function addUser(
  { ids, clock, limits }: Pick<IdentityDeps, 'ids' | 'clock' | 'limits'>,
  tx: Tx,
  input: UserInput,
): Promise<UserRow> {
  const now = clock.now();
  const user = {
    id: ids.uuid(),
    username: input.username,
    email: input.email,
    passwordHash: input.hash,
    firstName: input.first_name,
    lastName: input.last_name,
    roleId: input.role.id,
    locale: input.locale,
    verifiedMs: input.verified ? now : null,
    createdMs: now,
  };
  await tx.identity.addUser(user);
  // After the row, so that of an address given up and taken at once one is seen.
  if (await tx.emailChanges.isReserved(user.email, null, now)) throw fieldError('email', 'EMAIL_TAKEN');
  await limits.grantDefaults(tx, user.id);
  return {
    ...user,
    timeZone: null,
    passwordVersion: 1,
    status: 'active',
    banReason: null,
    bannedUntilMs: null,
    bannedBy: null,
    bannedMs: null,
  };
}
