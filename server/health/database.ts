import type { Database } from '#server/data/open.ts';
import { bytes, count, defineCheck, span, text, type HealthCheck } from '#server/modules/health/index.ts';
import type { Clock } from '#server/modules/kernel.ts';
import { growthOf } from './growth.ts';

type Checked = Pick<Database, 'dialect' | 'uow' | 'ping' | 'size' | 'migrationState'>;
interface Deps {
  readonly database: Checked;
  readonly clock: Clock;
}

/** An answer to the smallest question takes longer than this. */
const SLOW_MS = 250;
/** A write-ahead log of SQLite is larger than this: something keeps it from being folded into the file. */
const LOG_BYTES = 1024 ** 3;

const nameOf = ({ dialect }: Checked) => text(dialect === 'postgres' ? 'PostgreSQL' : 'SQLite');

/** Whether the database answers and can be written. */
function databaseCheck({ database }: Deps) {
  return defineCheck({
    key: 'database',
    codes: { ok: 'ok', slow: 'warning', away: 'critical' },
    async run() {
      const started = performance.now();
      try {
        await database.ping();
      } catch {
        return { code: 'away', facts: { engine: nameOf(database) } };
      }
      const took = performance.now() - started;
      return {
        code: took > SLOW_MS ? 'slow' : 'ok',
        facts: { engine: nameOf(database), took: span(took) },
        figure: Math.round(took),
      };
    },
  });
}

/** Whether the tables are those of this version. */
function migrationsCheck({ database }: Deps) {
  return defineCheck({
    key: 'migrations',
    codes: { ok: 'ok', missing: 'critical', newer: 'critical' },
    async run() {
      const { applied, missing, unknown } = await database.migrationState();
      if (unknown.length > 0) return { code: 'newer', facts: { names: text(unknown.join(', ')) } };
      if (missing.length > 0)
        return { code: 'missing', facts: { count: count(missing.length), names: text(missing.join(', ')) } };
      return { code: 'ok', facts: { count: count(applied) } };
    },
  });
}

/** How much the data take, and how much more a day. */
function sizeCheck({ database, clock }: Deps) {
  return defineCheck({
    key: 'size',
    codes: { ok: 'ok', grows: 'ok', log: 'warning' },
    async run() {
      const { bytes: fileBytes, logBytes } = await database.size();
      // What was written last is in the log until it is folded into the file.
      const size = fileBytes + (logBytes ?? 0);
      const facts = { size: bytes(size), log: bytes(logBytes ?? 0) };
      if (logBytes !== null && logBytes > LOG_BYTES) return { code: 'log', facts, figure: size };
      const perDay = await growthOf(database.uow, { key: 'size', figure: size, nowMs: clock.now() });
      return perDay !== null && perDay > 0
        ? { code: 'grows', facts: { ...facts, growth: bytes(perDay) }, figure: size }
        : { code: 'ok', facts, figure: size };
    },
  });
}

/** The checks that need no table of this version. */
export function tableChecks(deps: Deps): readonly HealthCheck[] {
  return [databaseCheck(deps), migrationsCheck(deps)];
}

/** The checks of the database itself. */
export function databaseChecks(deps: Deps): readonly HealthCheck[] {
  return [...tableChecks(deps), sizeCheck(deps)];
}
