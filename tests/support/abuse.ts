import { networks } from '#server/abuse/networks.ts';
import { createKeyed } from '#server/keyed.ts';
import { createAbuse, type LinkedIdentity, type Verdict } from '#server/modules/abuse/index.ts';
import type { SignedIn } from '#server/modules/kernel.ts';
import { createAfk } from '#server/modules/rewards/afk/index.ts';
import { createPayout, type Reward } from '#server/modules/rewards/payout/index.ts';
import { createRedeem } from '#server/modules/rewards/redeem/index.ts';
import { coinWorld } from './coins.ts';
import type { Engine } from './db.ts';
import { TEST_KEY, testSealer } from './sealing.ts';

export type AbuseWorld = Awaited<ReturnType<typeof abuseWorld>>;

/**
 * The world of coins with the review policy in it: everything that earns pays through it. The VPN provider answers what
 * the test says, and counts.
 */
export async function abuseWorld(engine: Engine = 'sqlite') {
  const world = await coinWorld(engine);
  const { uow, clock, ids, settings, ledger, counters, db, bus, timer, events } = world;
  const links = new Map<string, LinkedIdentity[]>();
  const provider = { answer: 'clean' as Verdict, asked: [] as string[] };
  const abuseDeps: Parameters<typeof createAbuse>[0] = {
    uow,
    long: db.database.long,
    clock,
    ids,
    settings,
    ledger,
    counters,
    events,
    log: db.log,
    sealer: testSealer,
    keyed: createKeyed(TEST_KEY),
    networks,
    vpnProvider: { ask: async (address) => (provider.asked.push(address), provider.answer) },
    identities: { listByUser: async (_tx, userId) => links.get(userId) ?? [] },
  };
  const abuse = createAbuse(abuseDeps);
  const payout = createPayout({ ledger, counters, reviewPolicy: abuse.reviewPolicy });
  const deps = { uow, clock, ids, bus, timer, settings, ledger, counters, payout, events };
  let paid = 0;
  return {
    ...world,
    abuseDeps,
    abuse,
    payout,
    links,
    provider,
    redeem: createRedeem(deps),
    afk: createAfk(deps),
    /** Lets a user be seen at an address with a device. */
    async see({ actor }: SignedIn, address: string, device: string | null): Promise<void> {
      await abuse.observe({ userId: actor.userId, sessionId: actor.sessionId, address, device });
    },
    /** Pays a reward as an earning source does; 10 credits from a link unless told otherwise. */
    pay({ actor }: SignedIn, more: Partial<Reward> = {}) {
      paid += 1;
      return uow.run((tx) =>
        payout.pay(tx, {
          userId: actor.userId,
          source: 'link',
          amount: 10,
          reference: `test:${paid}`,
          subject: null,
          ...more,
        }),
      );
    },
    /** Makes somebody's rewards be held: four accounts on one device. */
    async suspect(): Promise<SignedIn> {
      const all = [await world.person(), await world.person(), await world.person(), await world.person()];
      for (const each of all)
        await abuse.observe({
          userId: each.actor.userId,
          sessionId: each.actor.sessionId,
          address: '198.51.100.4',
          device: `shared-${all[0]?.actor.userId}`,
        });
      const [first] = all;
      if (!first) throw new Error('nobody');
      return first;
    },
    /** Runs the jobs of the VPN check that wait. */
    async lookUp(): Promise<void> {
      const jobs = await db.sql<{ id: string; payload: string }>(
        "SELECT id, payload FROM jobs WHERE kind = 'abuse.vpn' AND state = 'ready'",
      );
      for (const { id, payload } of jobs) {
        await abuse.vpnJob.handle(JSON.parse(payload));
        await db.sql("UPDATE jobs SET state = 'done' WHERE id = ? RETURNING id", [id]);
      }
    },
  };
}
