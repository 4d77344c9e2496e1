import { createAfk } from '#server/modules/rewards/afk/index.ts';
import { createCounters } from '#server/modules/rewards/counters/index.ts';
import { createRedeem } from '#server/modules/rewards/redeem/index.ts';
import type { SignedIn } from '#server/modules/kernel.ts';
import { createStore } from '#server/modules/store/index.ts';
import { DAY } from '#shared/time.ts';
import { crashing, type CrashingUow } from '#tests/support/crash.ts';
import { serversWorld } from '#tests/support/servers.ts';
import { fakeTimer } from '#tests/support/timer.ts';
import { TERMS } from './plain.ts';

export type Product = Awaited<ReturnType<typeof openProduct>>;

/** Everything of the product that moves credits, over one SQLite file, with transactions that can be broken off. */
export async function openProduct() {
  let breaker: CrashingUow | undefined;
  const world = await serversWorld('sqlite', (uow) => (breaker = crashing(uow)));
  if (!breaker) throw new Error('the world did not take the unit of work');
  const { db, clock, ids, bus, settings, ledger, limits } = world;
  await settings.set(null, {
    afk_daily_cap: TERMS.cap, afk_per_minute: TERMS.perMinute, redeem_daily_cap: TERMS.redeemCap, redeem_daily_budget: TERMS.redeemBudget,
    redeem_wrong_tries: TERMS.tries, server_renew_cost: TERMS.cost, server_renew_days: TERMS.days, renew_max_days: TERMS.maxDays,
  });
  const timer = fakeTimer(clock);
  const deps = { uow: breaker, clock, ids, bus, timer, ledger, settings, limits, counters: createCounters({ clock, settings }) };
  return {
    ...world, breaker, timer,
    redeem: createRedeem(deps),
    store: createStore(deps),
    afk: createAfk(deps),
    /** A user with a login and a server that is up. */
    async player(): Promise<{ ctx: SignedIn; serverId: string; expiresMs: number }> {
      const ctx = await world.person({ limits: { memory: 1024, disk: 1024, cpu: 100, slots: 1, ports: 1, databases: 0, backups: 0 } });
      const { userId, sessionId } = ctx.actor;
      const now = clock.now();
      const login = { id: sessionId, userId, tokenHash: ids.token(), device: 'Firefox', userAgent: 'test', address: ctx.address };
      await db.uow.run((tx) => tx.identity.addSession({ ...login, createdMs: now, seenMs: now, expiresMs: now + 10_000 * DAY }));
      const serverId = await world.upServer(ctx);
      return { ctx, serverId, expiresMs: (await world.row(serverId)).expiresMs ?? 0 };
    },
  };
}
