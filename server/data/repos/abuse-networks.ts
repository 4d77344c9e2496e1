import type { Kysely } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import { findRow } from '#server/data/row.ts';
import type { DB } from '#server/data/schema.ts';
import { deleteAlongKey } from '#server/data/slices.ts';
import type { AbuseRepo, Verdict } from '#server/modules/abuse/ports.ts';

const VERDICTS = { table: 'network_verdicts', key: 'value', age: 'until_ms' } as const;

type NetworksPart = Pick<
  AbuseRepo,
  'findVerdict' | 'setVerdict' | 'deleteVerdicts' | 'findNetworkList' | 'findNetworkListTime' | 'setNetworkList'
>;

/** Lists of networks, and what was learned about addresses, in the database. */
export function networksPart(db: Kysely<DB>, raw: Raw): NetworksPart {
  return {
    async findVerdict(value, nowMs) {
      const row = await findRow(raw, 'network_verdicts', { value });
      return row && row.until_ms > nowMs ? (row.verdict as Verdict) : null;
    },
    async setVerdict(value, verdict, untilMs) {
      await db
        .insertInto('network_verdicts')
        .values({ value, verdict, until_ms: untilMs })
        .onConflict((conflict) => conflict.column('value').doUpdateSet({ verdict, until_ms: untilMs }))
        .execute();
    },
    deleteVerdicts: (beforeMs, afterKey, limit) => deleteAlongKey(raw, VERDICTS, beforeMs, afterKey, limit),
    async findNetworkList(name) {
      const row = await db.selectFrom('network_lists').selectAll().where('name', '=', name).executeTakeFirst();
      return row ? { body: row.body, ranges: row.ranges, updatedMs: row.updated_ms } : null;
    },
    async findNetworkListTime(name) {
      const row = await db.selectFrom('network_lists').select('updated_ms').where('name', '=', name).executeTakeFirst();
      return row?.updated_ms ?? null;
    },
    async setNetworkList(name, list) {
      if (!list) return void (await db.deleteFrom('network_lists').where('name', '=', name).execute());
      const values = { body: list.body, ranges: list.ranges, updated_ms: list.updatedMs };
      await db
        .insertInto('network_lists')
        .values({ name, ...values })
        .onConflict((conflict) => conflict.column('name').doUpdateSet(values))
        .execute();
    },
  };
}
