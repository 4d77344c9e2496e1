import { expect, test } from 'bun:test';
import { RESOURCE_KINDS } from '#shared/constants.ts';
import { codeOf } from '#tests/support/coins.ts';
import { Crash } from '#tests/support/crash.ts';
import { proveLedger } from '#tests/support/db.ts';
import { fromEnvironment, seeded } from '#tests/support/random.ts';
import { nextOperation, type Operation, type Player, type Story } from './operations.ts';
import { plainModel } from './plain.ts';
import { openProduct, type Product } from './product.ts';

const OPERATIONS = fromEnvironment('MODEL_OPERATIONS', 2500);
const SEED = fromEnvironment('MODEL_SEED', 20_260_310);
/** Calls of a repository after which a transaction is broken off, at most: for commands of every length, up to more than the longest makes. */
const LENGTHS = [3, 8, 24];

async function begin(product: Product): Promise<Story> {
  const plain = plainModel(product.clock.now());
  const players: Player[] = [];
  for (let index = 0; index < 4; index++) {
    const { ctx, serverId, expiresMs } = await product.player();
    const [limits, used] = [await product.uow.read((tx) => tx.limits.of(ctx.actor.userId)), await product.used(ctx)];
    players.push({ ctx, serverId, plain: plain.addUser(limits, used, expiresMs), afkId: null });
  }
  plain.pass(product.clock.now() - plain.now());
  const items = (await product.uow.read((tx) => tx.store.items())).map(({ id, kind, quantity, price, limitTotal }) => ({ id, kind, quantity, price, limit: limitTotal }));
  return { product, plain, random: seeded(SEED), players, items, purchases: [], holds: [], texts: ['NEVER'], repeats: [], count: 0 };
}

/** Runs one operation on both sides, broken off somewhere in a third of the cases. Gives whether it was. */
async function act(story: Story, operation: Operation): Promise<boolean> {
  const { product, random } = story;
  if (random.chance(0.35)) product.breaker.arm(1 + random.int(random.pick(LENGTHS)));
  let answer: unknown;
  let fault: unknown;
  const code = await codeOf(
    operation.run().then(
      (value) => (answer = value),
      (error: unknown) => {
        if (!(error instanceof Crash)) throw error;
        fault = error;
      },
    ),
  );
  const broken = product.breaker.disarm();
  expect(fault instanceof Crash).toBe(broken);
  if (!broken) expect(code).toBe(operation.apply(answer));
  return broken;
}

/** Compares everything a user has on both sides. */
async function compare({ product, plain }: Story, { ctx, plain: user }: Player): Promise<void> {
  const { userId } = ctx.actor;
  const real = await product.uow.read(async (tx) => ({
    balance: await product.ledger.balance(tx, `user:${userId}`),
    held: await product.ledger.held(tx, userId),
    limits: await tx.limits.of(userId),
    afkToday: await tx.counters.get(userId, 'afk', new Date(plain.now()).toISOString().slice(0, 10)),
    redeemToday: await tx.counters.get(userId, 'redeem', new Date(plain.now()).toISOString().slice(0, 10)),
    afk: await tx.afk.open(userId).then((row) => row && { minutes: row.minutes, countedMs: row.countedMs - row.minutes * 60_000 }),
  }));
  expect(real).toEqual({
    balance: user.balance,
    held: user.held,
    limits: user.limits,
    afkToday: plain.earnedToday(user, 'afk'),
    redeemToday: plain.earnedToday(user, 'redeem'),
    afk: user.afk && { minutes: user.afk.minutes, countedMs: user.afk.countedMs },
  });
}

test(`T10 ${OPERATIONS} commands on credits, a third of them broken off, leave what a plain model says`, async () => {
  const product = await openProduct();
  const story = await begin(product);
  const tally = { done: 0, broken: 0 };
  for (let index = 0; index < OPERATIONS; index++) {
    const operation = nextOperation(story);
    try {
      if (await act(story, operation)) tally.broken += 1;
      else tally.done += 1;
      for (const player of story.players) await compare(story, player);
    } catch (error) {
      throw new Error(`seed ${SEED}, operation ${index} (${operation.text}): ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
    if (index % 500 === 499) await proveLedger(product.uow);
  }
  await sumUp(story);
  expect(tally.broken).toBeGreaterThan(OPERATIONS / 20);
  await product.close();
}, 600_000);

/** At the end: what was bought, redeemed and reserved stands in the tables as often as in the model, and every credit is somewhere. */
async function sumUp({ product, players, purchases, holds }: Story): Promise<void> {
  const count = async (sql: string) => (await product.db.sql<{ count: number }>(sql))[0]?.count;
  expect(await count('SELECT COUNT(*) AS count FROM store_purchases')).toBe(purchases.length);
  expect(await count('SELECT COUNT(*) AS count FROM store_purchases WHERE refunded_ms IS NOT NULL')).toBe(purchases.filter(({ refunded }) => refunded).length);
  expect(await count('SELECT COUNT(*) AS count FROM redeem_uses')).toBe(players.reduce((sum, { plain }) => sum + plain.redeemed.size, 0));
  expect(await count("SELECT COUNT(*) AS count FROM ledger_holds WHERE state = 'open'")).toBe(holds.filter(({ open }) => open).length);
  const { circulation } = await product.uow.read((tx) => product.ledger.totals(tx, 0));
  expect(await count("SELECT COUNT(*) AS count FROM ledger_transactions WHERE kind IN ('reward.afk', 'server.renew')")).toBeGreaterThan(0);
  expect(circulation).toBe(players.reduce((sum, { plain }) => sum + plain.balance + plain.held, 0));
  for (const { plain } of players) for (const kind of RESOURCE_KINDS) expect(plain.limits[kind]).toBeGreaterThanOrEqual(plain.used[kind]);
}
