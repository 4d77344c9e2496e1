import { describe, expect, test } from 'bun:test';
import { createBus } from '#server/data/bus.ts';
import { openDatabase } from '#server/data/open.ts';
import { createCatalog } from '#server/modules/catalog/index.ts';
import { fakeClock, TEST_START, testIds } from '#tests/support/clock.ts';
import { ENGINES, NO_FLUSH, openTestDb, proveLedger } from '#tests/support/db.ts';
import { testLog } from '#tests/support/log.ts';
import { fillWorld } from './fill.ts';
import { worldUserId } from './money.ts';

const USERS = 400;
const POSTINGS = 8000;

describe.each(ENGINES)('the world of the benches on %s', (engine) => {
  test('its ledger is proven, its wallets end where their lines do, and its tables are filled', async () => {
    const db = await openTestDb(engine);
    await db.sql(
      "INSERT INTO roles (id, key, name, color, rank, is_default, created_ms, updated_ms) VALUES ('r', NULL, 'Member', '#888888', 1, 1, 0, 0), ('v', 'vip', 'VIP', '#888888', 2, 0, 0, 0)",
    );
    await db.uow.run((tx) => createCatalog({ clock: fakeClock(), ids: testIds() }).seedSample(tx));
    await db.database.close();
    const where = 'path' in db.where ? db.where.path : db.where.url;
    const { bytes } = await fillWorld(where, { users: USERS, postings: POSTINGS, nowMs: TEST_START }, () => undefined);
    expect(bytes).toBeGreaterThan(1_000_000);

    const database = openDatabase({ ...db.where, bus: createBus(testLog()), log: testLog(), sync: NO_FLUSH });
    await proveLedger(database.uow);
    const me = `user:${worldUserId(0)}` as const;
    const { last, balance, rows } = await database.uow.read(async (tx) => ({
      last: (await tx.ledger.history(me, { limit: 1 })).rows[0]?.balanceAfter,
      balance: (await tx.leaderboard.balances([worldUserId(0)])).get(worldUserId(0)),
      rows: (await tx.ledger.history(me, { limit: POSTINGS })).rows.length,
    }));
    expect(last).toBe(balance);
    expect(rows).toBeGreaterThan(500);
    const filled = await database.read(({ raw }) =>
      raw.one<Record<string, number>>(
        `SELECT ${['users', 'servers', 'tickets', 'mails', 'images', 'redeem_uses'].map((table) => `(SELECT COUNT(*) FROM ${table}) AS ${table}`).join(', ')}`,
      ),
    );
    expect(filled).toMatchObject({
      users: USERS,
      servers: USERS / 5,
      tickets: USERS / 10,
      mails: USERS,
      images: USERS / 10,
    });
    expect(filled?.['redeem_uses']).toBeGreaterThan(100);
    await database.close();
    await db.close();
  });
});
