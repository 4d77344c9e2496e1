import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { TEST_START } from '#tests/support/clock.ts';
import { ENGINES, openTestDb, type TestDb } from '#tests/support/db.ts';

describe.each(ENGINES)('skins on %s', (kind) => {
  let db: TestDb;
  beforeAll(async () => {
    db = await openTestDb(kind);
    await db.sql(
      "INSERT INTO roles (id, key, name, color, rank, is_default, created_ms, updated_ms) VALUES ('r', NULL, 'R', '#888888', 1, 0, 1, 1)",
    );
  });
  beforeEach(async () => {
    // Their skins go with them.
    await db.sql('DELETE FROM users');
    for (const id of ['a', 'b']) {
      await db.sql(
        `INSERT INTO users (id, username, username_key, email, email_key, password_hash, first_name, last_name, role_id, locale, status, terms_ms, password_version, created_ms, updated_ms)
         VALUES (?, ?, ?, ?, ?, '', '', '', 'r', 'en', 'active', 1, 1, 1, 1)`,
        [id, id, id, id, id],
      );
    }
  });
  afterAll(() => db.close());

  const row = (userId: string, png = 'AAAA', fill = '0') => ({
    userId,
    png,
    sha256: fill.repeat(64),
    updatedMs: TEST_START,
  });
  const find = (userId: string) => db.uow.read((tx) => tx.skins.find(userId));

  test('a user has none, then one, then another in its place, then none', async () => {
    expect(await find('a')).toBeNull();
    expect(await db.uow.read((tx) => tx.skins.fingerprint('a'))).toBeNull();
    await db.uow.run((tx) => tx.skins.put(row('a')));
    expect(await find('a')).toEqual(row('a'));
    await db.uow.run((tx) => tx.skins.put(row('a', 'BBBB', '1')));
    expect(await find('a')).toEqual(row('a', 'BBBB', '1'));
    expect(await db.uow.read((tx) => tx.skins.fingerprint('a'))).toBe('1'.repeat(64));
    expect(await db.uow.run((tx) => tx.skins.remove('a'))).toBe(true);
    expect(await db.uow.run((tx) => tx.skins.remove('a'))).toBe(false);
    expect(await find('a')).toBeNull();
  });

  test('two uploads at once leave one of the two', async () => {
    await Promise.all(['AAAA', 'BBBB'].map((png) => db.uow.run((tx) => tx.skins.put(row('a', png)))));
    expect(['AAAA', 'BBBB']).toContain((await find('a'))?.png ?? '');
  });

  test('the largest that is ever stored fits, and one that is no picture of a skin does not', async () => {
    await db.uow.run((tx) => tx.skins.put(row('a', 'A'.repeat(88_000))));
    expect((await find('a'))?.png.length).toBe(88_000);
    for (const bad of [row('a', ''), row('a', 'A'.repeat(90_001)), { ...row('a'), sha256: 'short' }]) {
      await expect(db.uow.run((tx) => tx.skins.put(bad))).rejects.toThrow();
    }
  });

  test('nothing is kept of a user who is not there, and a skin goes with its user', async () => {
    await expect(db.uow.run((tx) => tx.skins.put(row('nobody')))).rejects.toThrow();
    await db.uow.run((tx) => tx.skins.put(row('b')));
    await db.sql("DELETE FROM users WHERE id = 'b'");
    expect(await find('b')).toBeNull();
  });
});
