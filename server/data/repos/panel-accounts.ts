import type { Kysely, Selectable } from 'kysely';
import type { DB, PanelAccountCodes, Users } from '#server/data/schema.ts';
import type { AccountCode, PanelsRepo, AccountUser } from '#server/modules/panels/ports.ts';

/** Addresses asked for in one statement. */
const CHUNK = 200;
/** As users are found by their address. */
const keyOf = (text: string): string => text.normalize('NFKC').toLowerCase();

const toAccountUser = (
  row: Pick<Selectable<Users>, 'id' | 'username' | 'email' | 'first_name' | 'last_name' | 'verified_ms'>,
): AccountUser => ({
  id: row.id,
  username: row.username,
  email: row.email,
  firstName: row.first_name,
  lastName: row.last_name,
  confirmed: row.verified_ms !== null,
});
const toCode = (row: Selectable<PanelAccountCodes>): AccountCode => ({
  panelId: row.panel_id,
  userId: row.user_id,
  account: row.account,
  email: row.email,
  codeHash: row.code_hash,
  tries: row.tries,
  expiresMs: row.expires_ms,
});

type AccountsPart = Pick<
  PanelsRepo,
  'listUsersByEmail' | 'findUser' | 'saveCode' | 'findCode' | 'countCodeTry' | 'deleteCode'
>;

/** Users by their addresses, and the codes by which they prove accounts in panels. */
export function accountsPart(db: Kysely<DB>): AccountsPart {
  const users = () =>
    db.selectFrom('users').select(['id', 'username', 'email', 'first_name', 'last_name', 'verified_ms']);
  const selectCode = (panelId: string, userId: string) =>
    db.selectFrom('panel_account_codes').selectAll().where('panel_id', '=', panelId).where('user_id', '=', userId);
  return {
    async listUsersByEmail(emails) {
      const keys = [...new Set(emails.map(keyOf))];
      const found: AccountUser[] = [];
      for (let from = 0; from < keys.length; from += CHUNK) {
        const rows = await users()
          .where('email_key', 'in', keys.slice(from, from + CHUNK))
          .execute();
        found.push(...rows.map(toAccountUser));
      }
      return found;
    },
    async findUser(userId) {
      const row = await users().where('id', '=', userId).executeTakeFirst();
      return row ? toAccountUser(row) : null;
    },
    async saveCode({ panelId, userId, account, email, codeHash, tries, expiresMs }) {
      const values = { account, email, code_hash: codeHash, tries, expires_ms: expiresMs };
      await db
        .insertInto('panel_account_codes')
        .values({ panel_id: panelId, user_id: userId, ...values })
        .onConflict((conflict) => conflict.columns(['panel_id', 'user_id']).doUpdateSet(values))
        .execute();
    },
    async findCode(panelId, userId) {
      const row = await selectCode(panelId, userId).executeTakeFirst();
      return row ? toCode(row) : null;
    },
    async countCodeTry(panelId, userId, most) {
      const [row] = await db
        .updateTable('panel_account_codes')
        .set((eb) => ({ tries: eb('tries', '+', 1) }))
        .where('panel_id', '=', panelId)
        .where('user_id', '=', userId)
        .where('tries', '<', most)
        .returningAll()
        .execute();
      return row ? toCode(row) : null;
    },
    async deleteCode(panelId, userId, codeHash) {
      const gone = await db
        .deleteFrom('panel_account_codes')
        .where('panel_id', '=', panelId)
        .where('user_id', '=', userId)
        .where('code_hash', '=', codeHash)
        .returning('user_id')
        .execute();
      return gone.length > 0;
    },
  };
}
