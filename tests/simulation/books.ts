import type { Clock } from '#server/modules/kernel.ts';
import { DAY } from '#shared/time.ts';
import type { TestDb } from '#tests/support/db.ts';

/** Terms of renewal in the simulation: short, so that many periods pass. Credits and days. */
export const TERMS = { cost: 10, days: 1, maxDays: 3, graceDays: 1 } as const;

interface Expiry {
  readonly id: string;
  readonly user_id: string;
  readonly expires_ms: number;
}

/**
 * What was given and paid, as somebody writes it down who sees only the answers and the dates of expiry: neither the
 * ledger nor the count of periods.
 */
export function createBooks(db: TestDb, clock: Clock) {
  const given = new Map<string, number>();
  const paid = new Map<string, number>();
  const periods = new Map<string, number>();
  const faults: string[] = [];
  const add = (to: Map<string, number>, key: string, amount: number) => void to.set(key, (to.get(key) ?? 0) + amount);

  const expiries = async () =>
    new Map(
      (await db.sql<Expiry>('SELECT id, user_id, expires_ms FROM servers WHERE expires_ms IS NOT NULL')).map((row) => [
        row.id,
        row,
      ]),
    );
  function pays(userId: string, serverId: string): void {
    add(paid, userId, TERMS.cost);
    add(periods, serverId, 1);
  }
  return {
    faults,
    gave: (userId: string, credits: number) => add(given, userId, credits),
    /** A renewal that was answered with yes. */
    pays,
    /** Does what renews by itself: an expiry that moved meanwhile was paid for, and by one period. */
    async around(work: () => Promise<void>): Promise<void> {
      const before = await expiries();
      await work();
      for (const [id, row] of await expiries()) {
        const old = before.get(id)?.expires_ms;
        if (old === undefined || old === row.expires_ms) continue;
        if (row.expires_ms !== Math.max(old, clock.now()) + TERMS.days * DAY)
          faults.push(`${id} was renewed from ${old} to ${row.expires_ms} at ${clock.now()}`);
        pays(row.user_id, id);
      }
    },
    balances: (): ReadonlyMap<string, number> =>
      new Map([...given].map(([userId, credits]) => [userId, credits - (paid.get(userId) ?? 0)])),
    periods: (): ReadonlyMap<string, number> => periods,
  };
}
