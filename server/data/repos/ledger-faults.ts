import type { Kysely } from 'kysely';
import type { DB } from '#server/data/schema.ts';
import type { LedgerFault, LedgerFaultsRepo } from '#server/modules/ledger/ports.ts';
import type { LedgerProof } from '#shared/ledger.ts';

/** One row a proof and what it is about, however its amounts move. */
const nameOf = ({ proof, account, id }: Pick<LedgerFault, 'proof' | 'account' | 'id'>) =>
  `${proof}:${account ?? ''}:${id ?? ''}`;

/** What the last proof of the ledger found, and the accounts that are frozen for it. */
export function createLedgerFaultsRepo(db: Kysely<DB>): LedgerFaultsRepo {
  return {
    async list(limit) {
      const rows = await db
        .selectFrom('ledger_faults as fault')
        // The accounts of users have prefixes of one length: user:, hold:, debt:.
        .leftJoin('users', (join) =>
          join.on((eb) => eb('users.id', '=', eb.fn<string>('substr', ['fault.account', eb.lit(6)]))),
        )
        .selectAll('fault')
        .select('users.username')
        .orderBy('fault.first_ms')
        .orderBy('fault.id')
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        proof: row.proof as LedgerProof,
        account: row.account,
        username: row.username,
        id: row.row_id,
        stored: row.stored,
        expected: row.expected,
        firstMs: row.first_ms,
      }));
    },
    async count() {
      const { n } = await db
        .selectFrom('ledger_faults')
        .select(({ fn }) => fn.countAll<number>().as('n'))
        .executeTakeFirstOrThrow();
      return Number(n);
    },
    async record(fault, nowMs) {
      const { proof, account, id, stored, expected } = fault;
      const name = nameOf(fault);
      const row = { proof, account, row_id: id, stored, expected, seen_ms: nowMs };
      const added = await db
        .insertInto('ledger_faults')
        .values({ ...row, id: name, first_ms: nowMs })
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .execute();
      if (added.length > 0) return true;
      await db.updateTable('ledger_faults').set(row).where('id', '=', name).execute();
      return false;
    },
    async keepOnly(faults) {
      const kept = faults.map(nameOf);
      await (
        kept.length === 0 ? db.deleteFrom('ledger_faults') : db.deleteFrom('ledger_faults').where('id', 'not in', kept)
      ).execute();
    },
    async freeze(accounts, nowMs) {
      for (const account of accounts) {
        await db
          .insertInto('ledger_balances')
          .values({ account, balance: 0, frozen_ms: nowMs })
          .onConflict((conflict) =>
            conflict.columns(['account', 'shard']).doUpdateSet(({ ref, fn }) => ({
              frozen_ms: fn.coalesce(ref('ledger_balances.frozen_ms'), ref('excluded.frozen_ms')),
            })),
          )
          .execute();
      }
    },
    async unfreezeOthers(accounts) {
      let query = db.updateTable('ledger_balances').set({ frozen_ms: null }).where('frozen_ms', 'is not', null);
      if (accounts.length > 0) query = query.where('account', 'not in', [...accounts]);
      const freed = await query.returning('account').execute();
      return freed.map(({ account }) => account);
    },
  };
}
