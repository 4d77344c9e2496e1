import { afterEach, beforeEach, expect, test } from 'bun:test';
import { MINUTE } from '#shared/time.ts';
import { MAX_ORDER_CREDITS, type Provider } from '#shared/schemas/payment.ts';
import { bankWorld, type BankWorld } from '#tests/support/bank.ts';
import { codeOf, keyed } from '#tests/support/coins.ts';
import type { OrderInput } from './orders.ts';

// Behaviour 5.3 where orders are placed and opened; attacks T11. Through the whole product: tests/api/payments-orders.

let world: BankWorld;
beforeEach(async () => {
  world = await bankWorld();
});
afterEach(() => world.close());

const FREE: OrderInput = { provider: 'stripe', price_minor: 500, currency: 'EUR', rate: 100 };
const create = (over: Partial<OrderInput> = {}) => world.payments.create(world.ann, { ...FREE, ...over });
const refused = (over: Partial<OrderInput>) => codeOf(create(over));
const only = async () => {
  const rows = await world.db.sql<{ id: string }>('SELECT id FROM payment_orders ORDER BY id DESC');
  return world.order(rows[0]?.id ?? '');
};
/** A package of 5.00 EUR for 1000 credits and 200 on top. Gives its id. */
async function packaged(visible = true): Promise<string> {
  const id = world.ids.uuid();
  await world.db.sql(
    `INSERT INTO credit_packages (id, name, price_minor, currency, credits, bonus, position, visible, created_ms, updated_ms)
     VALUES (?, ?, 500, 'EUR', 1000, 200, 1, ?, 1, 1)`,
    [id, visible ? 'Starter' : 'Gone', visible ? 1 : 0],
  );
  return id;
}

test('an order is recorded as it was shown, opened at its gateway, and asked about after five minutes', async () => {
  world.settings.tax_rate = 1900;
  const placed = await create();
  expect(placed).toEqual({ id: placed.id, payUrl: `https://bank.test/${placed.id}` });
  expect(await world.order(placed.id)).toMatchObject({
    userId: world.ann.actor.userId,
    provider: 'stripe',
    state: 'pending',
    packageId: null,
    label: null,
    amount: 500,
    tax: 80,
    taxRate: 1900,
    credits: 500,
    bonus: 0,
    rate: 100,
    ref: `cs-${placed.id}`,
    paymentRef: null,
    expiresMs: 7,
    checks: 0,
    moves: 0,
    clawedBack: 0,
    refunded: 0,
    nextCheckMs: world.clock.now() + 5 * MINUTE,
  });
  const page = `https://panel.example.com/store/orders/${placed.id}`;
  const name = world.settings.app_name ?? world.deps.settings.current().app_name;
  expect(world.bank.asked).toEqual([`open ${placed.id} 0 ${name} · 500 ${page}`]);
  const manual = await create({ provider: 'manual' });
  expect(manual.payUrl).toBeNull();
  expect(await world.order(manual.id)).toMatchObject({ state: 'pending', nextCheckMs: null });
});

test('T11 a package is sold for exactly what was shown of it, while it is on sale', async () => {
  const id = await packaged();
  const shown = { package_id: id, credits: 1200, rate: undefined };
  const placed = await create(shown);
  expect(await world.order(placed.id)).toMatchObject({ packageId: id, label: 'Starter', credits: 1000, bonus: 200 });
  expect(world.bank.asked.at(-1)).toContain(' Starter ');
  for (const wrong of [{ credits: 1199 }, { credits: 1000 }, { credits: undefined }, { price_minor: 499 }])
    expect({ wrong, code: await refused({ ...shown, ...wrong }) }).toEqual({ wrong, code: 'PRICE_CHANGED' });
  expect(await refused({ ...shown, currency: 'USD' })).toBe('PRICE_CHANGED');
  expect(await refused({ ...shown, package_id: 'missing' })).toBe('ITEM_UNAVAILABLE');
  expect(await refused({ ...shown, package_id: await packaged(false) })).toBe('ITEM_UNAVAILABLE');
});

