import { afterEach, beforeEach, expect, test } from 'bun:test';
import { call } from '#tests/support/call.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

// Shows behaviour 5.1.

let harness: Harness;
let ann: Person;
let memory: { id: string; price: number };
beforeEach(async () => {
  harness = await openHarness();
  ann = await harness.person('ann', { credits: 1000 });
  const found = (await ann.api.store.items()).items.find((item) => item.kind === 'memory');
  if (!found) throw new Error('the store sells no memory');
  memory = found;
});
afterEach(() => harness.close());

const PATH = '/api/store/buy';
const order = (units: unknown, price: unknown = 150) => ({ item_id: memory.id, units, price });

test('the shelf holds the seeds of a new installation', async () => {
  const { items, balance, purchases } = await ann.api.store.items();
  expect({ balance, purchases }).toEqual({ balance: 1000, purchases: [] });
  expect(
    items.map(({ kind, quantity, price, limit, units_left: left }) => [kind, quantity, price, limit, left]),
  ).toEqual([
    ['memory', 1024, 150, 16_384, 15],
    ['disk', 1024, 200, 102_400, 95],
    ['cpu', 100, 300, 800, 7],
    ['slots', 1, 500, 10, 9],
    ['ports', 1, 100, 20, 19],
    ['databases', 1, 200, 10, 10],
    ['backups', 1, 150, 10, 10],
  ]);
});

test('buying raises the limit and stands in the list', async () => {
  expect(await ann.api.store.buy({ body: { item_id: memory.id, units: 2, price: 150 } })).toMatchObject({
    kind: 'memory',
    limit: 3072,
    balance: 700,
    total: 300,
  });
  const { purchases, items } = await ann.api.store.items();
  expect(purchases).toMatchObject([
    { kind: 'memory', quantity: 2048, total: 300, refunded: false, at: new Date(harness.clock.now()).toISOString() },
  ]);
  expect(items[0]).toMatchObject({ current: 3072, used: 0, units_left: 13 });
});

test('T1 the same purchase fifty times at once is made once, and fifty purchases stop at the balance', async () => {
  const same = await Promise.all(
    Array.from({ length: 50 }, () => call(harness, ann, 'POST', PATH, order(1), 'store-key-1')),
  );
  expect(new Set(same.map(({ status, json }) => `${status} ${String(json.balance)}`))).toEqual(new Set(['200 850']));
  const many = await Promise.all(
    Array.from({ length: 50 }, (_, index) => call(harness, ann, 'POST', PATH, order(1), `other-key-${index}`)),
  );
  expect(many.filter(({ status }) => status === 200)).toHaveLength(5);
  expect(many.filter(({ json }) => json.error_code === 'INSUFFICIENT_CREDITS')).toHaveLength(45);
  expect(await harness.balance(ann.id)).toBe(100);
});

test('T4 units and prices that are no whole numbers within bounds are refused', async () => {
  const bad: unknown[] = [
    -1,
    -1000,
    0,
    0.5,
    1.0000001,
    1001,
    1e9,
    1e300,
    '1',
    '1e9',
    '0x10',
    '',
    null,
    true,
    [1],
    { n: 1 },
  ];
  for (const units of bad) {
    expect(await call(harness, ann, 'POST', PATH, order(units))).toMatchObject({
      status: 422,
      json: { error_code: 'VALIDATION_FAILED', fields: { units: expect.anything() } },
    });
  }
  for (const price of [-150, 150.5, 1e10, '150', null, [150]]) {
    expect(await call(harness, ann, 'POST', PATH, order(1, price))).toMatchObject({
      status: 422,
      json: { fields: { price: expect.anything() } },
    });
  }
  for (const text of ['{"units":NaN}', '{"units":Infinity}', '{"units":0x1}', '{"units":1', '[1]']) {
    expect((await call(harness, ann, 'POST', PATH, text)).status).toBe(400);
  }
  expect(await call(harness, ann, 'POST', PATH, { ...order(1), total: 1 })).toMatchObject({
    status: 422,
    json: { fields: { total: ['UNKNOWN'] } },
  });
  expect(await harness.balance(ann.id)).toBe(1000);
});

test('T11 the price shown is the price paid', async () => {
  expect(await call(harness, ann, 'POST', PATH, order(1, 149))).toMatchObject({
    status: 409,
    json: { error_code: 'PRICE_CHANGED' },
  });
  expect(await call(harness, ann, 'POST', PATH, order(1, 0))).toMatchObject({
    status: 409,
    json: { error_code: 'PRICE_CHANGED' },
  });
  expect(await harness.balance(ann.id)).toBe(1000);
});

test('items for VIPs are sold to VIPs', async () => {
  await harness.db.sql('UPDATE store_items SET vip_only = 1');
  const vip = await harness.person('vip', { permissions: ['user.permission.vip'], credits: 200 });
  expect(await call(harness, ann, 'POST', PATH, order(1))).toMatchObject({
    status: 403,
    json: { error_code: 'VIP_ONLY' },
  });
  expect(await call(harness, vip, 'POST', PATH, order(1))).toMatchObject({ status: 200, json: { balance: 50 } });
});

test('a switch that is off closes the page and the command', async () => {
  await harness.set({ store_enabled: false });
  expect(await call(harness, ann, 'GET', '/api/store')).toMatchObject({
    status: 404,
    json: { error_code: 'FEATURE_DISABLED' },
  });
  expect(await call(harness, ann, 'POST', PATH, order(1))).toMatchObject({
    status: 404,
    json: { error_code: 'FEATURE_DISABLED' },
  });
});
