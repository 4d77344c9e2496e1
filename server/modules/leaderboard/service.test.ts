import { afterEach, describe, expect, test } from 'bun:test';
import { toCredits } from '#shared/credits.ts';
import { BOARDS } from '#shared/leaderboard.ts';
import { DAY } from '#shared/time.ts';
import type { SignedIn } from '#server/modules/kernel.ts';
import { nth } from '#tests/support/coins.ts';
import { communityWorld, type CommunityWorld } from '#tests/support/community.ts';
import { ENGINES } from '#tests/support/db.ts';
import { seeded } from '#tests/support/random.ts';

// Shows behaviour 7.1.

let world: CommunityWorld;
afterEach(() => world.close());

const id = (who: SignedIn) => who.actor.userId;
const view = (who: SignedIn, board: (typeof BOARDS)[number] = 'credits') => world.leaderboard.view(id(who), board);
const names = async (board: (typeof BOARDS)[number] = 'credits') =>
  (await world.leaderboard.view('nobody', board)).places.map(({ userId }) => userId);

/** A reward as the sources of earning book it. */
function reward(who: SignedIn, source: 'afk' | 'redeem', amount: number): Promise<unknown> {
  const postings = [
    { source: `system:reward.${source}`, destination: `user:${id(who)}`, amount: toCredits(amount) },
  ] as const;
  return world.uow.run((tx) =>
    world.ledger.transfer(tx, { kind: `reward.${source}`, reference: `test:${world.ids.uuid()}`, postings }),
  );
}
async function afkSession(who: SignedIn, minutes: number): Promise<void> {
  await world.db.sql(
    `INSERT INTO afk_sessions (id, user_id, session_id, device, started_ms, last_beat_ms, counted_ms, minutes, earned, ended_ms) VALUES (?, ?, 's', '', 0, 0, 0, ?, 0, 1)`,
    [world.ids.uuid(), id(who), minutes],
  );
}

/** What the tree has to hold: for each node how many listed scores lie under it. */
async function provenTree(): Promise<void> {
  const scores = await world.db.sql<{ board: string; score: number }>(
    'SELECT board, score FROM leaderboard_scores WHERE listed = 1',
  );
  const wanted = new Map<string, number>();
  for (const { board, score } of scores) {
    for (let level = 0; level < 20; level += 1) {
      const key = `${board}/${level}/${Math.floor(score / 4 ** level)}`;
      wanted.set(key, (wanted.get(key) ?? 0) + 1);
    }
  }
  const rows = await world.db.sql<{ board: string; level: number; node: number; players: number }>(
    'SELECT board, level, node, players FROM leaderboard_counts',
  );
  expect(new Map(rows.map(({ board, level, node, players }) => [`${board}/${level}/${node}`, players]))).toEqual(
    wanted,
  );
}

