import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { fakeClock, testIds, TEST_START } from '#tests/support/clock.ts';
import { ENGINES, openTestDb, type TestDb } from '#tests/support/db.ts';
import type { Ctx } from '../kernel.ts';
import { writeAudit } from './index.ts';

describe.each(ENGINES)('the audit log on %s', (kind) => {
  let db: TestDb;
  const clock = fakeClock();
  const deps = { clock, ids: testIds() };
  beforeAll(async () => {
    db = await openTestDb(kind);
  });
  afterAll(() => db.close());

  test('the log has who, what, before and after, from where, the latest first', async () => {
    const ctx: Ctx = {
      actor: { userId: 'admin', sessionId: 's', username: 'admin', permissions: [], verified: true },
      requestId: 'r1',
      locale: 'en',
      address: '203.0.113.7',
      userAgent: 'test',
      idempotency: null,
    };
    await db.uow.run((tx) =>
      writeAudit(tx, deps, ctx, {
        action: 'locations.edit',
        target: 'l1',
        before: { name: 'A' },
        after: { name: 'B' },
      }),
    );
    clock.advance(1);
    await db.uow.run((tx) => writeAudit(tx, deps, null, { action: 'servers.expire' }));
    expect(await db.uow.read((tx) => tx.audit.latest(10))).toMatchObject([
      {
        action: 'servers.expire',
        actorId: null,
        actor: null,
        target: null,
        before: null,
        after: null,
        address: null,
        atMs: TEST_START + 1,
      },
      {
        action: 'locations.edit',
        actorId: 'admin',
        target: 'l1',
        before: { name: 'A' },
        after: { name: 'B' },
        address: '203.0.113.7',
        requestId: 'r1',
      },
    ]);
    expect(await db.uow.read((tx) => tx.audit.latest(1))).toHaveLength(1);
  });

  test('an update without a change leaves no row', async () => {
    const failing = db.uow.run(async (tx) => {
      await writeAudit(tx, deps, null, { action: 'locations.create' });
      throw new Error('halt');
    });
    await expect(failing).rejects.toThrow('halt');
    expect((await db.uow.read((tx) => tx.audit.latest(10))).some(({ action }) => action === 'locations.create')).toBe(
      false,
    );
  });
});
