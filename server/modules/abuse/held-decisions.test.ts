import { afterEach, describe, expect, test, setDefaultTimeout } from 'bun:test';
import { HOUR, MINUTE } from '#shared/time.ts';
import { createAbuse } from '#server/modules/abuse/index.ts';
import { abuseWorld, type AbuseWorld } from '#tests/support/abuse.ts';
import { atOnce, codeOf, keyed, nth, withRights } from '#tests/support/coins.ts';
import { ENGINES, proveLedger } from '#tests/support/db.ts';

// Thousands of rewards, or fifty commands at once on a database server, take their time on a busy machine.
setDefaultTimeout(300_000);
let world: AbuseWorld;
afterEach(() => world.close());

const all = { sort: { key: 'created', dir: 'desc' }, offset: 0, limit: 50 } as const;
const waiting = async () => (await world.abuse.list({ ...all, state: 'open' })).rows;
const heldOf = async (id: string) => await world.uow.read((tx) => tx.ledger.balance(`hold:${id}`));

describe.each(ENGINES)('rewards on hold on %s', (engine) => {
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

  test('T9 T13 a reward on hold counts against cap and budget, and frees its share once when rejected', async () => {
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

test('a reward that cannot be decided blocks no other', async () => {
  world = await abuseWorld();
  const [first, second] = [await world.person(), await world.person()];
  await world.pay(first, { proof: false });
  await world.pay(second, { proof: false });
  const held = (await waiting()).find(({ userId }) => userId === first.actor.userId);
  await world.db.sql('UPDATE held_rewards SET hold_id = ? WHERE id = ? RETURNING id', ['none', held?.id ?? '']);
  world.pass(24 * HOUR);
  // The fault is reported nevertheless.
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