describe.each([...ENGINES])('the leaderboard on %s', (engine) => {
  test('the board stands by balance, equal scores share a rank, and one sees what is missing to the next', async () => {
    world = await communityWorld(engine);
    const [ann, bob, cal, dan, eve] = [
      await world.person(100),
      await world.person(300),
      await world.person(100),
      await world.person(50),
      await world.person(0),
    ];
    await world.leaderboard.refresh();
    const { places, players, own } = await view(dan);
    expect(places.map(({ rank, userId, score }) => [rank, userId, score])).toEqual([
      [1, id(bob), 300],
      [2, id(ann), 100],
      [2, id(cal), 100],
      [4, id(dan), 50],
    ]);
    expect({ players, own }).toEqual({ players: 4, own: { score: 50, rank: 4, toNext: 50, hidden: false } });
    expect((await view(eve)).own).toEqual({ score: 0, rank: null, toNext: null, hidden: false });
    expect((await view(bob)).own).toMatchObject({ rank: 1, toNext: null });
  });

  test('the board counts what changes from update to update: credits, rewards of the month, AFK minutes', async () => {
    world = await communityWorld(engine);
    const [ann, bob] = [await world.person(100), await world.person(100)];
    await world.leaderboard.refresh();
    await reward(ann, 'redeem', 40);
    await reward(bob, 'afk', 1);
    await afkSession(bob, 7);
    await world.gift(ann, bob, 100);
    await world.leaderboard.refresh();
    expect((await view(ann)).own).toMatchObject({ score: 30, rank: 2, toNext: 171 });
    expect((await view(ann, 'month')).own).toMatchObject({ score: 40, rank: 1 });
    expect((await view(bob, 'month')).own).toMatchObject({ score: 1, rank: 2, toNext: 39 });
    expect((await view(bob, 'afk')).own).toMatchObject({ score: 7, rank: 1 });
    await provenTree();
  });

  test('a score that falls to nothing leaves the board', async () => {
    world = await communityWorld(engine);
    const [ann, bob] = [await world.person(110), await world.person()];
    await world.leaderboard.refresh();
    await world.gift(ann, bob, 100);
    await world.leaderboard.refresh();
    expect(await names()).toEqual([id(bob)]);
    expect((await view(ann)).own).toEqual({ score: 0, rank: null, toNext: null, hidden: false });
    await provenTree();
  });

  test('banned, deleted and hidden users are off all boards; those behind them move up', async () => {
    world = await communityWorld(engine);
    const people = await Promise.all([400, 300, 200, 100].map((credits) => world.person(credits)));
    const [ann, bob, cal, dan] = people;
    if (!ann || !bob || !cal || !dan) throw new Error('nobody');
    for (const who of people) await reward(who, 'redeem', 5);
    await world.leaderboard.refresh();
    await world.shows(ann, { leaderboard: false });
    expect(await names()).toEqual([id(bob), id(cal), id(dan)]);
    expect((await view(ann)).own).toEqual({ score: 405, rank: null, toNext: null, hidden: true });
    await world.status(bob, 'banned');
    await world.uow.run((tx) => world.leaderboard.show(tx, id(bob)));
    await world.status(cal, 'deleted');
    // A way that forgot to say so: gone from the list at once, from the counts with the next turn.
    expect(await names()).toEqual([id(dan)]);
    await world.leaderboard.refresh();
    expect(await view(dan)).toMatchObject({ players: 1, own: { rank: 1 } });
    expect(await names('month')).toEqual([id(dan)]);
    await provenTree();
    await world.status(bob, 'active');
    await world.shows(ann, { leaderboard: true, profile: false });
    await world.leaderboard.refresh();
    const { places } = await view(dan);
    expect(places.map(({ userId, linked }) => [userId, linked])).toEqual([
      [id(ann), false],
      [id(bob), true],
      [id(dan), true],
    ]);
    await provenTree();
  });

  test('ranks are those that counting everybody gives, while scores move at random', async () => {
    world = await communityWorld(engine);
    const random = seeded(20_261_121);
    const people: SignedIn[] = [];
    for (let index = 0; index < 40; index += 1) people.push(await world.person(1 + random.int(5000)));
    for (let round = 0; round < 4; round += 1) {
      for (const who of people) {
        if (random.int(3) === 0) await world.grant(id(who), 1 + random.int(900));
        if (random.int(10) === 0) await world.shows(who, { leaderboard: random.chance(0.5) });
      }
      await world.leaderboard.refresh();
      const rows = await world.db.sql<{ user_id: string; score: number }>(
        "SELECT user_id, score FROM leaderboard_scores WHERE board = 'credits' AND listed = 1",
      );
      for (const who of people.slice(0, 10)) {
        const mine = rows.find((row) => row.user_id === id(who));
        expect((await view(who)).own.rank).toBe(
          mine ? rows.filter(({ score }) => score > mine.score).length + 1 : null,
        );
      }
      await provenTree();
    }
  });
});

