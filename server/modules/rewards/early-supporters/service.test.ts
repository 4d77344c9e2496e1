import { afterEach, describe, expect, test } from 'bun:test';
import type { SignedIn } from '#server/modules/kernel.ts';
import type { ReviewPolicy } from '#server/modules/rewards/payout/index.ts';
import { toCredits } from '#shared/credits.ts';
import { DAY, HOUR } from '#shared/time.ts';
import { nth } from '#tests/support/coins.ts';
import { Crash, crashing, type CrashingUow } from '#tests/support/crash.ts';
import { ENGINES } from '#tests/support/db.ts';
import { inviteWorld, type InviteWorld, rewardDecided } from '#tests/support/invites.ts';

// Shows behaviour 4.7. Every world proves its ledger when it is closed.

let world: InviteWorld;
afterEach(() => world.close());

const enable = (more: Readonly<Record<string, unknown>> = {}) =>
  world.settings.set(null, { early_supporters_enabled: true, ...more });
/** Somebody who played enough, of which the feature hears where it is on. */
async function player(ageMs = 30 * DAY): Promise<SignedIn> {
  const ctx = await world.someone(ageMs);
  await world.afkMinutes(ctx, 30);
  await world.uow.run((tx) => world.events.emit(tx, 'afk.minutes_paid', { userId: ctx.actor.userId, minutes: 30 }));
  return ctx;
}
const players = (count: number) => Promise.all(Array.from({ length: count }, () => player()));
const check = ({ actor }: SignedIn) => world.supporters.check(actor.userId);
/** The task runs until nothing is due. */
async function runTask(ms = 0): Promise<void> {
  world.clock.advance(ms);
  for (let run = 0; run < 20 && (await world.supporters.checkDue()) > 0; run += 1);
}
const rowOf = ({ actor }: SignedIn) => world.uow.read((tx) => tx.earlySupporters.find(actor.userId));
const stateOf = async (ctx: SignedIn) => (await rowOf(ctx))?.state ?? null;
const viewOf = ({ actor }: SignedIn) => world.uow.read((tx) => world.supporters.view(tx, actor.userId));
const taken = () => world.uow.read((tx) => tx.earlySupporters.taken());
const decide = (name: 'reward.released' | 'reward.rejected', ctx: SignedIn) =>
  world.uow.run((tx) => world.events.emit(tx, name, rewardDecided(ctx, `early_supporters:${ctx.actor.userId}`)));
/** Keeps every reward on hold. */
const holding: ReviewPolicy = { hold: async () => ({ txId: crypto.randomUUID() }), cancel: async () => false };

