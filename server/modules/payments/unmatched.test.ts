import { afterEach, beforeEach, expect, test } from 'bun:test';
import { toCredits } from '#shared/credits.ts';
import { MAX_ORDER_CREDITS } from '#shared/schemas/payment.ts';
import { bankWorld, type BankWorld } from '#tests/support/bank.ts';
import { codeOf, keyed, withRights } from '#tests/support/coins.ts';
import type { EventContent, Paid } from './ports.ts';

// E1, and what stands between a payment of an unknown order and credits. Through the product: tests/api/payments-unmatched.

let world: BankWorld;
beforeEach(async () => {
  world = await bankWorld();
});
afterEach(() => world.close());

let count = 0;
const unknownOrder = () => `0198a000-0000-7000-8000-${String((count += 1)).padStart(12, '0')}`;
const paidOf = (over: Partial<Paid> = {}): Paid => {
  const orderId = unknownOrder();
  return {
    orderId,
    userId: world.ann.actor.userId,
    ref: `cs-${orderId}`,
    paymentRef: `pi-${orderId}`,
    amount: 500,
    currency: 'EUR',
    account: null,
    live: true,
    ...over,
  };
};
async function receive(content: EventContent, provider: 'stripe' | 'paypal' = 'stripe') {
  const id = await world.take(content, provider);
  await world.payments.applyEvent(id);
  return id;
}
const INPUT = { user: '', credits: 500, reason: 'it came' };
const credit = (id: string, over: Partial<typeof INPUT> = {}, by = world.staff) =>
  world.payments.creditUnmatched(by, id, { ...INPUT, ...over });

test('E1 a payment of an unknown order is credited once: its order is written down again as it was paid', async () => {
  world.settings.tax_rate = 1900;
  const paid = paidOf();
  const id = await receive({ kind: 'paid', ...paid });
  await world.jobs();
  world.clock.advance(5000);
  const ctx = keyed(world.staff, 'k1');
  expect(await world.payments.creditUnmatched(ctx, id, INPUT)).toEqual({ id: paid.orderId ?? '' });
  // The same request again has the same answer, another one finds nothing to do.
  expect(await world.payments.creditUnmatched(keyed(world.staff, 'k1'), id, INPUT)).toEqual({ id: paid.orderId ?? '' });
  expect(await codeOf(credit(id))).toBe('CONFLICT');
  expect(await world.order(paid.orderId ?? '')).toMatchObject({
    userId: world.ann.actor.userId,
    provider: 'stripe',
    state: 'paid',
    amount: 500,
    currency: 'EUR',
    tax: 80,
    taxRate: 1900,
    credits: 500,
    bonus: 0,
    ref: paid.ref,
    paymentRef: paid.paymentRef,
    createdMs: world.clock.now() - 5000,
    locale: 'en',
  });
  expect(await world.event(id)).toMatchObject({ outcome: 'applied', reason: null, orderId: paid.orderId });
  expect(await world.balance(world.ann)).toBe(500);
  expect((await world.jobs()).filter((line) => line.startsWith('payments.sync'))).toEqual([
    `payments.sync ${paid.orderId} ×48`,
  ]);
  expect(await world.audited()).toEqual(['payments.credit']);
});

test('E1 whoever is typed gets the credits, before whom the payment names; nobody of that name gets none', async () => {
  const id = await receive({ kind: 'paid', ...paidOf() });
  await expect(credit(id, { user: 'nobody' })).rejects.toMatchObject({ fields: { user: ['UNKNOWN'] } });
  const ben = await world.person();
  await credit(id, { user: ben.actor.username });
  expect([await world.balance(ben), await world.balance(world.ann)]).toEqual([500, 0]);
  const gone = await receive({ kind: 'paid', ...paidOf({ userId: 'nobody-any-more' }) });
  expect(await world.payments.unmatchedPayment(gone)).toMatchObject({
    user: null,
    paid: { userId: 'nobody-any-more' },
  });
  await expect(credit(gone)).rejects.toMatchObject({ fields: { user: ['REQUIRED'] } });
  const left = await world.person();
  const theirs = await receive({ kind: 'paid', ...paidOf({ userId: left.actor.userId }) });
  expect((await world.payments.unmatchedPayment(theirs)).user).toEqual({
    id: left.actor.userId,
    username: left.actor.username,
  });
  await world.db.sql("UPDATE users SET status = 'deleted' WHERE id = ? RETURNING id", [left.actor.userId]);
  expect((await world.payments.unmatchedPayment(theirs)).user).toBeNull();
  await expect(credit(theirs)).rejects.toMatchObject({ fields: { user: ['REQUIRED'] } });
});

