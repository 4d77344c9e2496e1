import { afterEach, beforeEach, expect, test } from 'bun:test';
import { call } from '#tests/support/call.ts';
import { testIds } from '#tests/support/clock.ts';
import { addCode, type CodeFacts } from '#tests/support/coins.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

// Shows behaviour 4.2.

let harness: Harness;
let ann: Person;
const ids = testIds(3);
beforeEach(async () => {
  harness = await openHarness();
  ann = await harness.person('ann');
});
afterEach(() => harness.close());

const code = (text: string, facts?: CodeFacts) => addCode(harness.db, ids, harness.clock.now(), text, facts);
const PATH = '/api/earn/redeem';

test('a code pays, and the page shows it', async () => {
  await code('SPRING-26', { credits: 40 });
  expect(await ann.api.redeem.redeem({ body: { code: 'spring 26' } })).toMatchObject({ credits: 40, balance: 40 });
  const page = await ann.api.redeem.history();
  expect(page).toMatchObject({ tries_left: 10, earned_today: 40, cap: 0, budget_spent: false });
  expect(page.history).toMatchObject([
    { code: 'SPRING-26', credits: 40, at: new Date(harness.clock.now()).toISOString() },
  ]);
});

test('a refusal is a coded answer', async () => {
  await code('OFF', { enabled: false });
  expect(await call(harness, ann, 'POST', PATH, { code: 'nothing' })).toMatchObject({
    status: 404,
    json: { success: false, error_code: 'CODE_UNKNOWN' },
  });
  expect(await call(harness, ann, 'POST', PATH, { code: 'OFF' })).toMatchObject({
    status: 409,
    json: { error_code: 'CODE_DISABLED' },
  });
  for (let index = 0; index < 8; index++) await call(harness, ann, 'POST', PATH, { code: `no ${index}` });
  expect(await call(harness, ann, 'POST', PATH, { code: 'OFF' })).toMatchObject({
    status: 429,
    json: { error_code: 'RATE_LIMITED' },
  });
});

test('T2 the same request fifty times at once pays once and answers all alike', async () => {
  await code('ONCE', { credits: 5 });
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => call(harness, ann, 'POST', PATH, { code: 'ONCE' }, 'redeem-key-1')),
  );
  expect(
    new Set(answers.map(({ status, json }) => `${status} ${String(json.credits)} ${String(json.balance)}`)),
  ).toEqual(new Set(['200 5 5']));
  expect(await harness.balance(ann.id)).toBe(5);
  expect(await call(harness, ann, 'POST', PATH, { code: 'OTHER' }, 'redeem-key-1')).toMatchObject({
    status: 409,
    json: { error_code: 'IDEMPOTENCY_MISMATCH' },
  });
});

test('T4 a text that is no code is refused at its field, and costs no try', async () => {
  const bad: unknown[] = [5, null, true, ['A'], { a: 1 }, '', '   ', 'a'.repeat(65), 'a\u0000b', 'a\u202eb'];
  for (const value of bad) {
    expect(await call(harness, ann, 'POST', PATH, { code: value })).toMatchObject({
      status: 422,
      json: { error_code: 'VALIDATION_FAILED', fields: { code: expect.anything() } },
    });
  }
  expect(await call(harness, ann, 'POST', PATH, { code: 'A', credits: 1000 })).toMatchObject({
    status: 422,
    json: { fields: { credits: ['UNKNOWN'] } },
  });
  expect((await ann.api.redeem.history()).tries_left).toBe(10);
});

test('a switch that is off closes the page and the command', async () => {
  await code('OFFER');
  await harness.set({ code_redemption_enabled: false });
  for (const method of ['GET', 'POST']) {
    const body = method === 'POST' ? { code: 'OFFER' } : undefined;
    expect(await call(harness, ann, method, PATH, body)).toMatchObject({
      status: 404,
      json: { error_code: 'FEATURE_DISABLED' },
    });
  }
  expect(await harness.balance(ann.id)).toBe(0);
});

test('staff list who redeemed a code, the newest first, a page at a time, and only with the right to see codes', async () => {
  const spring = await code('SPRING-26', { credits: 40 });
  await code('AUTUMN-26', { credits: 5 });
  await ann.api.redeem.redeem({ body: { code: 'SPRING-26' } });
  harness.clock.advance(1000);
  const bob = await harness.person('bob');
  await bob.api.redeem.redeem({ body: { code: 'SPRING-26' } });
  await bob.api.redeem.redeem({ body: { code: 'AUTUMN-26' } });
  const staff = await harness.person('oana', { permissions: ['admin.redeem.codes.list'] });
  const list = (before?: string) =>
    staff.api.adminRedemptions.list({ params: { id: spring }, query: before === undefined ? {} : { before } });
  const first = await list();
  expect(first.rows.map(({ user, credits, at }) => [user, credits, at])).toEqual([
    [{ id: bob.id, username: 'bob' }, 40, new Date(harness.clock.now()).toISOString()],
    [{ id: ann.id, username: 'ann' }, 40, new Date(harness.clock.now() - 1000).toISOString()],
  ]);
  expect(first.older).toBeNull();
  // Many at the same moment: no page repeats one or leaves one out.
  for (let number = 0; number < 118; number += 1) {
    const { id } = await harness.person(`player${number}`);
    await harness.db.sql(
      "INSERT INTO redeem_uses (id, code_id, user_id, code, credits, tx_id, at_ms) VALUES (?, ?, ?, 'SPRING-26', 40, ?, ?)",
      [ids.uuid(), spring, id, ids.uuid(), harness.clock.now()],
    );
  }
  const seen: string[] = [];
  let next: string | null | undefined;
  while (next !== null) {
    const page = await list(next);
    seen.push(...page.rows.map(({ user }) => user.username));
    next = page.older;
  }
  expect(seen).toHaveLength(120);
  expect(new Set(seen).size).toBe(120);
  expect(seen.at(-1)).toBe('ann');
  const peer = await harness.person('peer', { permissions: ['admin.redeem.codes.edit', 'admin.users.list'] });
  const { status } = await call(harness, peer, 'GET', `/api/admin/redeem-codes/${spring}/redemptions`);
  expect(status).toBe(403);
  const nobody = '01890000-0000-7000-8000-000000000000';
  expect(await call(harness, staff, 'GET', `/api/admin/redeem-codes/${nobody}/redemptions`)).toMatchObject({
    status: 404,
  });
  expect(await call(harness, staff, 'GET', `/api/admin/redeem-codes/${spring}/redemptions?before=x`)).toMatchObject({
    status: 422,
  });
});