test('T11 a free amount is sold at the rate, in the currency and within the bounds that hold now', async () => {
  Object.assign(world.settings, { payment_min: 100, payment_max: 1000, payment_open_orders: 100 });
  expect(await refused({ rate: 101 })).toBe('PRICE_CHANGED');
  expect(await refused({ rate: undefined })).toBe('PRICE_CHANGED');
  expect(await refused({ currency: 'USD' })).toBe('PRICE_CHANGED');
  expect(await refused({ credits: 501 })).toBe('PRICE_CHANGED');
  expect(await refused({ credits: 500 })).toBeNull();
  expect(await refused({ price_minor: 99 })).toBe('VALIDATION_FAILED');
  expect(await refused({ price_minor: 1001 })).toBe('VALIDATION_FAILED');
  expect([await refused({ price_minor: 100 }), await refused({ price_minor: 1000 })]).toEqual([null, null]);
  // No credits at all, and one; the most of one order, and more.
  Object.assign(world.settings, { payment_min: 1, payment_credits_per_unit: 1, payment_max: 1_000_000_000 });
  expect([await refused({ price_minor: 99, rate: 1 }), await refused({ price_minor: 100, rate: 1 })]).toEqual([
    'VALIDATION_FAILED',
    null,
  ]);
  world.settings.payment_credits_per_unit = 1000;
  expect(await refused({ price_minor: MAX_ORDER_CREDITS / 10, rate: 1000 })).toBeNull();
  expect(await refused({ price_minor: MAX_ORDER_CREDITS / 10 + 1, rate: 1000 })).toBe('VALIDATION_FAILED');
  world.settings.payment_free_enabled = false;
  expect(await refused({})).toBe('ITEM_UNAVAILABLE');
});

test('what is refused of a free amount is named: sold no more before its price, its price before its size', async () => {
  Object.assign(world.settings, { payment_min: 501 });
  expect(await refused({ rate: 101 })).toBe('PRICE_CHANGED');
  world.settings.payment_free_enabled = false;
  expect(await refused({ rate: 101 })).toBe('ITEM_UNAVAILABLE');
  await expect(create({ price_minor: 500 })).rejects.toMatchObject({ code: 'ITEM_UNAVAILABLE' });
  world.settings.payment_free_enabled = true;
  await expect(create()).rejects.toMatchObject({ fields: { price_minor: ['TOO_SMALL'] } });
  Object.assign(world.settings, { payment_min: 1, payment_max: 499 });
  await expect(create({ credits: 1 })).rejects.toMatchObject({ fields: { price_minor: ['TOO_LARGE'] } });
});

test('a way to pay that is off, not ready or does not take the money is refused, before too many orders are', async () => {
  Object.assign(world.settings, { payment_open_orders: 1, manual_payments_enabled: false });
  expect(await refused({ provider: 'manual' })).toBe('ITEM_UNAVAILABLE');
  world.bank.accepts = false;
  expect(await refused({})).toBe('ITEM_UNAVAILABLE');
  Object.assign(world.bank, { accepts: true, ready: false });
  expect(await refused({})).toBe('ITEM_UNAVAILABLE');
  world.bank.ready = true;
  expect(await refused({})).toBeNull();
  expect(await refused({})).toBe('TOO_MANY_ORDERS');
  world.bank.ready = false;
  expect(await refused({})).toBe('ITEM_UNAVAILABLE');
  world.bank.ready = true;
  // A paid order makes room.
  await world.pay((await only()).id);
  expect(await refused({})).toBeNull();
});

