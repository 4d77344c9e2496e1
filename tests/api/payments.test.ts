import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { call } from '#tests/support/call.ts';
import { DAY } from '#shared/time.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openPayWorld, type PayWorld } from '#tests/support/payments.ts';

// Shows behaviour 5.3.

/** Opening a database takes its time on a busy machine. */
const SLOW = 60_000;
setDefaultTimeout(SLOW);

describe.each(ENGINES)('card payments (%s)', (engine) => {
  let world: PayWorld;
  beforeEach(async () => {
    world = await openPayWorld(engine);
  }, SLOW);
  afterEach(() => world.close(), SLOW);
  const balance = () => world.harness.balance(world.ann.id);
  const paid = (id: string, over: object = {}) =>
    world.stripe.event('checkout.session.completed', { ...world.stripe.pay(id), ...over });

  test('T7 the same event, and others of the same payment, fifty times at once pay once', async () => {
    const id = await world.order();
    const session = world.stripe.pay(id);
    const same = await world.stripe.event('checkout.session.completed', session, { id: 'evt_same' });
    const others = await Promise.all(
      Array.from({ length: 25 }, () => world.stripe.event('checkout.session.async_payment_succeeded', session)),
    );
    const statuses = await Promise.all(
      [...Array.from({ length: 50 }, () => same), ...others].map((notice) => world.send('stripe', notice)),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    await Promise.all([
      world.harness.host.runner.runDue(),
      world.harness.host.runner.runDue(),
      world.harness.host.runner.runDue(),
    ]);
    await world.harness.drainJobs();
    expect([await world.state(id), await balance()]).toEqual(['paid', 1200]);
    // Months later: the record of the event still knows it, and so does the order.
    await world.pass(1000 * 60 * 60 * 24 * 3);
    expect(
      await world.deliver(
        'stripe',
        await world.stripe.event('checkout.session.completed', session, { id: 'evt_same' }),
      ),
    ).toBe(200);
    expect(await world.deliver('stripe', await world.stripe.event('checkout.session.completed', session))).toBe(200);
    expect(await balance()).toBe(1200);
  });

  test('T8 a charge-back after the credits were spent becomes a debt that blocks spending, and a dispute won returns everything', async () => {
    const id = await world.order();
    await world.deliver('stripe', await paid(id));
    const memory = (await world.ann.api.store.items()).items.find(({ kind }) => kind === 'memory');
    const body = { item_id: memory?.id ?? '', units: 4, price: 150 };
    await world.ann.api.store.buy({ body });
    expect(await balance()).toBe(600);
    const dispute = (name: string, status: string) =>
      world.stripe.event(`charge.dispute.${name}`, world.stripe.disputeOf(id, status));
    await world.deliver('stripe', await dispute('created', 'warning_needs_response'));
    expect([await world.state(id), await balance()]).toEqual(['paid', 600]);
    await world.deliver('stripe', await dispute('created', 'needs_response'));
    expect([await world.state(id), await balance()]).toEqual(['disputed', 600]);
    await world.deliver('stripe', await dispute('funds_withdrawn', 'needs_response'));
    const { debt } = await world.ann.api.payments.offer();
    expect([await world.state(id), await balance(), debt]).toEqual(['disputed', 0, 600]);
    await world.harness.creditPerson(world.ann.id, 500);
    expect(await call(world.harness, world.ann, 'POST', '/api/store/buy', { ...body, units: 1 })).toMatchObject({
      json: { error_code: 'SPENDING_BLOCKED' },
    });
    expect((await world.staff.api.notifications.list()).notifications.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['paymentDispute', 'paymentDebt']),
    );
    await world.deliver('stripe', await dispute('funds_reinstated', 'won'));
    await world.deliver('stripe', await dispute('closed', 'won'));
    expect([await world.state(id), await balance(), (await world.ann.api.payments.offer()).debt]).toEqual([
      'paid',
      1100,
      0,
    ]);
    await world.ann.api.store.buy({ body: { ...body, units: 1 } });
  });

  test('T7 T8 a refund, and a dispute, count before the payment itself is heard of', async () => {
    const id = await world.order();
    const completed = await paid(id);
    world.stripe.refundThere(id, 500);
    await world.deliver('stripe', await world.stripe.event('charge.refunded', world.stripe.chargeOf(id)));
    expect([await world.state(id), await balance()]).toEqual(['refunded', 0]);
    await world.deliver('stripe', completed);
    expect([await world.state(id), await balance()]).toEqual(['refunded', 0]);
    const second = await world.order();
    const late = await paid(second);
    await world.deliver(
      'stripe',
      await world.stripe.event('charge.dispute.funds_withdrawn', world.stripe.disputeOf(second, 'needs_response')),
    );
    expect(await balance()).toBe(0);
    await world.deliver('stripe', late);
    expect([await world.state(second), await balance()]).toEqual(['disputed', 0]);
    const { rows } = await world.ann.api.account.statement();
    expect(rows.map(({ kind, amount }) => [kind, amount])).toEqual([
      ['payment.dispute', -1200],
      ['payment.credit', 1200],
      ['payment.refund', -1200],
      ['payment.credit', 1200],
    ]);
  });

  test('staff refund money: it is recorded first, asked once, whatever becomes of the answer', async () => {
    const id = await world.order();
    await world.deliver('stripe', await paid(id));
    // Done there, but the answer was lost; then the gateway is away; then it answers.
    world.stripe.faults.push(
      { at: 'POST /v1/refunds', when: 'after', cut: true },
      { at: 'POST /v1/refunds', when: 'before', status: 503 },
    );
    const path = `/api/admin/payments/${id}/refund`;
    const asked = await Promise.all(
      Array.from({ length: 50 }, () =>
        call(world.harness, world.staff, 'POST', path, { amount: 200, reason: 'Asked for it' }, 'refund-key-1'),
      ),
    );
    expect(new Set(asked.map(({ status, json }) => `${status} ${String(json.id)}`)).size).toBe(1);
    expect(await call(world.harness, world.staff, 'POST', path, { amount: 301, reason: 'Too much' })).toMatchObject({
      status: 422,
      json: { fields: { amount: ['TOO_LARGE'] } },
    });
    await world.pass(1000 * 60 * 60);
    expect(world.stripe.chargeOf(id).amount_refunded).toBe(200);
    expect([await world.state(id), await balance()]).toEqual(['part_refunded', 720]);
    const { refunds, payment } = await world.staff.api.adminPayments.get({ params: { id } });
    expect([refunds.map(({ state, by }) => [state, by]), payment.refundable, payment.clawed_back]).toEqual([
      [['done', 'staff']],
      300,
      480,
    ]);
    // Its own notice comes on top and changes nothing.
    await world.deliver('stripe', await world.stripe.event('charge.refunded', world.stripe.chargeOf(id)));
    expect(await balance()).toBe(720);
  });

  test('receipts are numbered without gaps, however many orders are paid at once and refused between', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => world.order()));
    const notices = await Promise.all(
      ids.map((id, index) =>
        world.stripe.event('checkout.session.completed', {
          ...world.stripe.pay(id),
          ...(index % 4 === 0 ? { amount_total: 1 } : {}),
        }),
      ),
    );
    await Promise.all(notices.map((notice) => world.send('stripe', notice)));
    await Promise.all([1, 2, 3, 4].map(() => world.harness.host.runner.runDue()));
    await world.harness.drainJobs();
    const { rows } = await world.ann.api.payments.mine({ query: { per_page: '100' } });
    const numbers = rows
      .flatMap(({ receipt }) => (receipt === null ? [] : [Number(receipt.replace('R-', ''))]))
      .toSorted((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 15 }, (_, index) => index + 1));
    expect(await balance()).toBe(15 * 1200);
  });
});