test('a new month begins empty, by the calendar of app_timezone; what was counted before is forgotten', async () => {
  world = await communityWorld();
  await world.settings.set(null, { app_timezone: 'Europe/Berlin' });
  const [ann, bob] = [await world.person(), await world.person()];
  world.clock.set(Date.parse('2026-03-31T21:30:00Z'));
  await reward(ann, 'redeem', 40);
  await world.leaderboard.refresh();
  expect((await view(ann, 'month')).own).toMatchObject({ score: 40, rank: 1 });
  world.clock.set(Date.parse('2026-03-31T22:30:00Z'));
  await reward(bob, 'redeem', 5);
  await world.leaderboard.refresh();
  expect(await names('month')).toEqual([id(bob)]);
  expect((await view(ann, 'month')).own).toMatchObject({ score: 0, rank: null });
  await world.leaderboard.refresh();
  expect(await world.db.sql("SELECT DISTINCT board FROM leaderboard_counts WHERE board LIKE 'month:%'")).toEqual([
    { board: 'month:2026-04' },
  ]);
  await provenTree();
});

test('rewards that are reversed or wait for review do not count as earned', async () => {
  world = await communityWorld();
  const ann = await world.person();
  await reward(ann, 'redeem', 50);
  const back = [{ source: `user:${id(ann)}`, destination: 'system:reward.redeem', amount: toCredits(20) }] as const;
  await world.uow.run((tx) => world.ledger.transfer(tx, { kind: 'reward.back', reference: 'back:1', postings: back }));
  const held = {
    userId: id(ann),
    amount: 500,
    reference: 'held:1',
    kind: 'reward.link',
    source: 'system:reward.link',
  } as const;
  await world.uow.run((tx) => world.ledger.holdReward(tx, held));
  await world.leaderboard.refresh();
  expect((await view(ann, 'month')).own.score).toBe(30);
  expect((await view(ann)).own.score).toBe(30);
});

test('what was there before is counted once by the walk through everybody, and not again by what follows', async () => {
  world = await communityWorld();
  const people: SignedIn[] = [];
  for (let index = 0; index < 12; index += 1) people.push(await world.person(10));
  for (const who of people) await reward(who, 'redeem', 30);
  await world.db.sql(
    "UPDATE leaderboard_state SET tx_id = (SELECT MAX(tx_id) FROM ledger_postings), seq = 1000000000, sweep = '', swept_ms = NULL",
  );
  await world.db.sql('DELETE FROM leaderboard_scores');
  await world.db.sql('DELETE FROM leaderboard_counts');
  await reward(nth(people, 0), 'redeem', 7);
  for (let turn = 0; turn < 3; turn += 1) await world.leaderboard.refresh();
  const { places } = await world.leaderboard.view('nobody', 'month');
  expect(places.map(({ score }) => score)).toEqual([37, ...Array.from({ length: 11 }, () => 30)]);
  expect((await world.db.sql<{ swept_ms: number | null }>('SELECT swept_ms FROM leaderboard_state'))[0]?.swept_ms).toBe(
    world.clock.now(),
  );
  await provenTree();
});

test('a turn of many steps counts each posting once, and every turn counts some of the users again', async () => {
  world = await communityWorld();
  const ann = await world.person(0);
  const others: SignedIn[] = [];
  for (let index = 0; index < 40; index += 1) others.push(await world.person(10));
  await world.leaderboard.refresh();
  await world.db.sql("UPDATE leaderboard_scores SET score = 5 WHERE board = 'credits'");
  expect(await world.leaderboard.refresh()).toBeLessThanOrEqual(3);
  expect(await Promise.all(others.map(async (who) => (await view(who)).own.score))).toEqual(
    others.map(() => toCredits(10)),
  );
  for (let turn = 0; turn < 100; turn += 1) await reward(ann, 'redeem', 2);
  expect(await world.leaderboard.refresh()).toBeGreaterThan(3);
  expect(await world.leaderboard.refresh()).toBeLessThanOrEqual(3);
  expect((await view(ann, 'month')).own.score).toBe(200);
});

