import { afterEach, describe, expect, test } from 'bun:test';
import { ENGINES, openTestDb, type TestDb } from '#tests/support/db.ts';

const CODE = 'code';
const SINCE = 1000;

describe.each(ENGINES)('who redeemed the same code (%s)', (engine) => {
  let db: TestDb;
  afterEach(() => db.close());
  const signal = (userId: string, kind: string, value: string) =>
    db.sql(
      "INSERT INTO abuse_signals (user_id, kind, value, first_ms, last_ms) VALUES (?, ?, ?, 1, 1) RETURNING 'ok'",
      [userId, kind, value],
    );
  const use = (userId: string, atMs: number) =>
    db.sql(
      "INSERT INTO redeem_uses (id, code_id, user_id, code, credits, tx_id, at_ms) VALUES (?, ?, ?, 'CODE', 1, ?, ?) RETURNING 'ok'",
      [userId, CODE, userId, userId, atMs],
    );
  const count = () => db.uow.read((tx) => tx.abuse.countSameCode('me', CODE, SINCE));

  test('others on the own device are found however many strangers redeemed the code after them', async () => {
    db = await openTestDb(engine);
    await signal('me', 'device', 'd');
    await signal('me', 'address', 'a');
    for (const other of ['x', 'y', 'z']) {
      await signal(other, 'device', 'd');
      await signal(other, 'address', 'a');
      await use(other, SINCE + 1);
    }
    await use('me', SINCE + 1);
    // They redeemed it too long ago, another one, or never.
    await signal('before', 'device', 'd');
    await use('before', SINCE - 1);
    await signal('never', 'device', 'd');
    expect(await count()).toEqual({ device: 3, address: 3 });
    for (let stranger = 0; stranger < 200; stranger += 1) await use(`stranger-${stranger}`, SINCE + 2);
    expect(await count()).toEqual({ device: 3, address: 0 });
  });

  test('fifty at one place are all that are counted, each once for an address and a network', async () => {
    db = await openTestDb(engine);
    for (const kind of ['address', 'network']) await signal('me', kind, kind);
    for (let other = 0; other < 49; other += 1) {
      for (const kind of ['address', 'network']) await signal(`o-${other}`, kind, kind);
      await use(`o-${other}`, SINCE);
    }
    expect(await count()).toEqual({ device: 0, address: 49 });
    for (let other = 49; other < 60; other += 1) {
      await signal(`o-${other}`, 'address', 'address');
      await use(`o-${other}`, SINCE);
    }
    expect(await count()).toEqual({ device: 0, address: 50 });
  });
});