test('the same key opens the same checkout again, also of an order that is open there', async () => {
  const ctx = keyed(world.ann, 'k1');
  world.bank.opened = { kind: 'unknown', reason: 'cut off', fresh: true };
  expect(await codeOf(world.payments.create(ctx, FREE))).toBe('GATEWAY_UNAVAILABLE');
  const { id, state, checks, nextCheckMs } = await only();
  expect({ state, checks, nextCheckMs }).toEqual({
    state: 'created',
    checks: 1,
    nextCheckMs: world.clock.now() + 5 * MINUTE,
  });
  // Repeated by the gateway for the same key: it is sent again under the same name.
  world.bank.opened = { kind: 'unknown', reason: 'cut off', fresh: false };
  expect(await codeOf(world.payments.create(keyed(world.ann, 'k1'), FREE))).toBe('GATEWAY_UNAVAILABLE');
  world.bank.opened = null;
  world.clock.advance(MINUTE);
  expect(await world.payments.create(keyed(world.ann, 'k1'), FREE)).toEqual({ id, payUrl: `https://bank.test/${id}` });
  expect(await world.payments.create(keyed(world.ann, 'k1'), FREE)).toEqual({ id, payUrl: `https://bank.test/${id}` });
  expect(world.bank.asked.map((line) => line.split(' ').slice(0, 3).join(' '))).toEqual([
    `open ${id} 0`,
    `open ${id} 1`,
    `open ${id} 1`,
  ]);
  expect(await world.order(id)).toMatchObject({ checks: 0, nextCheckMs: world.clock.now() + 5 * MINUTE });
  expect(world.db.log.events().filter((event) => event === 'payments.not_opened')).toHaveLength(2);
});

test('an order that its gateway refuses fails, one cancelled meanwhile stays so, and the checkout of another order is refused', async () => {
  world.bank.opened = { kind: 'refused', reason: 'no' };
  expect(await refused({})).toBe('GATEWAY_REFUSED');
  expect(await only()).toMatchObject({ state: 'failed', failure: 'GATEWAY', nextCheckMs: null });
  const open = world.bank.gateway.open;
  world.bank.gateway.open = async (opening) => {
    await world.payments.cancel(world.ann, opening.order.id);
    return { kind: 'refused', reason: 'no' };
  };
  expect(await refused({})).toBe('GATEWAY_REFUSED');
  expect(await only()).toMatchObject({ state: 'cancelled', failure: null });
  world.bank.gateway.open = async (opening) => {
    await world.payments.cancel(world.ann, opening.order.id);
    return { kind: 'opened', ref: 'cs-late', url: 'https://bank.test/late', expiresMs: null };
  };
  expect((await create()).payUrl).toBeNull();
  expect(await only()).toMatchObject({ state: 'cancelled', ref: null });
  world.bank.gateway.open = open;
  world.bank.opened = { kind: 'opened', ref: 'cs-same', url: 'https://bank.test/same', expiresMs: null };
  await create();
  expect(await refused({})).toBe('GATEWAY_REFUSED');
  expect(await only()).toMatchObject({ state: 'created', ref: null, payUrl: null });
});

test('a buyer has their own unpaid order asked about, and gives it up once; nobody else’s', async () => {
  const [id, manual, paid] = [await world.place(), await world.place('manual'), await world.place()];
  await world.pay(paid);
  await world.jobs();
  for (const each of [id, manual, paid]) await world.payments.check(world.ann, each);
  expect(await world.jobs()).toEqual([`payments.sync ${id} ×2`]);
  expect(await codeOf(world.payments.check(world.staff, id))).toBe('NOT_FOUND');
  expect(await codeOf(world.payments.check(world.ann, 'missing'))).toBe('NOT_FOUND');
  expect(await codeOf(world.payments.cancel(world.staff, id))).toBe('NOT_FOUND');
  expect(await codeOf(world.payments.order(world.staff, id))).toBe('NOT_FOUND');
  expect(await codeOf(world.payments.order(world.ann, 'missing'))).toBe('NOT_FOUND');
  expect(await codeOf(world.payments.cancel(world.ann, paid))).toBe('CONFLICT');
  const heard: string[] = [];
  const stop = world.bus.subscribe(`user:${world.ann.actor.userId}`, (topic) => heard.push(topic));
  await world.payments.cancel(world.ann, manual);
  await world.payments.cancel(world.ann, id);
  stop();
  expect(heard).toHaveLength(2);
  expect(await world.jobs()).toEqual([`payments.close ${id} ×5`]);
  expect(await world.order(id)).toMatchObject({ state: 'cancelled', payUrl: null });
  expect(await codeOf(world.payments.cancel(world.ann, id))).toBe('CONFLICT');
  expect((await world.payments.order(world.ann, paid)).balance).toBe(500);
});

