import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { runOnce } from '#server/modules/idempotency/index.ts';
import type { Ctx } from '#server/modules/kernel.ts';
import { createLedger, type Ledger } from '#server/modules/ledger/index.ts';
import { toCredits } from '#shared/credits.ts';
import { DAY } from '#shared/time.ts';
import { fakeClock, testIds, TEST_START } from '#tests/support/clock.ts';
import { ENGINES, openTestDb, proveLedger, type TestDb } from '#tests/support/db.ts';
import { refusal } from '#tests/support/endings.ts';

const actor = { userId: 'me', sessionId: 's', username: 'me', permissions: [], verified: true };
const ctx = (key: string, hash: string, userId = 'me'): Ctx => ({
  actor: { ...actor, userId },
  requestId: 'r',
  locale: 'en',
  address: '203.0.113.7',
  userAgent: 'test',
  idempotency: { key, hash },
});

describe.each(ENGINES)('idempotency keys on %s', (kind) => {
  let db: TestDb;
  let ledger: Ledger;
  let effects = 0;
  beforeAll(async () => {
    db = await openTestDb(kind);
    ledger = createLedger({ clock: fakeClock(), ids: testIds() });
  });
  // No key is in use.
  beforeEach(() => db.sql('DELETE FROM idempotency_keys'));
  afterAll(async () => {
    await proveLedger(db.uow);
    await db.close();
  });

  /** A command without a reference of its own to protect it: only the key does. */
  const command = (context: Ctx) =>
    runOnce({ uow: db.uow, now: TEST_START }, context, async (tx) => {
      effects += 1;
      const postings = [
        { source: 'system:adjustment' as const, destination: 'user:me' as const, amount: toCredits(10) },
      ];
      const { id } = await ledger.transfer(tx, {
        kind: 'adjustment',
        reference: `effect:${kind}:${effects}`,
        postings,
      });
      return { id };
    });
  const balance = () => db.uow.read((tx) => ledger.balance(tx, 'user:me'));
  /** What the work adds to the balance. */
  const gained = async (work: () => Promise<unknown>): Promise<number> => {
    const before = await balance();
    await work();
    return (await balance()) - before;
  };

  test('the same key fifty times at once has one effect and one answer', async () => {
    const credits = await gained(async () => {
      const answers = await Promise.all(Array.from({ length: 50 }, () => command(ctx('k1', 'h1'))));
      expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    });
    expect(credits).toBe(10);
  });

  test('the same key with another input is refused', async () => {
    await command(ctx('k1', 'h1'));
    const credits = await gained(async () =>
      expect(await refusal(command(ctx('k1', 'other')))).toBe('IDEMPOTENCY_MISMATCH'),
    );
    expect(credits).toBe(0);
  });

  test('keys of two users are two keys', async () => {
    await command(ctx('k1', 'h1'));
    expect(await gained(() => command(ctx('k1', 'h1', 'you')))).toBe(10);
  });

  test('a command that was refused leaves the key free', async () => {
    const failing = runOnce({ uow: db.uow, now: TEST_START }, ctx('k2', 'h'), () => Promise.reject(new Error('halt')));
    await expect(failing).rejects.toThrow('halt');
    expect(await gained(() => command(ctx('k2', 'h')))).toBe(10);
  });

  test('without a key each call has its effect', async () => {
    const plain = { ...ctx('', ''), idempotency: null };
    expect(await gained(() => Promise.all([command(plain), command(plain)]))).toBe(20);
  });

  test('an answer without content is kept as well', async () => {
    const nothing = () => runOnce({ uow: db.uow, now: TEST_START }, ctx('k3', 'h'), async () => undefined);
    expect((await nothing()) ?? null).toBeNull();
    expect((await nothing()) ?? null).toBeNull();
  });

  test('old keys are purged, and young ones stay', async () => {
    for (const key of ['k1', 'k2', 'k3', 'k4']) await command(ctx(key, 'h'));
    expect(await db.uow.run((tx) => tx.idempotency.purge(TEST_START, 100))).toBe(0);
    expect(await db.uow.run((tx) => tx.idempotency.purge(TEST_START + DAY, 3))).toBe(3);
    expect(await db.uow.run((tx) => tx.idempotency.purge(TEST_START + DAY, 3))).toBe(1);
  });
});