test('E1 crediting is refused to oneself, above the approval limit, and without the right', async () => {
  const id = await receive({ kind: 'paid', ...paidOf({ userId: world.staff.actor.userId }) });
  expect(await codeOf(credit(id))).toBe('FORBIDDEN');
  expect(await codeOf(credit(id, { user: world.staff.actor.username }))).toBe('FORBIDDEN');
  expect(await codeOf(credit(id, {}, world.ann))).toBe('FORBIDDEN');
  world.settings.staff_amount_max = 499;
  expect(await codeOf(credit(id, { user: world.ann.actor.username }))).toBe('APPROVAL_REQUIRED');
  world.settings.staff_amount_max = 500;
  await credit(id, {}, withRights(world.staff, 'admin.root'));
  expect(await world.balance(world.staff)).toBe(500);
});

test('E1 only what stands on the list is viewed, credited or removed, and it is removed once', async () => {
  const order = await world.place();
  const done = await world.take({ kind: 'waiting', orderId: order, ref: null, paymentRef: null });
  await world.payments.applyEvent(done);
  const plain = await receive({ kind: 'failed', orderId: 'x', ref: null, paymentRef: null });
  for (const [id, code] of [
    ['missing', 'NOT_FOUND'],
    [done, 'CONFLICT'],
    [plain, 'CONFLICT'],
  ] as const) {
    expect(await codeOf(world.payments.unmatchedPayment(id))).toBe(code);
    expect(await codeOf(credit(id))).toBe(code);
    expect(await codeOf(world.payments.dismissUnmatched(world.staff, id, 'x'))).toBe(code);
  }
  const id = await receive({ kind: 'paid', ...paidOf() });
  expect(await codeOf(world.payments.dismissUnmatched(world.ann, id, 'not ours'))).toBe('FORBIDDEN');
  await world.payments.dismissUnmatched(world.staff, id, 'not ours');
  expect(await world.event(id)).toMatchObject({ outcome: 'unknown', reason: null, orderId: null });
  expect(await codeOf(world.payments.dismissUnmatched(world.staff, id, 'again'))).toBe('CONFLICT');
  expect(await codeOf(credit(id))).toBe('CONFLICT');
  expect(await world.audited()).toEqual(['payments.dismiss']);
});

test('E1 a payment that only its gateway can tell of is credited by what that says, and by nothing else', async () => {
  const paid = paidOf();
  const orderId = paid.orderId ?? '';
  const id = await receive({ kind: 'check', money: true, orderId, ref: paid.ref, paymentRef: null }, 'paypal');
  expect(await world.payments.unmatchedPayment(id)).toMatchObject({ paid: null, user: null, credits: 0 });
  expect(await codeOf(credit(id))).toBe('GATEWAY_UNAVAILABLE');
  const says = (over: Partial<Paid>) =>
    world.paypal.says.set(orderId, { kind: 'paid', paid: { ...paid, ...over }, refunded: 0 });
  says({ orderId: unknownOrder() });
  expect(await codeOf(credit(id))).toBe('GATEWAY_UNAVAILABLE');
  says({});
  world.paypal.ours = false;
  expect(await codeOf(credit(id))).toBe('GATEWAY_UNAVAILABLE');
  world.paypal.ours = true;
  expect(await world.payments.unmatchedPayment(id)).toMatchObject({
    paid,
    user: { id: world.ann.actor.userId },
    credits: 500,
  });
  await credit(id);
  expect(await world.order(orderId)).toMatchObject({ provider: 'paypal', state: 'paid' });
});

