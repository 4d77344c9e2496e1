import type { Kysely, Selectable } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import { insertNew } from '#server/data/row.ts';
import type { DB, Passkeys } from '#server/data/schema.ts';
import type { PasskeyRow, PasskeysRepo } from '#server/modules/passkeys/ports.ts';

const toRow = (row: Selectable<Passkeys>): PasskeyRow => ({
  id: row.id,
  userId: row.user_id,
  credentialId: row.credential_id,
  publicKey: row.public_key,
  counter: row.counter,
  transports: row.transports.split(' ').filter(Boolean),
  multiDevice: row.multi_device === 1,
  backedUp: row.backed_up === 1,
  name: row.name,
  createdMs: row.created_ms,
  usedMs: row.used_ms,
  copiedMs: row.copied_ms,
});

/** Passkeys in the database. */
export function createPasskeysRepo(db: Kysely<DB>, raw: Raw): PasskeysRepo {
  const where = () => db.selectFrom('passkeys').selectAll();
  return {
    list: async (userId) =>
      (await where().where('user_id', '=', userId).orderBy('created_ms').orderBy('id').execute()).map(toRow),
    async find(id) {
      const row = await where().where('id', '=', id).executeTakeFirst();
      return row ? toRow(row) : null;
    },
    async findByCredential(credentialId) {
      const row = await where().where('credential_id', '=', credentialId).executeTakeFirst();
      return row ? toRow(row) : null;
    },
    add: (passkey) =>
      insertNew(raw, 'passkeys', {
        id: passkey.id,
        user_id: passkey.userId,
        credential_id: passkey.credentialId,
        public_key: passkey.publicKey,
        counter: passkey.counter,
        transports: passkey.transports.join(' '),
        multi_device: Number(passkey.multiDevice),
        backed_up: Number(passkey.backedUp),
        name: passkey.name,
        created_ms: passkey.createdMs,
        used_ms: null,
        copied_ms: null,
      }),
    async rename(id, name) {
      await db.updateTable('passkeys').set({ name }).where('id', '=', id).execute();
    },
    async recordUse(id, { counter, backedUp, atMs }) {
      await db
        .updateTable('passkeys')
        .set({ counter, backed_up: Number(backedUp), used_ms: atMs })
        .where('id', '=', id)
        .execute();
    },
    async recordCopy(id, atMs) {
      await db.updateTable('passkeys').set({ copied_ms: atMs }).where('id', '=', id).execute();
    },
    async remove(id) {
      await db.deleteFrom('passkeys').where('id', '=', id).execute();
    },
    async removeAll(userId) {
      await db.deleteFrom('passkeys').where('user_id', '=', userId).execute();
    },
  };
}
