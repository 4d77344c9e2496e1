import { expect, test } from 'bun:test';
import { createLeaderboard } from '#server/modules/leaderboard/index.ts';
import { createProfiles } from '#server/modules/profiles/index.ts';
import { createSettings } from '#server/modules/settings/index.ts';
import { BOARDS } from '#shared/leaderboard.ts';
import { fakeClock, testIds } from '#tests/support/clock.ts';
import { crowdId, fillCrowd } from '#tests/support/crowd.ts';
import { openTestDb } from '#tests/support/db.ts';
import { countingReader, type CountingReader } from '#tests/support/row-count.ts';
import { testSealer } from '#tests/support/sealing.ts';

const sum = (rows: Record<string, number>) => Object.values(rows).reduce((all, count) => all + count, 0);

/** A crowd in a file, and the services over a reader that counts. */
async function crowd(users: number) {
  const db = await openTestDb('sqlite');
  const path = 'path' in db.where ? db.where.path : '';
  await db.sql(
    "INSERT INTO roles (id, key, name, color, rank, is_default, created_ms, updated_ms) VALUES ('r', NULL, 'Member', '#888888', 1, 1, 0, 0)",
  );
  const settings = createSettings({ uow: db.uow, clock: fakeClock(), ids: testIds(), bus: db.bus, sealer: testSealer });
  await db.database.close();
  fillCrowd(path, { users, movements: 3 });
  const reader = countingReader(path);
  const deps = { uow: reader, clock: fakeClock(), ids: testIds(), settings };
  const leaderboard = createLeaderboard(deps);
  return {
    reader,
    leaderboard,
    profiles: createProfiles({ ...deps, leaderboard }),
    close: async () => (reader.close(), db.close()),
  };
}
function counted(reader: CountingReader): Record<string, number> {
  const rows = reader.take();
  expect(Object.keys(rows).filter((table) => table.startsWith('ledger_'))).toEqual([]);
  return rows;
}

test('the counter sees every row that is read, not only those that are given', async () => {
  const { reader, close } = await crowd(200);
  await reader.read((tx) => tx.identity.findUser(crowdId(7)));
  expect(reader.take()).toEqual({ users: 1 });
  await reader.read((tx) => tx.overview.counts(0));
  expect(reader.take().users).toBeGreaterThanOrEqual(200);
  await close();
});

test('opening a board reads fewer than 200 rows, the same whether a thousand or thirty thousand users stand on it', async () => {
  const most: number[] = [];
  for (const users of [1000, 30_000]) {
    const { reader, leaderboard, close } = await crowd(users);
    let highest = 0;
    for (let viewer = 0; viewer < users; viewer += Math.floor(users / 97)) {
      for (const board of BOARDS) {
        const { places, own, players } = await leaderboard.view(crowdId(viewer), board);
        const rows = counted(reader);
        if (board !== 'credits' && board !== 'afk') continue;
        expect([places.length, players]).toEqual([50, users]);
        expect(own.rank).toBeGreaterThan(0);
        expect(sum(rows)).toBeLessThan(200);
        highest = Math.max(highest, sum(rows));
      }
    }
    most.push(highest);
    await close();
  }
  const [small = 0, large = 0] = most;
  expect(large).toBeLessThanOrEqual(small * 1.5);
}, 300_000);

test('no score needs more than three brothers on each of twenty levels, by construction', async () => {
  const { reader, leaderboard, close } = await crowd(5000);
  const { places } = await leaderboard.view(crowdId(0), 'credits');
  counted(reader);
  const [top] = places;
  if (!top) throw new Error('nobody');
  const rows: number[] = [];
  for (let viewer = 0; viewer < 5000; viewer += 53) {
    await reader.read((tx) => tx.leaderboard.above('credits', 1 + viewer));
    rows.push(counted(reader).leaderboard_counts ?? 0);
  }
  expect(Math.max(...rows)).toBeLessThanOrEqual(3 * 20);
  await close();
});

test('a look-up and a profile read a handful of rows', async () => {
  const { reader, profiles, close } = await crowd(5000);
  const found = await profiles.lookup('CROWD00012');
  expect({ count: found.people.length, more: found.more }).toEqual({ count: 10, more: true });
  expect(sum(counted(reader))).toBeLessThan(30);
  expect((await profiles.lookup('crowd%')).people).toEqual([]);
  expect((await profiles.lookup('c_')).people).toEqual([]);
  expect(sum(counted(reader))).toBe(0);
  const ctx = {
    actor: { userId: crowdId(1), sessionId: 's', username: 'x', permissions: [], verified: true },
    requestId: 'r',
    locale: 'en',
    address: '',
    userAgent: '',
    idempotency: null,
  } as const;
  expect((await profiles.profile(ctx, crowdId(2))).user.username).toBe('crowd0000002');
  const rows = reader.take();
  expect(sum(rows)).toBeLessThan(100);
  await close();
});