test('E1 a payment whose order, checkout or payment is known by now is credited to nobody', async () => {
  const order = await world.place();
  await world.pay(order);
  const known = [{ ref: `cs-${order}` }, { paymentRef: `pi-${order}` }];
  for (const over of known) {
    const id = await receive({ kind: 'paid', ...paidOf() });
    const content = { kind: 'paid', ...paidOf(over) };
    await world.db.sql('UPDATE payment_events SET content = ? WHERE id = ? RETURNING id', [
      JSON.stringify(content),
      id,
    ]);
    expect({ over, code: await codeOf(credit(id)) }).toEqual({ over, code: 'CONFLICT' });
  }
  const [first, second] = [paidOf(), paidOf()];
  const [one, other] = [
    await receive({ kind: 'paid', ...first }),
    await receive({ kind: 'paid', ...second, orderId: first.orderId }),
  ];
  await credit(one);
  expect(await codeOf(credit(other))).toBe('CONFLICT');
  expect(await world.balance(world.ann)).toBe(1000);
});

test('E1 a payment whose credits were moved once is not credited again, though no order of it is left', async () => {
  const paid = paidOf();
  const id = await receive({ kind: 'paid', ...paid });
  const postings = [
    { source: 'system:payment.stripe', destination: `user:${world.ann.actor.userId}`, amount: toCredits(500) },
  ] as const;
  await world.uow.run((tx) =>
    world.ledger.transfer(tx, { kind: 'payment.credit', reference: `payment:stripe:${paid.paymentRef}`, postings }),
  );
  expect(await codeOf(credit(id))).toBe('CONFLICT');
  expect(await world.db.sql('SELECT id FROM payment_orders')).toEqual([]);
  expect([await world.balance(world.ann), (await world.event(id))?.outcome]).toEqual([500, 'unknown']);
});

test('E1 no order is written down for no money, for more than an order may have, or in no currency', async () => {
  for (const over of [{ amount: 0 }, { amount: -5 }, { amount: 1_000_000_001 }])
    expect({ over, code: await codeOf(credit(await receive({ kind: 'paid', ...paidOf(over) }))) }).toEqual({
      over,
      code: 'CONFLICT',
    });
  for (const over of [{ amount: 1 }, { amount: 1_000_000_000 }])
    await credit(await receive({ kind: 'paid', ...paidOf(over) }));
  expect(await world.balance(world.ann)).toBe(1000);
});

test('E1 the worth of a payment is that of a package with its price, else of the rate, and nothing in another currency', async () => {
  const worth = async (over: Partial<Paid>) =>
    (await world.payments.unmatchedPayment(await receive({ kind: 'paid', ...paidOf(over) }))).credits;
  expect([await worth({ amount: 500 }), await worth({ amount: 1 }), await worth({ amount: 0 })]).toEqual([500, 1, 0]);
  expect([await worth({ amount: -100 }), await worth({ currency: 'USD' })]).toEqual([0, 0]);
  world.settings.payment_credits_per_unit = 1_000_000;
  expect(await worth({ amount: 1_000_000_000 })).toBe(MAX_ORDER_CREDITS);
  await world.db.sql(
    `INSERT INTO credit_packages (id, name, price_minor, currency, credits, bonus, position, visible, created_ms, updated_ms)
     VALUES ('p', 'Starter', 500, 'EUR', 1000, 200, 1, 1, 1, 1), ('q', 'Dollars', 500, 'USD', 7, 1, 2, 1, 1, 1) RETURNING id`,
  );
  expect([await worth({ amount: 500 }), await worth({ currency: 'USD' }), await worth({ currency: 'CHF' })]).toEqual([
    1200, 8, 0,
  ]);
});
