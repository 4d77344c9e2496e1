import type { Locale } from '#shared/i18n/locales.ts';
import type { RoleRow } from '../access/index.ts';
import type { Tx } from '../tx.ts';
import type { IdentityDeps } from './deps.ts';
import type { UserRow } from './ports.ts';

/** What a new user's rows are made of. */
interface UserFacts {
  readonly username: string;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  /** Of the password. */
  readonly hash: string;
  readonly role: RoleRow;
  readonly locale: Locale;
  /** The address is confirmed. */
  readonly verified: boolean;
}

/**
 * Makes the rows of a new user: account and default limits. Throws VALIDATION_FAILED where the name or the address is
 * taken.
 */
export async function addUser(
  { ids, clock, limits }: Pick<IdentityDeps, 'ids' | 'clock' | 'limits'>,
  tx: Tx,
  facts: UserFacts,
): Promise<UserRow> {
  const now = clock.now();
  const user = {
    id: ids.uuid(),
    username: facts.username,
    email: facts.email,
    passwordHash: facts.hash,
    firstName: facts.first_name,
    lastName: facts.last_name,
    roleId: facts.role.id,
    locale: facts.locale,
    verifiedMs: facts.verified ? now : null,
    createdMs: now,
  };
  await tx.identity.addUser(user);
  await limits.grantDefaults(tx, user.id);
  return { ...user, passwordVersion: 1, status: 'active', banReason: null, bannedUntilMs: null };
}