test('what is offered is what can be paid now: packages, a free amount within its bounds, and the ways that take them', async () => {
  const id = await packaged();
  await packaged(false);
  Object.assign(world.settings, { tax_rate: 1900, payment_min: 100, payment_max: 100 });
  const ways = async () => {
    const { providers, packages, free } = await world.payments.offer(world.ann);
    return { providers, packages: packages.map((each) => each.providers), free: free?.providers ?? null };
  };
  const all: Provider[] = ['stripe', 'paypal', 'manual'];
  const sorted = (list: readonly Provider[]) => all.filter((each) => list.includes(each));
  const offer = await world.payments.offer(world.ann);
  expect(offer.packages).toMatchObject([{ id, name: 'Starter', tax: 80, credits: 1000, bonus: 200 }]);
  expect([sorted(offer.providers), sorted(offer.free?.providers ?? [])]).toEqual([all, all]);
  expect(offer).toMatchObject({ taxRate: 1900, balance: 0, debt: 0, free: { min: 100, max: 100, rate: 100 } });
  world.bank.ready = false;
  world.paypal.accepts = false;
  expect(await ways()).toEqual({
    providers: offer.providers.filter((each) => each !== 'stripe'),
    packages: [['manual']],
    free: ['manual'],
  });
  world.settings.manual_payments_enabled = false;
  expect(await ways()).toEqual({ providers: ['paypal'], packages: [], free: null });
  world.paypal.accepts = true;
  world.settings.payment_max = 99;
  expect(await ways()).toEqual({ providers: ['paypal'], packages: [['paypal']], free: null });
  Object.assign(world.settings, { payment_max: 100, payment_free_enabled: false });
  expect((await ways()).free).toBeNull();
});

test('the receipt names who sold to whom as it was, and is shown to its buyer and to staff who may see payments', async () => {
  Object.assign(world.settings, {
    tax_rate: 1900,
    receipt_prefix: 'X-',
    company_name: '',
    company_address: '1 Road',
    company_zip: '1000',
    company_city: 'Town',
    company_state: '',
    company_country: 'Land',
    company_vat: 'V1',
  });
  const id = await world.place();
  expect(await codeOf(world.payments.receipt(world.ann, id))).toBe('NOT_FOUND');
  await world.pay(id);
  const receipt = await world.payments.receipt(world.ann, id);
  expect(receipt).toMatchObject({
    number: 'X-000001',
    seller: {
      name: world.deps.settings.current().app_name,
      lines: ['1 Road', '1000 Town', 'Land'],
      vat: 'V1',
    },
    customer: { name: 'A B', username: world.ann.actor.username },
    net: 420,
    tax: 80,
    amount: 500,
    refunded: 0,
  });
  expect(await world.payments.receipt(world.staff, id)).toEqual(receipt);
  // What the company has not said leaves no blank and no empty line; the first receipt stays as it was.
  Object.assign(world.settings, { company_name: 'Host', company_zip: '', company_state: 'State', company_address: '' });
  const next = await world.place();
  await world.pay(next);
  expect((await world.payments.receipt(world.ann, next)).seller).toEqual({
    name: 'Host',
    lines: ['Town', 'State, Land'],
    vat: 'V1',
  });
  Object.assign(world.settings, { company_city: '', company_state: '', company_country: '' });
  const last = await world.place();
  await world.pay(last);
  expect((await world.payments.receipt(world.ann, last)).seller.lines).toEqual([]);
  expect(await world.payments.receipt(world.ann, id)).toEqual(receipt);
  const other = await world.person();
  expect(await codeOf(world.payments.receipt(other, id))).toBe('NOT_FOUND');
  expect(await codeOf(world.payments.receipt(world.ann, 'missing'))).toBe('NOT_FOUND');
});
