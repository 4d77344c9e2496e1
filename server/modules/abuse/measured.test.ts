import { afterEach, expect, test, setDefaultTimeout } from 'bun:test';
import { HOUR, MINUTE } from '#shared/time.ts';
import type { SignedIn } from '#server/modules/kernel.ts';
import { abuseWorld, type AbuseWorld } from '#tests/support/abuse.ts';
import { seeded } from '#tests/support/random.ts';

/** The score, measured on people who never existed: a school behind one address, and a farm. */
// Thousands of rewards, or fifty commands at once on a database server, take their time on a busy machine.
setDefaultTimeout(60_000);
let world: AbuseWorld;
afterEach(() => world.close());

const PEOPLE = 200;
const DAYS = 5;
/** Rewards of a person a day, in all sources. */
const A_DAY = ['afk', 'afk', 'link', 'redeem'] as const;

/** Everybody joins, a few minutes apart, and earns from the first minute on. Out: what was held of how much, in rewards and in credits. */
async function live(place: (index: number, day: number) => { address: string; device: string }, people = PEOPLE): Promise<{ rewards: number; held: number; credits: number; heldCredits: number }> {
  const sum = { rewards: 0, held: 0, credits: 0, heldCredits: 0 };
  const everybody: SignedIn[] = [];
  const earn = async (person: SignedIn, source: (typeof A_DAY)[number]) => {
    const amount = source === 'afk' ? 1 : 20;
    const { state } = await world.pay(person, { source, amount, ...(source === 'afk' ? { pool: 'afk' } : {}) });
    sum.rewards += 1;
    sum.credits += amount;
    if (state === 'held') [sum.held, sum.heldCredits] = [sum.held + 1, sum.heldCredits + amount];
  };
  const visit = async (person: SignedIn, index: number, day: number) => {
    const { address, device } = place(index, day);
    await world.see(person, address, device);
  };
  for (let index = 0; index < people; index += 1) {
    const person = await world.person(0, 0);
    everybody.push(person);
    await visit(person, index, 0);
    await earn(person, 'afk');
    world.pass(2 * MINUTE);
  }
  for (let day = 1; day <= DAYS; day += 1) {
    world.pass(16 * HOUR);
    for (const [index, person] of everybody.entries()) {
      await visit(person, index, day);
      for (const source of A_DAY) await earn(person, source);
    }
  }
  return sum;
}

test('T19 a school: 200 people behind one address with their own devices, and nothing of theirs is held', async () => {
  world = await abuseWorld();
  await world.settings.set(null, { vpn_check: true });
  const random = seeded(7);
  const measured = await live((index, day) => ({ address: day > 0 && random.chance(0.3) ? `198.51.100.${index % 250}` : '203.0.113.1', device: `own-${index}` }));
  expect(measured).toMatchObject({ rewards: PEOPLE * (1 + DAYS * A_DAY.length), held: 0, heldCredits: 0 });
});

test('a farm: 200 accounts behind five addresses on shared devices, and at least 95 % of their rewards are held', async () => {
  world = await abuseWorld();
  const measured = await live((index) => ({ address: `203.0.113.${index % 5}`, device: `phone-${index % 20}` }));
  expect(measured.rewards).toBe(PEOPLE * (1 + DAYS * A_DAY.length));
  expect(measured.held / measured.rewards).toBeGreaterThanOrEqual(0.95);
  expect(measured.heldCredits / measured.credits).toBeGreaterThanOrEqual(0.95);
  // Nobody is banned, and nothing is lost: it all waits.
  expect(await world.db.sql("SELECT id FROM users WHERE status <> 'active'")).toEqual([]);
  expect((await world.abuse.list({ sort: { key: 'created', dir: 'asc' }, offset: 0, limit: 1 })).open.credits).toBe(measured.heldCredits);
});

test('families: up to three accounts on one computer behind one address earn as they did', async () => {
  world = await abuseWorld();
  const measured = await live((index) => ({ address: `203.0.113.${Math.floor(index / 3)}`, device: `computer-${Math.floor(index / 3)}` }), 60);
  expect(measured).toMatchObject({ rewards: 60 * (1 + DAYS * A_DAY.length), held: 0 });
});
