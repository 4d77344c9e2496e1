import type { Raw } from '#server/data/raw.ts';
import { findRow, insertNew, lockRow } from '#server/data/row.ts';
import type { LimitsRepo } from '#server/modules/limits/ports.ts';
import { RESOURCE_KINDS, type Resources } from '#shared/constants.ts';
import { DomainError } from '#shared/errors.ts';

/** What a server holds: everything but the deleted and the failed, so queued and reserved ones too (behaviour 6.1). */
const USED = `SELECT CAST(COALESCE(SUM(memory), 0) AS BIGINT) AS memory, CAST(COALESCE(SUM(disk), 0) AS BIGINT) AS disk,
  CAST(COALESCE(SUM(cpu), 0) AS BIGINT) AS cpu, COUNT(*) AS slots, CAST(COALESCE(SUM(ports), 0) AS BIGINT) AS ports,
  CAST(COALESCE(SUM(databases), 0) AS BIGINT) AS databases, CAST(COALESCE(SUM(backups), 0) AS BIGINT) AS backups
  FROM servers WHERE user_id = ? AND state NOT IN ('deleted', 'failed')`;

const resourcesOf = ({ memory, disk, cpu, slots, ports, databases, backups }: Resources): Resources => ({
  memory,
  disk,
  cpu,
  slots,
  ports,
  databases,
  backups,
});

/** Limits of users in the database. A user without a row has none: everything is 0, which is not unlimited. */
export function createLimitsRepo(raw: Raw): LimitsRepo {
  const nothing = (): Resources => ({ memory: 0, disk: 0, cpu: 0, slots: 0, ports: 0, databases: 0, backups: 0 });
  return {
    async create(userId, limits) {
      await insertNew(raw, 'user_limits', { user_id: userId, ...resourcesOf(limits) });
    },
    async of(userId) {
      const row = await findRow(raw, 'user_limits', { user_id: userId });
      return row ? resourcesOf(row) : nothing();
    },
    async used(userId) {
      return (await raw.one<Resources>(USED, [userId])) ?? nothing();
    },
    async lock(userId) {
      if (raw.dialect === 'postgres') await lockRow(raw, 'user_limits', { user_id: userId });
    },
    async add(userId, kind, delta, max = Number.MAX_SAFE_INTEGER) {
      if (!RESOURCE_KINDS.includes(kind)) throw new TypeError(`not a kind of resource: ${String(kind)}`);
      const row = await raw.one<{ amount: number }>(
        `UPDATE user_limits SET ${kind} = ${kind} + ? WHERE user_id = ? AND ${kind} + ? BETWEEN 0 AND ? RETURNING ${kind} AS amount`,
        [delta, userId, delta, max],
      );
      if (!row) throw new DomainError('LIMIT_REACHED');
      return row.amount;
    },
  };
}
