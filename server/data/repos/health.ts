import type { Raw } from '#server/data/raw.ts';
import type { HealthRepo } from '#server/modules/health/ports.ts';

/** The history of checks in the database. */
export function createHealthRepo(raw: Raw): HealthRepo {
  return {
    async add(atMs, samples) {
      for (const { key, subject, rank, figure } of samples)
        await raw.run(
          `INSERT INTO health_samples (at_ms, check_key, subject, status_rank, figure) VALUES (?, ?, ?, ?, ?)
           ON CONFLICT (at_ms, check_key, subject) DO NOTHING`,
          [atMs, key, subject, rank, figure],
        );
    },
    async list(sinceMs, stretchMs) {
      const rows = await raw.all<{ key: string; subject: string; slot: number; worst: number; figure: number | null }>(
        `SELECT check_key AS key, subject, at_ms / ${Math.trunc(stretchMs)} AS slot, MAX(status_rank) AS worst,
           CAST(AVG(figure) AS BIGINT) AS figure
         FROM health_samples WHERE at_ms >= ? GROUP BY 1, 2, 3 ORDER BY 3, 1, 2`,
        [sinceMs],
      );
      return rows.map(({ key, subject, slot, worst, figure }) => ({
        key,
        subject,
        slot: Number(slot),
        rank: Number(worst),
        figure: figure === null ? null : Number(figure),
      }));
    },
    async findFirst(key, subject) {
      const row = await raw.one<{ at_ms: number; figure: number }>(
        'SELECT at_ms, figure FROM health_samples WHERE check_key = ? AND subject = ? AND figure IS NOT NULL ORDER BY at_ms LIMIT 1',
        [key, subject],
      );
      return row ? { atMs: row.at_ms, figure: row.figure } : null;
    },
    async queue(nowMs) {
      const row = await raw.one<{ due: number; oldest: number | null; dead: number }>(
        `SELECT COUNT(*) AS due, MIN(run_at_ms) AS oldest, (SELECT COUNT(*) FROM jobs WHERE state = 'dead') AS dead
         FROM jobs WHERE state = 'ready' AND run_at_ms <= ? AND lease_until_ms <= ? AND limit_key IS NULL`,
        [nowMs, nowMs],
      );
      return { due: row?.due ?? 0, oldestMs: row?.oldest ?? null, dead: row?.dead ?? 0 };
    },
    async purge(beforeMs) {
      await raw.run('DELETE FROM health_samples WHERE at_ms < ?', [beforeMs]);
    },
  };
}
