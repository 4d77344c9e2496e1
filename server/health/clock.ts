import type { Database } from '#server/data/open.ts';
import { count, defineCheck, span, type HealthCheck } from '#server/modules/health/index.ts';
import type { Clock } from '#server/modules/kernel.ts';
import { SECOND } from '#shared/time.ts';
import type { OutsideClocks } from './outside-clocks.ts';

interface Deps {
  readonly clock: Clock;
  readonly database: Pick<Database, 'dialect' | 'read'>;
  readonly clocks: Pick<OutsideClocks, 'read'>;
}

/** From how far off on it is worth a word; codes of a second factor change every 30 s. */
const OFF_MS = 5 * SECOND;
const FAR_MS = 30 * SECOND;

/** This machine's clock, against that of PostgreSQL and those of the services that answered lately. */
export function clockCheck({ clock, database, clocks }: Deps): HealthCheck {
  return defineCheck({
    key: 'clock',
    codes: { ok: 'ok', alone: 'ok', off: 'warning', far: 'critical' },
    async run() {
      const outside = clocks.read();
      const offsets = [
        ...(outside ? [outside.offsetMs] : []),
        ...(database.dialect === 'postgres' ? [await offsetOfDatabase(database, clock)] : []),
      ];
      if (offsets.length === 0) return { code: 'alone' };
      const off = Math.max(...offsets.map(Math.abs));
      return {
        code: off >= FAR_MS ? 'far' : off >= OFF_MS ? 'off' : 'ok',
        facts: { off: span(off), count: count((outside?.hosts ?? 0) + (database.dialect === 'postgres' ? 1 : 0)) },
        figure: Math.round(off),
      };
    },
  });
}

/** How far our clock is ahead of the database's, in ms. */
async function offsetOfDatabase(database: Deps['database'], clock: Clock): Promise<number> {
  const row = await database.read(({ raw }) =>
    raw.one<{ now_ms: number }>('SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) AS now_ms'),
  );
  return clock.now() - Number(row?.now_ms ?? clock.now());
}
