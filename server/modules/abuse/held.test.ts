import { afterEach, describe, expect, test, setDefaultTimeout } from 'bun:test';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import { abuseWorld, type AbuseWorld } from '#tests/support/abuse.ts';
import { openTab } from '#tests/support/afk-tab.ts';
import { atOnce, codeOf, nth, withRights } from '#tests/support/coins.ts';
import { ENGINES, proveLedger } from '#tests/support/db.ts';

// Thousands of rewards, or fifty commands at once on a database server, take their time on a busy machine.
setDefaultTimeout(300_000);
let world: AbuseWorld;
afterEach(() => world.close());

const all = { sort: { key: 'created', dir: 'desc' }, offset: 0, limit: 50 } as const;
const waiting = async () => (await world.abuse.list({ ...all, state: 'open' })).rows;
const heldOf = async (id: string) => await world.uow.read((tx) => tx.ledger.balance(`hold:${id}`));

describe.each(ENGINES)('rewards on hold on %s', (engine) => {
  test('a reward of a suspect waits on hold, with its explanation, and another’s is paid', async () => {
    world = await abuseWorld(engine);
    const suspect = await world.suspect();
    const honest = await world.person();
    expect(await world.pay(honest)).toMatchObject({ state: 'paid', balance: 10 });
    expect(await world.pay(suspect, { subject: 'Linkvertise' })).toMatchObject({ state: 'held', balance: 0 });
    expect(await heldOf(suspect.actor.userId)).toBe(10);
    expect(await waiting()).toMatchObject([
      {
        userId: suspect.actor.userId,
        source: 'link',
        amount: 10,
        parts: 1,
        subject: 'Linkvertise',
        cause: 'score',
        score: 75,
        releaseMs: null,
        state: 'open',
        reasons: [
          { code: 'deviceShared', weight: 70, count: 3 },
          { code: 'addressShared', weight: 5, count: 3 },
        ],
      },
    ]);
    const bell = await world.uow.read((tx) => tx.notifications.latest(suspect.actor.userId, 5));
    expect(bell.map(({ kind, data }) => [kind, data])).toEqual([['rewardHeld', { cost: 10 }]]);
    // Nobody is banned.
    expect((await world.uow.read((tx) => tx.identity.findUser(suspect.actor.userId)))?.status).toBe('active');
  });

  test('E6 the first rewards of a possible burst wait some minutes, and are then paid or left to staff', async () => {
    world = await abuseWorld(engine);
    const join = async (device: string, address = '203.0.113.9') => {
      const person = await world.person(0, 0);
      await world.see(person, address, device);
      return person;
    };
    const elsewhere = '203.0.113.10';
    for (let index = 0; index < 6; index += 1)
      await Promise.all([join(`own-${index}`), join(`their-${index}`, elsewhere)]);
    const [brother, sister] = [await join('family'), await join('family')];
    expect(await world.pay(brother)).toMatchObject({ state: 'held' });
    expect(await world.pay(sister, { source: 'afk', amount: 2, pool: 'afk' })).toMatchObject({ state: 'held' });
    // Parts that come meanwhile wait with it, also many at once.
    expect(
      await atOnce(20, (index) =>
        world.pay(sister, { source: 'afk', amount: 2, pool: 'afk', reference: `minute:${index}` }),
      ),
    ).toEqual({ ok: 20 });
    const [first, second] = [await join('farm', elsewhere), await join('farm', elsewhere)];
    expect(await world.pay(first)).toMatchObject({ state: 'held' });
    expect(await world.pay(second)).toMatchObject({ state: 'held' });
    const rows = await waiting();
    expect(rows).toHaveLength(4);
    for (const row of rows) expect(row).toMatchObject({ cause: 'proof', releaseMs: world.clock.now() + 20 * MINUTE });
    expect(
      rows.flatMap(({ reasons }) => reasons.map(({ code }) => code)).filter((code) => code === 'burst'),
    ).toHaveLength(4);
    // Not before their time, and not by a second account of theirs.
    expect(await world.abuse.releaseDue()).toBe(0);
    for (let index = 0; index < 4; index += 1) await join('farm', elsewhere);
    world.pass(20 * MINUTE);
    const released = await Promise.all([world.abuse.releaseDue(), world.abuse.releaseDue()]);
    expect(released.reduce((sum, count) => sum + count, 0)).toBe(2);
    expect([await world.balance(brother), await world.balance(sister)]).toEqual([10, 42]);
    expect([await world.balance(first), await heldOf(first.actor.userId)]).toEqual([0, 10]);
    expect((await waiting()).map(({ userId, cause, releaseMs }) => ({ userId, cause, releaseMs }))).toEqual(
      [second, first].map(({ actor }) => ({ userId: actor.userId, cause: 'score', releaseMs: null })),
    );
    // Who is not new any more is not kept waiting.
    world.pass(HOUR);
    expect(await world.pay(brother)).toMatchObject({ state: 'paid' });
    // And a host who does not want it switches it off.
    await world.settings.set(null, { abuse_wait_minutes: 0 });
    for (let index = 0; index < 6; index += 1) await join(`late-${index}`);
    expect(await world.pay(await join('late-0'))).toMatchObject({ state: 'paid' });
    await proveLedger(world.uow);
  });

  test('E6 throw-away mail, a shared address and the same code within the hour weigh together', async () => {
    world = await abuseWorld(engine);
    await world.settings.set(null, { abuse_wait_minutes: 0 });
    await world.code('CLASS', { uses: 100 });
    const join = async (index: number, mail: string) => {
      const person = await world.person(0, 0);
      await world.db.sql('UPDATE users SET email_key = ? WHERE id = ? RETURNING id', [
        `p${index}@${mail}`,
        person.actor.userId,
      ]);
      await world.see(person, '2001:db8::1', `own-${index}`);
      return world.redeem.redeem(person, 'CLASS');
    };
    const throwaway: string[] = [];
    for (let index = 0; index < 8; index += 1) throwaway.push((await join(index, 'mailinator.com')).state);
    expect(throwaway).toEqual(['paid', 'paid', 'paid', 'held', 'held', 'held', 'held', 'held']);
    expect(nth(await waiting(), 0).reasons).toEqual([
      { code: 'addressShared', weight: 5, count: 7 },
      { code: 'throwawayAround', weight: 25, count: 7 },
      { code: 'disposableMail', weight: 25, count: null },
      { code: 'codeShared', weight: 5, count: 7 },
    ]);
    // The same code in the hands of a class with mail of their own holds nothing.
    for (let index = 10; index < 40; index += 1) expect((await join(index, 'school.example')).state).toBe('paid');
  });

  test('E6 the most that one code among many adds is enough at the threshold itself, and not a point above it', async () => {
    world = await abuseWorld(engine);
    await world.settings.set(null, { abuse_wait_minutes: 0, abuse_threshold: 46 });
    await world.code('CLASS', { uses: 100 });
    const people: Awaited<ReturnType<AbuseWorld['person']>>[] = [];
    for (let index = 0; index < 7; index += 1) {
      const person = await world.person();
      await world.see(person, `203.0.113.${index + 1}`, 'school');
      people.push(person);
      // They came one by one: a computer of a school.
      world.pass(2 * DAY);
    }
    const redeem = async (index: number) => (await world.redeem.redeem(nth(people, index), 'CLASS')).state;
    for (let index = 0; index < 6; index += 1) expect(await redeem(index)).toBe('paid');
    await world.settings.set(null, { abuse_threshold: 45 });
    expect(await redeem(6)).toBe('held');
    expect(nth(await waiting(), 0).reasons).toEqual([
      { code: 'deviceSpread', weight: 15, count: 6 },
      { code: 'codeShared', weight: 30, count: 6 },
    ]);
  });

  test('AFK minutes of a suspect wait as one, also fifty at once', async () => {
    world = await abuseWorld(engine);
    const suspect = await world.suspect();
    await world.pay(suspect, { source: 'afk', amount: 1, pool: 'afk', reference: 'afk:s:0' });
    const tally = await atOnce(50, (index) =>
      world.pay(suspect, { source: 'afk', amount: 2, pool: 'afk', reference: `afk:s:${index + 1}` }),
    );
    expect(tally).toEqual({ ok: 50 });
    expect(await waiting()).toMatchObject([{ source: 'afk', amount: 101, parts: 51 }]);
    expect(await heldOf(suspect.actor.userId)).toBe(101);
    await proveLedger(world.uow);
    // What comes after the decision begins a new one.
    const staff = withRights(await world.person(), 'admin.rewards.held.edit');
    await world.abuse.decide(staff, nth(await waiting(), 0).id, 'release');
    await world.pay(suspect, { source: 'afk', amount: 1, pool: 'afk', reference: 'afk:s:later' });
    expect(await waiting()).toMatchObject([{ amount: 1, parts: 1 }]);
    expect(await world.balance(suspect)).toBe(101);
  });

  test('a reward without proof waits its hours, is then released at a low score, and else left to staff', async () => {
    world = await abuseWorld(engine);
    const honest = await world.person();
    const later = await world.suspect();
    await world.settings.set(null, { abuse_threshold: 1000 });
    await world.pay(honest, { proof: false, amount: 4 });
    await world.pay(later, { proof: false, amount: 6 });
    await world.settings.set(null, { abuse_threshold: 60 });
    expect((await waiting()).map(({ cause }) => cause)).toEqual(['proof', 'proof']);
    world.pass(24 * HOUR - 1);
    expect(await world.abuse.releaseDue()).toBe(0);
    world.pass(1);
    expect(
      (await Promise.all(Array.from({ length: 20 }, () => world.abuse.releaseDue()))).reduce(
        (sum, count) => sum + count,
        0,
      ),
    ).toBe(1);
    expect([await world.balance(honest), await world.balance(later)]).toEqual([4, 0]);
    expect(await waiting()).toMatchObject([
      {
        userId: later.actor.userId,
        cause: 'score',
        releaseMs: null,
        reasons: [{ code: 'deviceShared' }, { code: 'addressShared' }, { code: 'noProof' }],
      },
    ]);
    expect(await world.abuse.releaseDue()).toBe(0);
  });

  test('a reward without proof is left to staff from a score of exactly the threshold on', async () => {
    world = await abuseWorld(engine);
    const suspect = await world.suspect();
    const due = async (threshold: number) => {
      await world.settings.set(null, { abuse_threshold: 1000 });
      await world.pay(suspect, { proof: false });
      world.pass(24 * HOUR);
      await world.settings.set(null, { abuse_threshold: threshold });
      return world.abuse.releaseDue();
    };
    expect(await due(1)).toBe(0);
    const score = nth(await waiting(), 0).score;
    expect([await due(score), await due(score + 1)]).toEqual([0, 1]);
  });

  test('a reward without proof of somebody who was banned meanwhile is left to staff', async () => {
    world = await abuseWorld(engine);
    const banned = await world.person();
    const honest = await world.person();
    await world.pay(banned, { proof: false });
    await world.pay(honest, { proof: false });
    await world.uow.run((tx) =>
      tx.identity.setStatus(banned.actor.userId, 'banned', { reason: 'a reason', untilMs: null }, world.clock.now()),
    );
    world.pass(24 * HOUR);
    expect(await world.abuse.releaseDue()).toBe(1);
    expect([await world.balance(banned), await heldOf(banned.actor.userId), await world.balance(honest)]).toEqual([
      0, 10, 10,
    ]);
    expect(await waiting()).toMatchObject([{ userId: banned.actor.userId, releaseMs: null }]);
  });

  test('a waiting reward is reversed by its reference, and a paid one is not', async () => {
    world = await abuseWorld(engine);
    const suspect = await world.suspect();
    await world.pay(suspect, { source: 'j4r', reference: 'j4r:1:2', amount: 9 });
    const cancel = () => world.uow.run((tx) => world.payout.cancelHeld(tx, 'j4r:1:2'));
    expect([await cancel(), await cancel()]).toEqual([true, false]);
    expect(await world.uow.read((tx) => world.counters.state(tx, suspect.actor.userId, 'j4r'))).toMatchObject({
      earnedToday: 0,
      budgetUsed: 0,
    });
    expect([await world.balance(suspect), await heldOf(suspect.actor.userId)]).toEqual([0, 0]);
  });
});

