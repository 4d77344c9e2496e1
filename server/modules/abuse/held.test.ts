import { afterEach, describe, expect, test, setDefaultTimeout } from 'bun:test';
import { HOUR, MINUTE } from '#shared/time.ts';
import { createAbuse } from '#server/modules/abuse/index.ts';
import { abuseWorld, type AbuseWorld } from '#tests/support/abuse.ts';
import { openTab } from '#tests/support/afk-tab.ts';
import { atOnce, codeOf, keyed, nth, withRights } from '#tests/support/coins.ts';
import { ENGINES, proveLedger } from '#tests/support/db.ts';

// Thousands of rewards, or fifty commands at once on a database server, take their time on a busy machine.
setDefaultTimeout(300_000);
let world: AbuseWorld;
afterEach(() => world.close());

const all = { sort: { key: 'created', dir: 'desc' }, offset: 0, limit: 50 } as const;
const waiting = async () => (await world.abuse.list({ ...all, state: 'open' })).rows;
const heldOf = async (id: string) => await world.uow.read((tx) => tx.ledger.balance(`hold:${id}`));

describe.each([...ENGINES])('rewards on hold on %s', (engine) => {
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

  test('fifty approvals and rejections at once decide one time, and the credits go one way', async () => {
    world = await abuseWorld(engine);
    const suspect = await world.suspect();
    const staff = withRights(await world.person(), 'admin.rewards.held.edit');
    await world.pay(suspect, { amount: 30 });
    const { id } = nth(await waiting(), 0);
    const tally = await atOnce(50, (index) => world.abuse.decide(staff, id, index % 2 === 0 ? 'release' : 'reject'));
    expect(tally).toEqual({ ok: 1, HOLD_CLOSED: 49 });
    const { rows } = await world.abuse.list(all);
    expect(await heldOf(suspect.actor.userId)).toBe(0);
    expect(await world.balance(suspect)).toBe(nth(rows, 0).state === 'released' ? 30 : 0);
    await proveLedger(world.uow);
  });

  test('an approved reward is paid, a rejected one goes back, each once and each in the audit log', async () => {
    world = await abuseWorld(engine);
    const suspect = await world.suspect();
    const staff = withRights(await world.person(), 'admin.rewards.held.edit');
    await world.pay(suspect, { amount: 30, reference: 'a' });
    await world.pay(suspect, { amount: 7, reference: 'b' });
    const rows = await waiting();
    const [a, b] = ['a', 'b'].map((reference) => rows.find((row) => row.reference === reference)?.id ?? '');
    await world.abuse.decide(staff, a ?? '', 'release');
    await world.abuse.decide(staff, b ?? '', 'reject');
    expect(await world.balance(suspect)).toBe(30);
    expect(await world.uow.read((tx) => tx.ledger.balance('system:reward.link'))).toBe(-30);
    const references = await world.db.sql<{ kind: string; reference: string }>(
      "SELECT kind, reference FROM ledger_transactions WHERE kind LIKE 'reward.re%' ORDER BY kind",
    );
    expect(references).toEqual([
      { kind: 'reward.rejected', reference: `reward.reject:${b}` },
      { kind: 'reward.released', reference: `reward.release:${a}` },
    ]);
    expect(
      (await world.uow.read((tx) => tx.audit.latest(5))).map(({ action, actorId, target }) => [
        action,
        actorId,
        target,
      ]),
    ).toContainEqual(['held_rewards.release', staff.actor.userId, a ?? '']);
    expect(await codeOf(world.abuse.decide(staff, a ?? '', 'reject'))).toBe('HOLD_CLOSED');
    expect(await codeOf(world.abuse.decide(staff, '00000000-0000-7000-8000-000000000000', 'release'))).toBe(
      'NOT_FOUND',
    );
    // The same reward is not earned again while or after it waited.
    expect(await codeOf(world.pay(suspect, { reference: 'a' }))).toBe('DUPLICATE_REFERENCE');
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

  test('minutes that come while staff decide are neither lost nor paid twice', async () => {
    world = await abuseWorld(engine);
    const suspect = await world.suspect();
    const staff = withRights(await world.person(), 'admin.rewards.held.edit');
    await world.pay(suspect, { source: 'afk', amount: 5, pool: 'afk', reference: 'p:0' });
    const { id } = nth(await waiting(), 0);
    await Promise.all([
      ...Array.from({ length: 25 }, (_, index) =>
        world.pay(suspect, { source: 'afk', amount: 1, pool: 'afk', reference: `p:${index + 1}` }),
      ),
      world.abuse.decide(staff, id, 'release'),
    ]);
    expect((await world.balance(suspect)) + (await heldOf(suspect.actor.userId))).toBe(30);
    await proveLedger(world.uow);
  });

  test('several are decided at once; those that cannot be are counted', async () => {
    world = await abuseWorld(engine);
    const suspect = await world.suspect();
    const staff = withRights(await world.person(), 'admin.rewards.held.edit');
    for (const amount of [1, 2, 3]) await world.pay(suspect, { amount });
    const ids = (await waiting()).map(({ id }) => id);
    await world.abuse.decide(staff, nth(ids, 0), 'reject');
    expect(
      await world.abuse.decideMany(staff, [...ids, nth(ids, 1), '00000000-0000-7000-8000-000000000000'], 'release'),
    ).toEqual({ done: 2, refused: 2 });
    expect(await world.abuse.decideMany(staff, ids, 'reject')).toEqual({ done: 0, refused: 3 });
  });

  test('a decision repeated with its key gets its first answer, for one reward and for several', async () => {
    world = await abuseWorld(engine);
    const suspect = await world.suspect();
    const staff = withRights(await world.person(), 'admin.rewards.held.edit');
    for (const amount of [1, 2, 4]) await world.pay(suspect, { amount });
    const [one = '', ...others] = (await waiting()).map(({ id }) => id);
    const first = keyed(staff, 'one-reward');
    expect(await atOnce(20, () => world.abuse.decide(first, one, 'release'))).toEqual({ ok: 20 });
    expect(await codeOf(world.abuse.decide(keyed(staff, 'another-key'), one, 'release'))).toBe('HOLD_CLOSED');
    const several = keyed(staff, 'several-rewards');
    for (let turn = 0; turn < 3; turn += 1)
      expect(await world.abuse.decideMany(several, [one, ...others], 'release')).toEqual({ done: 2, refused: 1 });
    const mixed = world.abuse.decideMany(keyed(staff, 'several-rewards', 'other'), others, 'reject');
    expect(await codeOf(mixed)).toBe('IDEMPOTENCY_MISMATCH');
    expect([await world.balance(suspect), await heldOf(suspect.actor.userId)]).toEqual([7, 0]);
    await proveLedger(world.uow);
  });

  test('nobody decides on their own', async () => {
    world = await abuseWorld(engine);
    const suspect = await world.suspect();
    await world.pay(suspect);
    const { id } = nth(await waiting(), 0);
    expect(await codeOf(world.abuse.decide(withRights(suspect, 'admin.rewards.held.edit'), id, 'release'))).toBe(
      'FORBIDDEN',
    );
    expect(await world.abuse.decideMany(withRights(suspect, 'admin.rewards.held.edit'), [id], 'release')).toEqual({
      done: 0,
      refused: 1,
    });
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

  test('T9 T13 a reward on hold counts against cap and budget, and rejected on its day frees its share once, also fifty at once', async () => {
    world = await abuseWorld(engine);
    await world.settings.set(null, { link_daily_cap: 100, link_daily_budget: 150 });
    const [suspect, honest, staff] = [
      await world.suspect(),
      await world.person(),
      withRights(await world.person(), 'admin.rewards.held.edit'),
    ];
    const pay = (who: typeof honest, amount: number) => codeOf(world.pay(who, { amount }));
    expect([await pay(suspect, 60), await pay(suspect, 40), await pay(suspect, 1)]).toEqual([
      null,
      null,
      'DAILY_CAP_REACHED',
    ]);
    // A farm’s held rewards keep the budget from others only while they wait.
    expect(await pay(honest, 60)).toBe('BUDGET_SPENT');
    const ids = (await waiting()).map(({ id }) => id);
    expect(await atOnce(50, (index) => world.abuse.decide(staff, nth(ids, index % 2), 'reject'))).toEqual({
      ok: 2,
      HOLD_CLOSED: 48,
    });
    const used = async () => [
      await used1(suspect),
      await used1(honest),
      (await world.uow.read((tx) => world.counters.state(tx, honest.actor.userId, 'link'))).budgetUsed,
    ];
    const used1 = ({ actor }: typeof honest) =>
      world.uow.read((tx) => world.counters.earnedToday(tx, actor.userId, 'link'));
    expect(await used()).toEqual([0, 0, 0]);
    expect([await pay(honest, 60), await pay(suspect, 90), await pay(suspect, 1)]).toEqual([
      null,
      null,
      'BUDGET_SPENT',
    ]);
    // What is released stays counted.
    await world.abuse.decide(staff, nth(await waiting(), 0).id, 'release');
    expect(await used()).toEqual([90, 60, 150]);
  });

  test('T12 a reward rejected on a later day frees nothing of that day, but for its minutes of that day', async () => {
    world = await abuseWorld(engine);
    const [suspect, staff] = [await world.suspect(), withRights(await world.person(), 'admin.rewards.held.edit')];
    const minute = (n: number) => world.pay(suspect, { source: 'afk', amount: 5, pool: 'afk', reference: `m:${n}` });
    const today = () => world.uow.read((tx) => world.counters.state(tx, suspect.actor.userId, 'afk'));
    await world.pay(suspect, { source: 'link', amount: 20, reference: 'yesterday' });
    await minute(1);
    await minute(2);
    world.pass(24 * HOUR);
    await minute(3);
    await world.pay(suspect, { source: 'link', amount: 7, reference: 'today' });
    for (const { id } of (await waiting()).filter(({ reference }) => reference !== 'today'))
      await world.abuse.decide(staff, id, 'reject');
    expect(await today()).toMatchObject({ earnedToday: 0, budgetUsed: 0 });
    expect(await world.uow.read((tx) => world.counters.state(tx, suspect.actor.userId, 'link'))).toMatchObject({
      earnedToday: 7,
      budgetUsed: 7,
    });
    expect(
      (await world.uow.read((tx) => world.counters.week(tx, suspect.actor.userId, 'afk')))
        .slice(-2)
        .map(({ credits }) => credits),
    ).toEqual([10, 0]);
  });

  test('minutes that come while staff reject leave cap and budget at what was paid or waits', async () => {
    world = await abuseWorld(engine);
    const [suspect, staff] = [await world.suspect(), withRights(await world.person(), 'admin.rewards.held.edit')];
    await world.pay(suspect, { source: 'afk', amount: 5, pool: 'afk', reference: 'q:0' });
    const { id } = nth(await waiting(), 0);
    await Promise.all([
      ...Array.from({ length: 25 }, (_, index) =>
        world.pay(suspect, { source: 'afk', amount: 1, pool: 'afk', reference: `q:${index + 1}` }),
      ),
      world.abuse.decide(staff, id, 'reject'),
    ]);
    const { earnedToday, budgetUsed } = await world.uow.read((tx) =>
      world.counters.state(tx, suspect.actor.userId, 'afk'),
    );
    expect([earnedToday, budgetUsed]).toEqual(Array(2).fill(await heldOf(suspect.actor.userId)));
    await proveLedger(world.uow);
  });

  test('a hold has one note, by its user, while it waits', async () => {
    world = await abuseWorld(engine);
    const suspect = await world.suspect();
    const other = withRights(await world.person(), 'admin.rewards.held.edit');
    await world.pay(suspect);
    const { id } = nth(await waiting(), 0);
    expect(await codeOf(world.abuse.appeal(other, id, 'mine'))).toBe('NOT_FOUND');
    expect(await atOnce(50, (index) => world.abuse.appeal(suspect, id, `my brother plays here ${index}`))).toEqual({
      ok: 1,
      APPEAL_SENT: 49,
    });
    expect((await world.abuse.list({ ...all, note: true })).rows).toMatchObject([
      { note: expect.stringContaining('my brother') },
    ]);
    await world.abuse.decide(other, id, 'release');
    expect(await codeOf(world.abuse.appeal(suspect, id, 'again'))).toBe('HOLD_CLOSED');
  });
});

test('several decisions of which one fails for a fault of ours are no success', async () => {
  world = await abuseWorld();
  const suspect = await world.suspect();
  await world.pay(suspect);
  const { id } = nth(await waiting(), 0);
  const uow = { ...world.uow, run: () => Promise.reject(new Error('the disk is full')) };
  const { decideMany } = createAbuse({ ...world.abuseDeps, uow });
  const staff = withRights(await world.person(), 'admin.rewards.held.edit');
  await expect(decideMany(staff, [id], 'release')).rejects.toThrow('the disk is full');
  expect(await waiting()).toHaveLength(1);
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

test('a reward that cannot be decided blocks no other', async () => {
  world = await abuseWorld();
  const [first, second] = [await world.person(), await world.person()];
  await world.pay(first, { proof: false });
  await world.pay(second, { proof: false });
  const held = (await waiting()).find(({ userId }) => userId === first.actor.userId);
  await world.db.sql('UPDATE held_rewards SET hold_id = ? WHERE id = ? RETURNING id', ['none', held?.id ?? '']);
  world.pass(24 * HOUR);
  // The fault is told all the same.
  expect(
    await world.abuse.releaseDue().then(
      () => 'no fault',
      () => 'fault',
    ),
  ).toBe('fault');
  expect([await world.balance(first), await world.balance(second)]).toEqual([0, 10]);
  await world.db.sql('UPDATE held_rewards SET hold_id = ? WHERE id = ? RETURNING id', [
    held?.holdId ?? '',
    held?.id ?? '',
  ]);
});

test('lists are filtered, sorted and searched', async () => {
  world = await abuseWorld();
  const suspect = await world.suspect();
  for (const [source, amount] of [
    ['link', 3],
    ['redeem', 9],
    ['afk', 6],
  ] as const) {
    await world.pay(suspect, { source, amount });
    world.pass(MINUTE);
  }
  const amounts = async (query: object) =>
    (await world.abuse.list({ ...all, ...query })).rows.map(({ amount }) => amount);
  expect(await amounts({})).toEqual([6, 9, 3]);
  expect(await amounts({ sort: { key: 'amount', dir: 'asc' } })).toEqual([3, 6, 9]);
  expect(await amounts({ source: 'afk' })).toEqual([6]);
  expect(await amounts({ state: 'released' })).toEqual([]);
  expect(await amounts({ note: true })).toEqual([]);
  expect(await amounts({ q: suspect.actor.username.slice(0, 6).toUpperCase() })).toEqual([6, 9, 3]);
  expect(await amounts({ q: '%' })).toEqual([]);
  expect(await world.abuse.list({ ...all, limit: 2 })).toMatchObject({ total: 3, open: { count: 3, credits: 18 } });
});
