import type { Kysely, Selectable } from 'kysely';
import type { DB, PendingAccounts } from '#server/data/schema.ts';
import type { PendingAccount, PendingRepo } from '#server/modules/identity/ports.ts';
import { toLocale } from '#shared/i18n/locales.ts';
import { normaliseName } from '#shared/names.ts';

const toPending = (row: Selectable<PendingAccounts>): PendingAccount => ({
  username: row.username,
  email: row.email,
  passwordHash: row.password_hash,
  firstName: row.first_name,
  lastName: row.last_name,
  locale: toLocale(row.locale),
  referral: row.referral,
  ssoRegistration: row.sso_registration,
  address: row.address,
  deviceKey: row.device_key,
  tokenHash: row.token_hash,
  createdMs: row.created_ms,
  expiresMs: row.expires_ms,
});

/** Accounts that wait for the link in their e-mail, in the database. */
export function createPendingRepo(db: Kysely<DB>): PendingRepo {
  return {
    async add(account) {
      const values = {
        username: account.username,
        email: account.email,
        email_key: normaliseName(account.email),
        password_hash: account.passwordHash,
        first_name: account.firstName,
        last_name: account.lastName,
        locale: account.locale,
        referral: account.referral,
        sso_registration: account.ssoRegistration,
        address: account.address,
        device_key: account.deviceKey,
        token_hash: account.tokenHash,
        created_ms: account.createdMs,
        expires_ms: account.expiresMs,
      };
      // One statement decides who has the name: a reservation that is over gives way.
      const added = await db
        .insertInto('pending_accounts')
        .values({ username_key: normaliseName(account.username), ...values })
        .onConflict((conflict) =>
          conflict
            .column('username_key')
            .doUpdateSet(values)
            .where('pending_accounts.expires_ms', '<=', account.createdMs),
        )
        .returning('username_key')
        .execute();
      return added.length > 0;
    },
    async isNameTaken(username, nowMs) {
      const row = await db
        .selectFrom('pending_accounts')
        .select('username_key')
        .where('username_key', '=', normaliseName(username))
        .where('expires_ms', '>', nowMs)
        .executeTakeFirst();
      return row !== undefined;
    },
    async findLatest(email, nowMs) {
      const row = await db
        .selectFrom('pending_accounts')
        .selectAll()
        .where('email_key', '=', normaliseName(email))
        .where('expires_ms', '>', nowMs)
        .orderBy('created_ms', 'desc')
        .orderBy('username_key', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row ? toPending(row) : null;
    },
    async renew(username, tokenHash, expiresMs) {
      await db
        .updateTable('pending_accounts')
        .set({ token_hash: tokenHash, expires_ms: expiresMs })
        .where('username_key', '=', normaliseName(username))
        .execute();
    },
    async take(tokenHash, nowMs) {
      // One statement: of many that come at once, one finds it.
      const row = await db
        .deleteFrom('pending_accounts')
        .where('token_hash', '=', tokenHash)
        .where('expires_ms', '>', nowMs)
        .returningAll()
        .executeTakeFirst();
      return row ? toPending(row) : null;
    },
    async purge(nowMs) {
      await db.deleteFrom('pending_accounts').where('expires_ms', '<=', nowMs).execute();
    },
  };
}