test('a threshold of one is met by the least sign, one at the score itself too, and without one nobody waits', async () => {
  world = await abuseWorld();
  const [suspect, honest] = [await world.suspect(), await world.person()];
  const states = async (threshold: number) => {
    await world.settings.set(null, { abuse_threshold: threshold });
    return [(await world.pay(suspect)).state, (await world.pay(honest)).state];
  };
  expect(await states(1)).toEqual(['held', 'paid']);
  // The suspect's score is 75.
  expect([await states(75), await states(76), await states(0)]).toEqual([
    ['held', 'paid'],
    ['paid', 'paid'],
    ['paid', 'paid'],
  ]);
});

test('a burst is waited out where the wait is a single minute', async () => {
  world = await abuseWorld();
  await world.settings.set(null, { abuse_wait_minutes: 1 });
  const join = async (device: string) => {
    const person = await world.person(0, 0);
    await world.see(person, '203.0.113.9', device);
    return person;
  };
  for (let index = 0; index < 6; index += 1) await join(`own-${index}`);
  const [brother] = [await join('family'), await join('family')];
  expect(await world.pay(brother)).toMatchObject({ state: 'held' });
  expect((await waiting()).map(({ releaseMs }) => releaseMs)).toEqual([world.clock.now() + MINUTE]);
});

