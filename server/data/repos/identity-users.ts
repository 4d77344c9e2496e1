import type { Kysely, Selectable, Updateable } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import { findRow, lockRow } from '#server/data/row.ts';
import type { DB, Users } from '#server/data/schema.ts';
import type { IdentityRepo, UserRow } from '#server/modules/identity/ports.ts';
import type { MailContact } from '#server/modules/mailing/ports.ts';
import { DomainError, type FieldErrors } from '#shared/errors.ts';
import { toLocale } from '#shared/i18n/locales.ts';
import { normaliseName } from '#shared/names.ts';

const toUser = (row: Selectable<Users>): UserRow => ({
  id: row.id,
  username: row.username,
  email: row.email,
  passwordHash: row.password_hash,
  passwordVersion: row.password_version,
  firstName: row.first_name,
  lastName: row.last_name,
  roleId: row.role_id,
  locale: toLocale(row.locale),
  timeZone: row.time_zone,
  status: row.status,
  banReason: row.ban_reason,
  bannedUntilMs: row.banned_until_ms,
  bannedBy: row.banned_by,
  bannedMs: row.banned_ms,
  verifiedMs: row.verified_ms,
  createdMs: row.created_ms,
});

type UserPart = Pick<
  IdentityRepo,
  | 'addUser'
  | 'findUser'
  | 'lockUser'
  | 'findUserByLogin'
  | 'isUsernameTaken'
  | 'findContact'
  | 'hasAnyUser'
  | 'setProfile'
  | 'setUsername'
  | 'setPassword'
  | 'replaceHash'
  | 'setVerified'
  | 'setEmail'
  | 'setStatus'
  | 'listEndedBans'
>;

export type ContactRow = Pick<
  Selectable<Users>,
  'username' | 'first_name' | 'email' | 'locale' | 'time_zone' | 'status' | 'verified_ms'
>;
/** How a user is written to. */
export const toContact = (row: ContactRow): MailContact => ({
  username: row.username,
  firstName: row.first_name,
  address: row.email,
  locale: toLocale(row.locale),
  timeZone: row.time_zone,
  status: row.status,
  verified: row.verified_ms !== null,
});

type NewUser = Parameters<UserPart['addUser']>[0];

const byKey = (db: Kysely<DB>, column: 'username_key' | 'email_key', text: string) =>
  db.selectFrom('users').selectAll().where(column, '=', normaliseName(text)).executeTakeFirst();

/** Adds a user with a wallet. Throws VALIDATION_FAILED at `username`, `email` where they are taken. */
async function addUser(db: Kysely<DB>, user: NewUser): Promise<void> {
  const added = await db
    .insertInto('users')
    .values({
      id: user.id,
      username: user.username,
      username_key: normaliseName(user.username),
      email: user.email,
      email_key: normaliseName(user.email),
      password_hash: user.passwordHash,
      first_name: user.firstName,
      last_name: user.lastName,
      role_id: user.roleId,
      locale: user.locale,
      status: 'active',
      ban_reason: null,
      banned_until_ms: null,
      banned_by: null,
      banned_ms: null,
      verified_ms: user.verifiedMs,
      terms_ms: user.createdMs,
      password_version: 1,
      created_ms: user.createdMs,
      updated_ms: user.createdMs,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .execute();
  if (added.length > 0) {
    // Everybody has a wallet, so that lists by credits have everybody.
    await db
      .insertInto('ledger_balances')
      .values({ account: `user:${user.id}`, balance: 0 })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    return;
  }
  const fields: FieldErrors = {};
  if (await byKey(db, 'username_key', user.username)) fields.username = ['USERNAME_TAKEN'];
  if (await byKey(db, 'email_key', user.email)) fields.email = ['EMAIL_TAKEN'];
  throw new DomainError('VALIDATION_FAILED', { fields });
}

/** Users in the database. */
export function usersPart(db: Kysely<DB>, raw: Raw): UserPart {
  const update = (id: string, values: Updateable<Users>) =>
    db.updateTable('users').set(values).where('id', '=', id).execute();
  return {
    addUser: (user) => addUser(db, user),
    async findUser(id) {
      const row = await findRow(raw, 'users', { id });
      return row ? toUser(row) : null;
    },
    async lockUser(id) {
      const row = await lockRow(raw, 'users', { id });
      return row ? toUser(row) : null;
    },
    async findUserByLogin(login) {
      const row = await byKey(db, normaliseName(login).includes('@') ? 'email_key' : 'username_key', login);
      return row ? toUser(row) : null;
    },
    async isUsernameTaken(username) {
      return (await byKey(db, 'username_key', username)) !== undefined;
    },
    async findContact(id) {
      const row = await findRow(raw, 'users', { id });
      return row ? toContact(row) : null;
    },
    async hasAnyUser() {
      return (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined;
    },
    async setProfile(id, { firstName, lastName, locale, timeZone }, atMs) {
      await update(id, { first_name: firstName, last_name: lastName, locale, time_zone: timeZone, updated_ms: atMs });
    },
    async setUsername(id, username, atMs) {
      const name = { username, username_key: normaliseName(username) };
      await update(id, { ...name, updated_ms: atMs });
    },
    async setPassword(id, hash, version, atMs) {
      const changed = await db
        .updateTable('users')
        .set({ password_hash: hash, password_version: version + 1, updated_ms: atMs })
        .where('id', '=', id)
        .where('password_version', '=', version)
        .returning('id')
        .execute();
      return changed.length > 0;
    },
    async replaceHash(id, from, to) {
      await db
        .updateTable('users')
        .set({ password_hash: to })
        .where('id', '=', id)
        .where('password_hash', '=', from)
        .execute();
    },
    async setVerified(id, atMs) {
      const changed = await db
        .updateTable('users')
        .set({ verified_ms: atMs, updated_ms: atMs })
        .where('id', '=', id)
        .where('verified_ms', 'is', null)
        .returning('id')
        .execute();
      return changed.length > 0;
    },
    async setEmail(id, email, verifiedMs, atMs) {
      await update(id, { email, email_key: normaliseName(email), verified_ms: verifiedMs, updated_ms: atMs });
    },
    async setStatus(id, status, ban, atMs) {
      await update(id, {
        status,
        ban_reason: ban.reason,
        banned_until_ms: ban.untilMs,
        banned_by: ban.by ?? null,
        banned_ms: status === 'banned' ? atMs : null,
        updated_ms: atMs,
      });
    },
    async listEndedBans(nowMs, limit) {
      const rows = await db
        .selectFrom('users')
        .select('id')
        .where('banned_until_ms', '<=', nowMs)
        .where('status', '=', 'banned')
        .orderBy('banned_until_ms')
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },
  };
}