describe.each([...ENGINES])('early supporters on %s', (engine) => {
  test('a user who qualifies is paid once, hears of it, and has a place', async () => {
    world = await inviteWorld(engine);
    await enable({ early_supporters_count: 2 });
    const ann = await player(DAY - HOUR);
    expect(await viewOf(ann)).toMatchObject({ left: 2, count: 2, credits: 100, state: 'pending' });
    expect((await viewOf(ann))?.checks).toEqual({ verified: true, age: false, active: true });
    await runTask();
    expect(await world.balance(ann)).toBe(0);
    await runTask(HOUR);
    expect(await world.balance(ann)).toBe(100);
    expect(await viewOf(ann)).toMatchObject({ left: 1, state: 'paid', credits: 100, checks: null });
    expect(await world.kinds(ann)).toEqual(['earlySupporterPaid']);
    const lines = await world.db.sql('SELECT kind, reference FROM ledger_transactions');
    expect(lines).toEqual([{ kind: 'reward.early_supporters', reference: `early_supporters:${ann.actor.userId}` }]);
    await runTask(40 * DAY);
    expect(await world.balance(ann)).toBe(100);
  }, 20_000);

  test('T16 twenty users who qualify at once are paid no more often than there are places', async () => {
    world = await inviteWorld(engine);
    await enable({ early_supporters_count: 3 });
    const all = await players(20);
    await Promise.all(all.flatMap((each) => [check(each), check(each)]));
    const balances = await Promise.all(all.map(world.balance));
    expect(balances.filter((credits) => credits === 100)).toHaveLength(3);
    expect(balances.filter((credits) => credits === 0)).toHaveLength(17);
    expect([await taken(), (await viewOf(nth(all, 0)))?.left]).toEqual([3, 0]);
    await runTask(2 * DAY);
    expect(await taken()).toBe(3);
    await enable({ early_supporters_count: 5 });
    await runTask();
    expect((await Promise.all(all.map(stateOf))).filter((state) => state === 'paid')).toHaveLength(5);
    // Fewer places take nothing back.
    await enable({ early_supporters_count: 1 });
    await runTask(DAY);
    expect([await taken(), (await viewOf(nth(all, 0)))?.left]).toEqual([5, 0]);
  });

  test('T16 a user who is checked fifty times at once is paid once', async () => {
    world = await inviteWorld(engine);
    await enable();
    const ann = await player();
    await Promise.all(Array.from({ length: 50 }, () => check(ann)));
    expect([await world.balance(ann), await taken()]).toEqual([100, 1]);
  });

  test('whoever played before the feature was on is found, the oldest account first, also after it was off', async () => {
    world = await inviteWorld(engine);
    const [ann, bob, cid] = [await player(), await player(), await player()];
    const idle = await world.someone();
    await world.db.sql("UPDATE users SET status = 'banned' WHERE id = ?", [ann.actor.userId]);
    await world.db.sql('UPDATE users SET created_ms = created_ms - 1000 WHERE id = ?', [cid.actor.userId]);
    expect(await rowOf(bob)).toBeNull();
    await enable({ early_supporters_count: 1 });
    await runTask();
    expect([await stateOf(ann), await stateOf(bob), await stateOf(cid)]).toEqual([null, 'pending', 'paid']);
    expect(await rowOf(idle)).toBeNull();
    await enable({ early_supporters_enabled: false, early_supporters_count: 3 });
    await world.db.sql(
      "INSERT INTO server_events (id, server_id, user_id, at_ms, code) VALUES ('e1', 's1', ?, 1, 'ready')",
      [idle.actor.userId],
    );
    await check(bob);
    await runTask();
    expect([await stateOf(bob), await viewOf(bob), await rowOf(idle)]).toEqual(['pending', null, null]);
    await enable();
    await runTask();
    expect([await stateOf(bob), await stateOf(idle)]).toEqual(['paid', 'paid']);
  });

  test('a spent budget delays the reward and costs nobody their place', async () => {
    world = await inviteWorld(engine);
    await enable({ early_supporters_count: 2, early_supporters_daily_budget: 150 });
    const all = await players(3);
    for (const each of all) await check(each);
    expect(await Promise.all(all.map(stateOf))).toEqual(['paid', 'qualified', 'pending']);
    expect(await viewOf(nth(all, 1))).toMatchObject({ state: 'qualified', reason: 'budget', credits: 100 });
    // What was promised stays, whatever the setting says by then.
    await enable({ early_supporters_amount: 1 });
    await runTask(DAY);
    expect(await Promise.all(all.map(world.balance))).toEqual([100, 100, 0]);
    expect((await rowOf(nth(all, 1)))?.reason).toBeNull();
    await enable({ early_supporters_count: 3, early_supporters_daily_cap: 50, early_supporters_amount: 60 });
    await runTask();
    expect(await viewOf(nth(all, 2))).toMatchObject({ state: 'qualified', reason: 'cap' });
  });

  test('an address that has to be confirmed comes first, before the place and before the reward', async () => {
    world = await inviteWorld(engine);
    await enable({ early_supporters_daily_budget: 50 });
    world.verification.on = true;
    const ann = await player();
    await world.db.sql('UPDATE users SET verified_ms = NULL WHERE id = ?', [ann.actor.userId]);
    await runTask();
    expect(await stateOf(ann)).toBe('pending');
    world.verification.on = false;
    await runTask(DAY);
    expect(await viewOf(ann)).toMatchObject({ state: 'qualified', reason: 'budget' });
    world.verification.on = true;
    await enable({ early_supporters_daily_budget: 0 });
    await runTask(HOUR);
    expect(await viewOf(ann)).toMatchObject({ state: 'qualified', reason: 'unverified' });
    await world.db.sql('UPDATE users SET verified_ms = 1 WHERE id = ?', [ann.actor.userId]);
    await runTask(HOUR);
    expect(await world.balance(ann)).toBe(100);
  });

  test('a reward on hold keeps its place; rejected it is free for the next one, released it is paid', async () => {
    world = await inviteWorld(engine, { reviewPolicy: holding });
    await enable({ early_supporters_count: 2 });
    const [ann, bob, cid] = [await player(), await player(), await player()];
    for (const each of [ann, bob, cid]) await check(each);
    expect(await Promise.all([ann, bob, cid].map(stateOf))).toEqual(['held', 'held', 'pending']);
    expect(await world.kinds(ann)).toEqual(['earlySupporterHeld']);
    await Promise.all(Array.from({ length: 10 }, () => decide('reward.rejected', ann)));
    await decide('reward.released', bob);
    expect(await taken()).toBe(1);
    await runTask(HOUR);
    expect(await Promise.all([ann, bob, cid].map(stateOf))).toEqual(['refused', 'paid', 'held']);
    // Whoever was refused has no second go.
    await world.uow.run((tx) => tx.earlySupporters.nominate(ann.actor.userId, world.clock.now(), world.clock.now()));
    await decide('reward.rejected', cid);
    await runTask(DAY);
    expect([await stateOf(ann), await taken()]).toEqual(['refused', 1]);
  });

  test('T34 whoever is banned between place and reward gives the place back, and waits for one when unbanned', async () => {
    world = await inviteWorld(engine);
    await enable({ early_supporters_count: 1, early_supporters_daily_budget: 50 });
    const [ann, bob] = [await player(), await player()];
    await check(ann);
    await world.db.sql("UPDATE users SET status = 'banned' WHERE id = ?", [ann.actor.userId]);
    await enable({ early_supporters_daily_budget: 0 });
    await check(ann);
    expect([await stateOf(ann), await taken()]).toEqual(['pending', 0]);
    await runTask();
    expect([await stateOf(bob), await world.balance(ann)]).toEqual(['paid', 0]);
    await world.db.sql("UPDATE users SET status = 'active' WHERE id = ?", [ann.actor.userId]);
    await enable({ early_supporters_count: 2 });
    await runTask(DAY);
    expect(await world.balance(ann)).toBe(100);
  });

  test('a deleted account waits for nothing, and gives an unpaid place back; what was paid keeps its place', async () => {
    world = await inviteWorld(engine);
    await enable({ early_supporters_count: 2, early_supporters_daily_budget: 150 });
    const [ann, bob, cid] = [await player(), await player(), await player()];
    for (const each of [ann, bob, cid]) await check(each);
    expect(await Promise.all([ann, bob, cid].map(stateOf))).toEqual(['paid', 'qualified', 'pending']);
    for (const { actor } of [ann, bob, cid])
      await world.uow.run((tx) => world.events.emit(tx, 'user.deleted', { userId: actor.userId }));
    expect(await Promise.all([ann, bob, cid].map(stateOf))).toEqual(['paid', 'refused', 'refused']);
    expect(await taken()).toBe(1);
  });

  test('one user whose check fails holds up no other', async () => {
    world = await inviteWorld(engine);
    await enable();
    const [ann, bob] = [await player(), await player()];
    const { userId } = ann.actor;
    // What the ledger refuses: the reference is there already.
    await world.uow.run((tx) =>
      world.ledger.transfer(tx, {
        kind: 'adjustment',
        reference: `early_supporters:${userId}`,
        postings: [{ source: 'system:adjustment', destination: `user:${userId}`, amount: toCredits(1) }],
      }),
    );
    await runTask();
    expect([await world.balance(ann), await world.balance(bob)]).toEqual([1, 100]);
    expect(world.log.lines.some((line) => JSON.stringify(line).includes('early_supporter.check_failed'))).toBe(true);
  });
});

test('T10 a check that breaks off at any statement pays once in the end, and loses no place', async () => {
  for (let at = 1; ; at += 1) {
    let broken: CrashingUow | undefined;
    world = await inviteWorld('sqlite', { over: (uow) => (broken = crashing(uow)) });
    await enable({ early_supporters_count: 1 });
    const ann = await player();
    broken?.arm(at);
    const outcome = await check(ann).catch((error: unknown) => error);
    const crashed = broken?.disarm() === true;
    if (crashed) expect(outcome).toBeInstanceOf(Crash);
    await runTask(HOUR);
    expect([await world.balance(ann), await taken(), await stateOf(ann)]).toEqual([100, 1, 'paid']);
    if (!crashed) break;
    await world.close();
  }
});