describe('card payments', () => {
  let world: PayWorld;
  beforeEach(async () => {
    world = await openPayWorld();
  }, SLOW);
  afterEach(() => world.close(), SLOW);
  const balance = () => world.harness.balance(world.ann.id);
  const paid = (id: string, over: object = {}) =>
    world.stripe.event('checkout.session.completed', { ...world.stripe.pay(id), ...over });

  test('a signed event that fits pays the credits, once, with a receipt', async () => {
    const id = await world.order();
    expect(await world.state(id)).toBe('pending');
    expect(await world.deliver('stripe', await paid(id))).toBe(200);
    expect([await world.state(id), await balance()]).toEqual(['paid', 1200]);
    const { order } = await world.ann.api.payments.order({ params: { id } });
    expect(order).toMatchObject({
      amount: 500,
      tax: 80,
      tax_rate: 1900,
      credits: 1000,
      bonus: 200,
      receipt: 'R-000001',
      pay_url: null,
      label: 'Starter',
    });
    const { rows } = await world.ann.api.account.statement();
    expect(rows).toMatchObject([{ kind: 'payment.credit', amount: 1200, subject: 'Starter' }]);
  });

  test('T5 a small payment cannot pay for a large order', async () => {
    const large = await world.order();
    const small = (
      await world.ann.api.payments.create({
        body: { provider: 'stripe', price_minor: 100, currency: 'EUR', rate: 100 },
      })
    ).id;
    const session = world.stripe.pay(small);
    // The small session claims to be the large order: in one place, in both, and with the large one's id as well.
    for (const over of [
      { client_reference_id: large },
      { client_reference_id: large, metadata: { ...session.metadata, order_id: large } },
      {
        client_reference_id: large,
        metadata: { ...session.metadata, order_id: large },
        id: world.stripe.session(large).id,
      },
    ]) {
      expect(
        await world.deliver('stripe', await world.stripe.event('checkout.session.completed', { ...session, ...over })),
      ).toBe(200);
    }
    expect([await world.state(large), await balance()]).toEqual(['pending', 0]);
    expect(await world.deliver('stripe', await world.stripe.event('checkout.session.completed', session))).toBe(200);
    expect([await world.state(small), await world.state(large), await balance()]).toEqual(['paid', 'pending', 100]);
    const { events } = await world.staff.api.adminPayments.get({ params: { id: large } });
    expect(events.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['mismatch', 'REFERENCE'],
      ['mismatch', 'AMOUNT'],
    ]);
    expect(
      (await world.staff.api.adminPayments.get({ params: { id: small } })).events.map(({ outcome, reason }) => [
        outcome,
        reason,
      ]),
    ).toEqual([
      ['mismatch', 'USER'],
      ['applied', null],
    ]);
    // The admins know.
    expect(
      (await world.staff.api.notifications.list()).notifications.filter(({ kind }) => kind === 'paymentMismatch'),
    ).toHaveLength(3);
  });

  test('T7 a wrong amount, currency, account, mode, user or reference is stored, credited never, and the admins are notified', async () => {
    const cases: [string, object, { account?: string }?][] = [
      ['AMOUNT', { amount_total: 499 }],
      ['AMOUNT', { amount_total: 501 }],
      ['AMOUNT', { amount_total: null }],
      ['CURRENCY', { currency: 'usd' }],
      ['CURRENCY', { currency: null }],
      ['ACCOUNT', { livemode: true }],
      ['ACCOUNT', {}, { account: 'acct_other' }],
      ['REFERENCE', { id: 'cs_test_other' }],
      ['USER', { client_reference_id: null }],
    ];
    for (const [reason, over, more] of cases) {
      const id = await world.order();
      expect(
        await world.deliver(
          'stripe',
          await world.stripe.event('checkout.session.completed', { ...world.stripe.pay(id), ...over }, more ?? {}),
        ),
      ).toBe(200);
      const { events } = await world.staff.api.adminPayments.get({ params: { id } });
      expect({ reason, state: await world.state(id), events: events.map((each) => each.reason) }).toEqual({
        reason,
        state: 'pending',
        events: [reason],
      });
    }
    expect(await balance()).toBe(0);
    expect(
      (await world.staff.api.notifications.list()).notifications.filter(({ kind }) => kind === 'paymentMismatch'),
    ).toHaveLength(cases.length);
  });

  test('T7 T8 events of a dispute in any order end the same', async () => {
    const orders: [string, string][][] = [
      [
        ['funds_reinstated', 'won'],
        ['funds_withdrawn', 'needs_response'],
        ['created', 'needs_response'],
        ['closed', 'won'],
      ],
      [
        ['closed', 'won'],
        ['funds_withdrawn', 'needs_response'],
        ['funds_reinstated', 'won'],
      ],
      [
        ['closed', 'lost'],
        ['created', 'needs_response'],
        ['funds_withdrawn', 'needs_response'],
      ],
    ];
    let total = 0;
    for (const steps of orders) {
      const id = await world.order();
      await world.deliver('stripe', await paid(id));
      for (const [name, status] of steps)
        await world.deliver(
          'stripe',
          await world.stripe.event(`charge.dispute.${name}`, world.stripe.disputeOf(id, status)),
        );
      const lost = steps.some(([, status]) => status === 'lost');
      total += lost ? 0 : 1200;
      expect({ state: await world.state(id), balance: await balance() }).toEqual({
        state: lost ? 'disputed' : 'paid',
        balance: total,
      });
    }
  });

  test('T7 T8 an older event of a dispute that comes late changes neither its state nor its amount', async () => {
    const id = await world.order();
    await world.deliver('stripe', await paid(id));
    const dispute = (amount: number) => world.stripe.disputeOf(id, 'needs_response', amount);
    await world.deliver('stripe', await world.stripe.event('charge.dispute.funds_withdrawn', dispute(500)));
    expect(await balance()).toBe(0);
    await world.deliver('stripe', await world.stripe.event('charge.dispute.created', dispute(100)));
    expect([await world.state(id), await balance()]).toEqual(['disputed', 0]);
    await world.deliver('stripe', await world.stripe.event('charge.dispute.funds_withdrawn', dispute(250)));
    expect(await balance()).toBe(600);
  });

  test('T8 part refunds take the share of the credits, rounded up and never more than all, and one that fails returns its share', async () => {
    const id = await world.order();
    await world.deliver('stripe', await paid(id));
    const refundedBy = async (amount: number, type = 'charge.refunded') => {
      const charge = world.stripe.refundThere(id, amount);
      await world.deliver(
        'stripe',
        await world.stripe.event(
          type,
          type === 'charge.refunded'
            ? charge
            : { id: 're_1', object: 'refund', amount: -amount, payment_intent: charge.payment_intent },
        ),
      );
      return [await world.state(id), await balance()];
    };
    expect(await refundedBy(1)).toEqual(['part_refunded', 1197]);
    expect(await refundedBy(99)).toEqual(['part_refunded', 960]);
    expect(await refundedBy(400)).toEqual(['refunded', 0]);
    expect(await refundedBy(-400, 'refund.failed')).toEqual(['part_refunded', 960]);
    const { order } = await world.ann.api.payments.order({ params: { id } });
    expect(order.refunded).toBe(100);
  });

  test('a refund whose answer was lost, tried again after the gateway has forgotten the key, is not made twice', async () => {
    const id = await world.order();
    await world.deliver('stripe', await paid(id));
    world.stripe.faults.push({ at: 'POST /v1/refunds', when: 'after', cut: true });
    await world.staff.api.adminPayments.refund({ params: { id }, body: { amount: 200, reason: 'Asked for it' } });
    await world.harness.drainJobs();
    // The server stood still for two days.
    world.stripe.forgetKeys();
    world.harness.clock.advance(2 * DAY);
    await world.harness.drainJobs();
    expect(world.stripe.chargeOf(id).amount_refunded).toBe(200);
    const { refunds } = await world.staff.api.adminPayments.get({ params: { id } });
    expect([refunds.map(({ state }) => state), await balance()]).toEqual([['done'], 720]);
  });

  test('a refund whose answer was lost, but which an event reported, is not made twice once the key is forgotten', async () => {
    const id = await world.order();
    await world.deliver('stripe', await paid(id));
    world.stripe.faults.push({ at: 'POST /v1/refunds', when: 'after', cut: true });
    await world.staff.api.adminPayments.refund({ params: { id }, body: { amount: 200, reason: 'Asked for it' } });
    await world.harness.drainJobs();
    await world.deliver('stripe', await world.stripe.event('charge.refunded', world.stripe.chargeOf(id)));
    expect(await balance()).toBe(720);
    world.stripe.forgetKeys();
    world.harness.clock.advance(2 * DAY);
    await world.harness.drainJobs();
    expect([world.stripe.chargeOf(id).amount_refunded, await balance()]).toEqual([200, 720]);
    const { refunds, payment } = await world.staff.api.adminPayments.get({ params: { id } });
    expect([refunds.map(({ state, failure }) => [state, failure]), payment.refundable]).toEqual([
      [['failed', 'NO_ANSWER']],
      300,
    ]);
  });

  test('a refund that is given up, as no try was answered, is searched for: what went all the same takes its credits', async () => {
    const id = await world.order();
    await world.deliver('stripe', await paid(id));
    world.stripe.faults.push(
      { at: 'POST /v1/refunds', when: 'after', cut: true },
      ...Array.from({ length: 12 }, () => ({ at: 'POST /v1/refunds', when: 'before', status: 503 }) as const),
    );
    await world.staff.api.adminPayments.refund({ params: { id }, body: { amount: 200, reason: 'Asked for it' } });
    for (let hour = 0; hour < 4.75; hour += 0.25) await world.pass(1000 * 60 * 15);
    const { refunds } = await world.staff.api.adminPayments.get({ params: { id } });
    expect([refunds.map(({ state, failure }) => [state, failure]), world.stripe.chargeOf(id).amount_refunded]).toEqual([
      [['failed', 'NO_ANSWER']],
      200,
    ]);
    expect([await world.state(id), await balance()]).toEqual(['part_refunded', 720]);
  });

  test('the means of payment is noted as a signal of abuse, as a hash: the same for the same card, whoever pays with it', async () => {
    const bob = await world.harness.person('bob');
    const noted = () =>
      world.harness.db.sql<{ user_id: string; value: string }>(
        "SELECT user_id, value FROM abuse_signals WHERE kind = 'payment' ORDER BY value, user_id",
      );
    const pay = async (id: string, card: string) =>
      world.deliver(
        'stripe',
        await world.stripe.event('checkout.session.completed', world.stripe.pay(id, false, card)),
      );
    await pay(await world.order('stripe'), 'fp_shared');
    await pay(await world.order('stripe', bob), 'fp_shared');
    const rows = await noted();
    expect(rows.map((row) => row.user_id).toSorted()).toEqual([world.ann.id, bob.id].toSorted());
    expect([
      new Set(rows.map(({ value }) => value)).size,
      rows.some(({ value }) => value.includes('fp_shared')),
    ]).toEqual([1, false]);
    // A gateway that is away then delays the note, never the credits.
    world.stripe.faults.push({ at: 'GET /v1/payment_intents/:id', when: 'before', status: 500 });
    await pay(await world.order('stripe', bob), 'fp_other');
    expect([await world.harness.balance(bob.id), (await noted()).length]).toEqual([2400, 2]);
    await world.pass(1000 * 60 * 60);
    expect((await noted()).length).toBe(3);
  });

  test('a payment whose events were lost is asked for at the gateway while it stays pending, and paid once', async () => {
    const id = await world.order();
    world.stripe.pay(id);
    world.stripe.faults.push({ at: 'GET /v1/checkout/sessions/:id', when: 'before', status: 500 });
    await world.pass(1000 * 60 * 60);
    expect([await world.state(id), await balance()]).toEqual(['paid', 1200]);
    await world.deliver('stripe', await world.stripe.event('checkout.session.completed', world.stripe.session(id)));
    expect(await balance()).toBe(1200);
    const gone = await world.order();
    Object.assign(world.stripe.session(gone), { status: 'expired', url: null });
    await world.pass(1000 * 60 * 60);
    expect(await world.state(gone)).toBe('expired');
  });
});
