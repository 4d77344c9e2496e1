import { afterEach, beforeEach, expect, test } from 'bun:test';
import { call } from '#tests/support/call.ts';
import { testIds } from '#tests/support/clock.ts';
import { addCode } from '#tests/support/coins.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

let harness: Harness;
let ann: Person;
beforeEach(async () => {
  harness = await openHarness();
  ann = await harness.person('ann', { credits: 1000, permissions: ['admin.users.edit', 'admin.users.list'] });
});
afterEach(() => harness.close());

/** Changes every stored answer as an upgrade finds it: with other fields than today's. */
const store = (change: (answer: Record<string, unknown>) => unknown) =>
  harness.db.database.write(async ({ raw }) => {
    for (const { key, answer } of await raw.all<{ key: string; answer: string }>(
      'SELECT key, answer FROM idempotency_keys',
    )) {
      await raw.run('UPDATE idempotency_keys SET answer = ? WHERE key = ?', [
        JSON.stringify(change(JSON.parse(answer) as Record<string, unknown>)),
        key,
      ]);
    }
  });

test('E8 a stored answer of an earlier version is given as it was stored, and nothing that its schema does not name', async () => {
  await addCode(harness.db, testIds(3), harness.clock.now(), 'SPRING', { credits: 40 });
  const first = await call(harness, ann, 'POST', '/api/earn/redeem', { code: 'SPRING' }, 'redeem-key-1');
  expect(first).toMatchObject({ status: 200, json: { credits: 40, balance: 1040 } });
  await store(({ redeemed, ...rest }) => ({
    ...rest,
    password_hash: 'secret',
    redeemed: { ...(redeemed as object), balance: undefined, password_hash: 'secret' },
  }));
  const again = await call(harness, ann, 'POST', '/api/earn/redeem', { code: 'SPRING' }, 'redeem-key-1');
  expect([again.status, again.json.success, JSON.stringify(again.json).includes('secret')]).toEqual([200, true, false]);
  expect(await harness.balance(ann.id)).toBe(1040);
});

test('E8 whatever a stored answer has become, a retry is no fault of the server and has no second effect', async () => {
  const { items } = await ann.api.store.items();
  const item = items.find(({ kind }) => kind === 'memory');
  const bob = await harness.person('bob');
  const commands: [path: string, body: object][] = [
    ['/api/store/buy', { item_id: item?.id, units: 1, price: item?.price }],
    [`/api/admin/users/${bob.id}/adjust`, { direction: 'in', amount: 5, reason: 'For the bridge' }],
  ];
  const run = () =>
    Promise.all(commands.map(([path, body], at) => call(harness, ann, 'POST', path, body, `stored-key-${at}`)));
  expect((await run()).map(({ status }) => status)).toEqual([200, 200]);
  const balances = async () => [await harness.balance(ann.id), await harness.balance(bob.id)];
  const before = await balances();
  for (const answer of [{}, null, { balance: 'many' }, [], { unknown: 1 }]) {
    await store(() => answer);
    expect([JSON.stringify(answer), ...(await run()).map(({ status }) => status)]).toEqual([
      JSON.stringify(answer),
      200,
      200,
    ]);
    expect(await balances()).toEqual(before);
  }
});