test('a wrong count corrects itself: the walk begins again', async () => {
  world = await communityWorld();
  const ann = await world.person(70);
  await reward(ann, 'redeem', 30);
  await world.leaderboard.refresh();
  await world.db.sql("UPDATE leaderboard_scores SET score = 1 WHERE board = 'credits'");
  await world.db.sql("DELETE FROM leaderboard_scores WHERE board <> 'credits'");
  await world.db.sql('DELETE FROM leaderboard_counts');
  await world.db.sql("INSERT INTO leaderboard_counts (board, level, node, players) VALUES ('credits', 0, 1, 1)");
  await world.leaderboard.refresh();
  expect((await view(ann)).own.score).toBe(100);
  expect((await view(ann, 'month')).own.score).toBe(30);
});

test('the longest list is fifty, and the fifty-first sees where they stand', async () => {
  world = await communityWorld();
  const people: SignedIn[] = [];
  for (let index = 0; index < 60; index += 1) people.push(await world.person(1000 - index));
  await world.leaderboard.refresh();
  const { places, own, players } = await view(nth(people, 54));
  expect([places.length, places.at(-1)?.rank, own.rank, own.toNext, players]).toEqual([50, 50, 55, 1, 60]);
});

test('servers and referrals count when they change', async () => {
  world = await communityWorld();
  const [ann, bob] = [await world.person(), await world.person()];
  await world.leaderboard.refresh();
  const now = world.clock.now();
  await world.db.sql(
    "INSERT INTO egg_categories (id, name, description, enabled, position, created_ms, updated_ms) VALUES ('c', 'C', '', 1, 1, ?, ?)",
    [now, now],
  );
  for (const state of ['active', 'suspended', 'failed', 'queued']) {
    await world.db.sql(
      `INSERT INTO servers (id, user_id, name, description, location_id, category_id, egg_id, memory, disk, cpu, ports, databases, backups, variables,
         state, desired, revision, synced_revision, auto_renew, auto_renew_order, periods, created_ms, updated_ms)
       VALUES (?, ?, 'S', '', 'l', 'c', 'e', 256, 256, 5, 1, 0, 0, '{}', ?, 'running', 1, 1, 0, 0, 0, ?, ?)`,
      [world.ids.uuid(), id(ann), state, now, now],
    );
  }
  await world.leaderboard.refresh();
  expect((await view(ann, 'servers')).own).toMatchObject({ score: 3, rank: 1 });
  await world.db.sql("UPDATE servers SET state = 'deleted' WHERE state = 'queued'");
  const referral = `INSERT INTO referrals (newcomer_id, referrer_id, code, state, created_ms, next_check_ms, qualified_ms, newcomer_state, newcomer_credits, referrer_state, referrer_credits)
    VALUES (?, ?, 'X', ?, ?, ?, ?, 'paid', 15, ?, 35)`;
  await world.db.sql(referral, ['n1', id(bob), 'pending', now, now, null, 'open']);
  await world.db.sql(referral, ['n2', id(bob), 'done', now, now, now, 'held']);
  await world.db.sql(referral, ['n3', id(bob), 'done', now, now, now, 'paid']);
  await world.leaderboard.refresh();
  expect((await view(ann, 'servers')).own.score).toBe(2);
  expect((await view(bob, 'referrals')).own).toMatchObject({ score: 1, rank: 1 });
  await world.db.sql(
    "UPDATE referrals SET state = 'done', referrer_state = 'paid', qualified_ms = ? WHERE newcomer_id IN ('n1', 'n2')",
    [now + DAY],
  );
  await world.leaderboard.refresh();
  expect((await view(bob, 'referrals')).own.score).toBe(3);
});
