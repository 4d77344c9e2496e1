import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { RESOURCE_KINDS } from '#shared/constants.ts';
import { SETTINGS } from '#shared/settings.ts';
import { ENGINES, openTestDb, type TestDb } from '#tests/support/db.ts';
import { endings, refusal } from '#tests/support/endings.ts';
import { withDefaults } from '../settings/values.ts';
import { createLimits } from './service.ts';

// Shows behaviour 5.2.

describe.each(ENGINES)('limits on %s', (kind) => {
  let db: TestDb;
  const limits = createLimits({ settings: { current: () => withDefaults(new Map()) } });
  beforeAll(async () => {
    db = await openTestDb(kind);
  });
  afterAll(() => db.close());

  const meters = (userId: string) => db.uow.read((tx) => limits.meters(tx, userId));
  const addServer = (id: string, userId: string, state: string) =>
    db.sql(
      `INSERT INTO servers (id, user_id, name, description, location_id, category_id, egg_id, memory, disk, cpu, ports, databases, backups, variables, state, desired,
         revision, synced_revision, auto_renew, auto_renew_order, periods, created_ms, updated_ms)
       VALUES (?, ?, 'n', '', 'l', 'c', 'e', 256, 512, 50, 1, 0, 2, '{}', ?, 'running', 1, 0, 0, 0, 0, 1, 1)`,
      [id, userId, state],
    );

  test('a new user gets the defaults of the settings, and a second grant changes nothing', async () => {
    await db.uow.run((tx) => limits.grantDefaults(tx, 'new'));
    await db.uow.run((tx) => limits.raise(tx, 'new', 'memory', 1024));
    await db.uow.run((tx) => limits.grantDefaults(tx, 'new'));
    const found = await meters('new');
    expect(RESOURCE_KINDS.map((name) => found[name].limit)).toEqual([
      SETTINGS.default_ram.default + 1024,
      5120,
      100,
      1,
      1,
      0,
      0,
    ]);
    expect(RESOURCE_KINDS.map((name) => found[name].used)).toEqual([0, 0, 0, 0, 0, 0, 0]);
  });

  test('T22 a user without limits has none, which is not without limit', async () => {
    expect((await meters('nobody')).memory).toEqual({ used: 0, limit: 0 });
    expect(await refusal(db.uow.run((tx) => limits.raise(tx, 'nobody', 'memory', 1)))).toBe('LIMIT_REACHED');
  });

  test('T21 what is queued or reserved counts as used; what is deleted or failed does not', async () => {
    await db.uow.run((tx) => limits.grantDefaults(tx, 'owner'));
    for (const [index, state] of [
      'queued',
      'installing',
      'active',
      'suspended',
      'deleting',
      'deleted',
      'failed',
    ].entries())
      await addServer(`s${index}`, 'owner', state);
    await addServer('other', 'somebody', 'active');
    const found = await meters('owner');
    expect(RESOURCE_KINDS.map((name) => found[name].used)).toEqual([5 * 256, 5 * 512, 250, 5, 5, 0, 10]);
  });

  test('raising notifies the user, and lowering below zero is refused, however many try at once', async () => {
    await db.uow.run((tx) => limits.grantDefaults(tx, 'raised'));
    const heard: string[] = [];
    const stop = db.bus.subscribe('user:raised', (topic) => heard.push(topic));
    expect(await db.uow.run((tx) => limits.raise(tx, 'raised', 'slots', 2))).toBe(3);
    expect(heard).toEqual(['user:raised']);
    stop();
    const lower = () => db.uow.run((tx) => limits.raise(tx, 'raised', 'slots', -2));
    expect(await endings([lower(), lower(), lower()])).toEqual({ accepted: 1, refused: { LIMIT_REACHED: 2 } });
  });
});