test('a code of a suspect is redeemed once and waits; a beat of theirs is counted and waits', async () => {
  world = await abuseWorld();
  const suspect = await world.suspect();
  await world.code('WELCOME', { credits: 50 });
  expect(await world.redeem.redeem(suspect, 'WELCOME')).toEqual({ credits: 50, balance: 0, state: 'held' });
  expect(await codeOf(world.redeem.redeem(suspect, 'WELCOME'))).toBe('CODE_ALREADY_USED');
  expect((await world.redeem.page(suspect)).earnedToday).toBe(50);
  // Minutes by the server's clock are counted as any others, and wait as one.
  const tab = await openTab(world, suspect);
  for (let beat = 0; beat < 7; beat += 1) await tab.live();
  await tab.leave();
  const { held, earnedToday } = await world.afk.state(suspect);
  expect({ held, earnedToday }).toEqual({ held: 2, earnedToday: 2 });
  expect((await waiting()).filter(({ source }) => source === 'afk')).toMatchObject([{ amount: 2, parts: 2 }]);
  expect(await world.balance(suspect)).toBe(0);
});

test('verify names a reward on hold whose hold is not what it says', async () => {
  world = await abuseWorld();
  const suspect = await world.suspect();
  await world.pay(suspect);
  const { id } = nth(await waiting(), 0);
  const faults = () => world.uow.read((tx) => tx.ledger.verify());
  expect(await faults()).toEqual([]);
  await world.db.sql('UPDATE held_rewards SET amount = 11 WHERE id = ? RETURNING id', [id]);
  expect(await faults()).toEqual([
    expect.objectContaining({ proof: 'heldRewards', account: `hold:${suspect.actor.userId}`, id }),
  ]);
  await world.db.sql(
    "UPDATE held_rewards SET amount = 10, state = 'released', decided_ms = 1 WHERE id = ? RETURNING id",
    [id],
  );
  expect(await faults()).toEqual([
    expect.objectContaining({ proof: 'heldRewards', account: `hold:${suspect.actor.userId}`, id }),
  ]);
  await world.db.sql("UPDATE held_rewards SET state = 'open', decided_ms = NULL WHERE id = ? RETURNING id", [id]);
});
