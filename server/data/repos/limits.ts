import type { Kysely } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import type { DB } from '#server/data/schema.ts';
import type { LimitsRepo } from '#server/modules/limits/ports.ts';
import { RESOURCE_KINDS, type Resources } from '#shared/constants.ts';
import { DomainError } from '#shared/errors.ts';

const COLUMNS = RESOURCE_KINDS.join(', ');
const LOCK = 'SELECT user_id FROM user_limits WHERE user_id = ?';
/** What a server holds: everything but the deleted and the failed, so queued and reserved ones too (behaviour 6.1). */
const USED = `SELECT CAST(COALESCE(SUM(memory), 0) AS BIGINT) AS memory, CAST(COALESCE(SUM(disk), 0) AS BIGINT) AS disk,
  CAST(COALESCE(SUM(cpu), 0) AS BIGINT) AS cpu, COUNT(*) AS slots, CAST(COALESCE(SUM(ports), 0) AS BIGINT) AS ports,
  CAST(COALESCE(SUM(databases), 0) AS BIGINT) AS databases, CAST(COALESCE(SUM(backups), 0) AS BIGINT) AS backups
  FROM servers WHERE user_id = ? AND state NOT IN ('deleted', 'failed')`;

/** Limits of users in the database. A user without a row has none: everything is 0, which is not unlimited. */
export function createLimitsRepo(_db: Kysely<DB>, raw: Raw): LimitsRepo {
  const nothing = (): Resources => ({ memory: 0, disk: 0, cpu: 0, slots: 0, ports: 0, databases: 0, backups: 0 });
  return {
    async create(userId, limits) {
      await raw.run(
        `INSERT INTO user_limits (user_id, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
        [userId, ...RESOURCE_KINDS.map((kind) => limits[kind])],
      );
    },
    async of(userId) {
      return (await raw.one<Resources>(`SELECT ${COLUMNS} FROM user_limits WHERE user_id = ?`, [userId])) ?? nothing();
    },
    async used(userId) {
      return (await raw.one<Resources>(USED, [userId])) ?? nothing();
    },
    async lock(userId) {
      if (raw.dialect === 'postgres') await raw.all(`${LOCK} FOR UPDATE`, [userId]);
    },
    async add(userId, kind, delta) {
      if (!RESOURCE_KINDS.includes(kind)) throw new TypeError(`not a kind of resource: ${String(kind)}`);
      const row = await raw.one<{ amount: number }>(
        `UPDATE user_limits SET ${kind} = ${kind} + ? WHERE user_id = ? AND ${kind} + ? >= 0 RETURNING ${kind} AS amount`,
        [delta, userId, delta],
      );
      if (!row) throw new DomainError('LIMIT_REACHED');
      return row.amount;
    },
  };
}
