import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import { call } from '#tests/support/call.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openPayWorld, PRICE, type PayWorld } from '#tests/support/payments.ts';

/** What a notice said, as another event of the same moment. */
function fresh(body: string, index: number): [string, object] {
  const {
    event_type: type,
    resource,
    create_time: at,
  } = JSON.parse(body) as { event_type: string; resource: object; create_time: string };
  return [type, { ...resource, update_time: at, index }];
}

/** Opening a database takes its time on a busy machine. */
const SLOW = 60_000;
setDefaultTimeout(SLOW);

describe.each(ENGINES)('PayPal (%s)', (engine) => {
  let world: PayWorld;
  beforeEach(async () => {
    world = await openPayWorld(engine);
  }, SLOW);
  afterEach(() => world.close(), SLOW);
  const balance = () => world.harness.balance(world.ann.id);
  const approved = (id: string) => world.paypal.event('CHECKOUT.ORDER.APPROVED', world.paypal.approve(id));
  /** Approved by the payer and captured by us. */
  async function captured(): Promise<string> {
    const id = await world.order('paypal');
    expect(await world.deliver('paypal', approved(id))).toBe(200);
    return id;
  }

  test('T7 the same event, and others of the same capture, fifty times at once pay once', async () => {
    const id = await captured();
    const same = world.paypal.captured(id, { id: 'WH-SAME' });
    const others = Array.from({ length: 25 }, () => world.paypal.captured(id));
    expect(
      new Set(
        await Promise.all(
          [...Array.from({ length: 50 }, () => same), ...others].map((notice) => world.send('paypal', notice)),
        ),
      ),
    ).toEqual(new Set([200]));
    await Promise.all([1, 2, 3].map(() => world.harness.host.runner.runDue()));
    await world.harness.drainJobs();
    expect([await world.state(id), await balance()]).toEqual(['paid', 1200]);
  });

  test('T8 an inquiry is flagged, a charge-back holds the credits, and the outcome of the dispute decides', async () => {
    const [won, lost] = [await captured(), await captured()];
    for (const id of [won, lost]) await world.deliver('paypal', world.paypal.captured(id));
    for (const id of [won, lost])
      await world.deliver(
        'paypal',
        world.paypal.disputed(id, 'CREATED', { dispute_life_cycle_stage: 'INQUIRY', status: 'OPEN' }),
      );
    expect(await balance()).toBe(2400);
    for (const id of [won, lost])
      await world.deliver(
        'paypal',
        world.paypal.disputed(id, 'UPDATED', { dispute_life_cycle_stage: 'CHARGEBACK', status: 'UNDER_REVIEW' }),
      );
    expect([await world.state(won), await balance()]).toEqual(['disputed', 0]);
    await world.deliver(
      'paypal',
      world.paypal.disputed(won, 'RESOLVED', { dispute_outcome: { outcome_code: 'RESOLVED_SELLER_FAVOUR' } }),
    );
    await world.deliver(
      'paypal',
      world.paypal.disputed(lost, 'RESOLVED', { dispute_outcome: { outcome_code: 'RESOLVED_BUYER_FAVOUR' } }),
    );
    await world.deliver(
      'paypal',
      world.paypal.disputed(won, 'UPDATED', { dispute_life_cycle_stage: 'CHARGEBACK', status: 'UNDER_REVIEW' }),
    );
    expect([await world.state(won), await world.state(lost), await balance()]).toEqual(['paid', 'disputed', 1200]);
  });

  test('T8 a dispute that ends for the buyer in other words takes the credits, one without a known outcome gives nothing back', async () => {
    const [accepted, silent] = [await captured(), await captured()];
    for (const id of [accepted, silent]) await world.deliver('paypal', world.paypal.captured(id));
    await world.deliver(
      'paypal',
      world.paypal.disputed(accepted, 'RESOLVED', {
        dispute_life_cycle_stage: 'INQUIRY',
        status: 'RESOLVED',
        dispute_outcome: { outcome_code: 'ACCEPTED' },
      }),
    );
    expect([await world.state(accepted), await balance()]).toEqual(['disputed', 1200]);
    await world.deliver(
      'paypal',
      world.paypal.disputed(silent, 'UPDATED', { dispute_life_cycle_stage: 'CHARGEBACK', status: 'UNDER_REVIEW' }),
    );
    await world.deliver(
      'paypal',
      world.paypal.disputed(silent, 'RESOLVED', {
        dispute_life_cycle_stage: 'CHARGEBACK',
        status: 'RESOLVED',
        dispute_outcome: { outcome_code: 'NONE' },
      }),
    );
    expect([await world.state(silent), await balance()]).toEqual(['disputed', 0]);
    await world.deliver(
      'paypal',
      world.paypal.disputed(silent, 'UPDATED', {
        dispute_life_cycle_stage: 'CHARGEBACK',
        status: 'RESOLVED',
        dispute_outcome: { outcome_code: 'CANCELED_BY_BUYER' },
      }),
    );
    expect([await world.state(silent), await balance()]).toEqual(['paid', 1200]);
  });

  test('T8 partial, repeated and refunded disputes never take more than the order gave, and the newest state of each counts', async () => {
    const id = await captured();
    await world.deliver('paypal', world.paypal.captured(id));
    const value = (sum: string) => ({ currency_code: 'EUR', value: sum });
    const said = (dispute: string, name: string, sum: string, more: object = {}) => {
      world.harness.clock.advance(1000);
      return world.paypal.disputed(id, name, {
        dispute_id: dispute,
        dispute_amount: value(sum),
        dispute_life_cycle_stage: 'CHARGEBACK',
        status: 'UNDER_REVIEW',
        ...more,
      });
    };
    const first = said('PP-D-1', 'CREATED', '5.00');
    const smaller = said('PP-D-1', 'UPDATED', '2.00');
    // The later one first: the older sum that comes after it changes nothing.
    for (const notice of [smaller, first]) await world.deliver('paypal', notice);
    expect([await world.state(id), await balance()]).toEqual(['disputed', 720]);
    await world.deliver('paypal', said('PP-D-2', 'CREATED', '1.00'));
    expect(await balance()).toBe(480);
    await world.deliver('paypal', said('PP-D-3', 'CREATED', '4.50'));
    expect(await balance()).toBe(0);
    const lost = (sum: string) => ({
      status: 'RESOLVED',
      dispute_outcome: { outcome_code: 'RESOLVED_BUYER_FAVOUR', amount_refunded: value(sum) },
    });
    await world.deliver(
      'paypal',
      said('PP-D-3', 'RESOLVED', '4.50', {
        status: 'RESOLVED',
        dispute_outcome: { outcome_code: 'RESOLVED_SELLER_FAVOUR' },
      }),
    );
    await world.deliver(
      'paypal',
      said('PP-D-2', 'RESOLVED', '1.00', {
        status: 'RESOLVED',
        dispute_outcome: { outcome_code: 'RESOLVED_SELLER_FAVOUR' },
      }),
    );
    // Half of what was asked for went to the buyer, and PayPal tells of that money as a refund too.
    await world.deliver('paypal', said('PP-D-1', 'RESOLVED', '2.00', lost('1.00')));
    await world.deliver('paypal', world.paypal.refunded(id, world.paypal.refundThere(id, '1.00')));
    expect(await balance()).toBe(960);
    // A refund of our own is other money.
    await world.staff.api.adminPayments.refund({ params: { id }, body: { amount: 200, reason: 'Asked for it' } });
    await world.harness.drainJobs();
    expect([await world.state(id), await balance()]).toEqual(['disputed', 480]);
  });

  test('T8 a dispute that was won and is lost in a second round takes the credits again, each time by a movement of its own', async () => {
    const id = await captured();
    await world.deliver('paypal', world.paypal.captured(id));
    const said = (name: string, more: object) => {
      world.harness.clock.advance(60_000);
      return world.paypal.disputed(id, name, {
        dispute_life_cycle_stage: 'CHARGEBACK',
        status: 'UNDER_REVIEW',
        ...more,
      });
    };
    const resolved = (who: string) =>
      said('RESOLVED', { status: 'RESOLVED', dispute_outcome: { outcome_code: `RESOLVED_${who}_FAVOUR` } });
    const [taken, won, again, over] = [
      said('CREATED', {}),
      resolved('SELLER'),
      said('UPDATED', { dispute_life_cycle_stage: 'PRE_ARBITRATION' }),
      resolved('BUYER'),
    ];
    const seen: [string, number][] = [];
    for (const notice of [taken, won, again, over]) {
      await world.deliver('paypal', notice);
      seen.push([await world.state(id), await balance()]);
    }
    expect(seen).toEqual([
      ['disputed', 0],
      ['paid', 1200],
      ['disputed', 0],
      ['disputed', 0],
    ]);
    const repeated = [won, taken, again, over].map(({ body }, index) => world.paypal.event(...fresh(body, index)));
    await Promise.all(
      Array.from({ length: 50 }, (_, index) => repeated[index % 4]).map(
        (notice) => notice && world.send('paypal', notice),
      ),
    );
    await Promise.all([1, 2, 3].map(() => world.harness.host.runner.runDue()));
    await world.harness.drainJobs();
    expect([await world.state(id), await balance()]).toEqual(['disputed', 0]);
    const { rows } = await world.ann.api.account.statement();
    expect(rows.map(({ kind, amount }) => [kind, amount])).toEqual([
      ['payment.dispute', -1200],
      ['payment.return', 1200],
      ['payment.dispute', -1200],
      ['payment.credit', 1200],
    ]);
    // Staff hear of the second round too.
    expect(
      (await world.staff.api.notifications.list()).notifications.filter(({ kind }) => kind === 'paymentDispute').length,
    ).toBeGreaterThan(2);
  });

  test('the payer’s account is noted as a signal of abuse, the same for everybody who pays with it', async () => {
    const bob = await world.harness.person('bob');
    for (const person of [world.ann, bob]) {
      const id = await world.order('paypal', person);
      await world.deliver(
        'paypal',
        world.paypal.event('CHECKOUT.ORDER.APPROVED', world.paypal.approve(id, 'PAYERSHARED')),
      );
      await world.deliver('paypal', world.paypal.captured(id));
    }
    const rows = await world.harness.db.sql<{ user_id: string; value: string }>(
      "SELECT user_id, value FROM abuse_signals WHERE kind = 'payment'",
    );
    expect([
      new Set(rows.map((row) => row.user_id)).size,
      new Set(rows.map(({ value }) => value)).size,
      rows.length,
    ]).toEqual([2, 1, 2]);
    expect(rows.some(({ value }) => value.includes('PAYERSHARED'))).toBe(false);
  });

  test('staff refund money once, although the answer was lost', async () => {
    const id = await captured();
    await world.deliver('paypal', world.paypal.captured(id));
    world.paypal.faults.push({ at: 'POST /v2/payments/captures/:id/refund', when: 'after', cut: true });
    await world.staff.api.adminPayments.refund({ params: { id }, body: { amount: 250, reason: 'Asked for it' } });
    await world.pass(HOUR);
    expect(world.paypal.orderOf(id).purchase_units[0].payments.refunds.map(({ amount }) => amount.value)).toEqual([
      '2.50',
    ]);
    expect([await world.state(id), await balance()]).toEqual(['part_refunded', 600]);
    const { refunds } = await world.staff.api.adminPayments.get({ params: { id } });
    expect(refunds.map(({ state }) => state)).toEqual(['done']);
  });
});

describe('PayPal payments', () => {
  let world: PayWorld;
  beforeEach(async () => {
    world = await openPayWorld();
  }, SLOW);
  afterEach(() => world.close(), SLOW);
  const balance = () => world.harness.balance(world.ann.id);
  const approved = (id: string) => world.paypal.event('CHECKOUT.ORDER.APPROVED', world.paypal.approve(id));
  /** Approved by the payer and captured by us. */
  async function captured(): Promise<string> {
    const id = await world.order('paypal');
    expect(await world.deliver('paypal', approved(id))).toBe(200);
    return id;
  }

  test('the payer approves, we capture, and only the event of the capture pays', async () => {
    const id = await captured();
    expect([world.paypal.orderOf(id).status, await world.state(id), await balance()]).toEqual([
      'COMPLETED',
      'pending',
      0,
    ]);
    expect(await world.deliver('paypal', world.paypal.captured(id))).toBe(200);
    expect([await world.state(id), await balance()]).toEqual(['paid', 1200]);
    // Approved twice, heard of twice: nothing more happens.
    await world.deliver('paypal', world.paypal.event('CHECKOUT.ORDER.APPROVED', world.paypal.orderOf(id)));
    await world.deliver('paypal', world.paypal.captured(id));
    expect(await balance()).toBe(1200);
  });

  test('an order that its buyer cancelled is not captured, though they approved it there', async () => {
    const id = await world.order('paypal');
    await world.ann.api.payments.cancel({ params: { id } });
    await world.deliver('paypal', approved(id));
    await world.pass(HOUR);
    expect([world.paypal.orderOf(id).status, await world.state(id), await balance()]).toEqual([
      'APPROVED',
      'cancelled',
      0,
    ]);
  });

  test('T5 T7 a wrong amount, currency, payee or name in the capture is credited never, and the admins are notified', async () => {
    const cases: [string, (order: ReturnType<typeof world.paypal.orderOf>) => void][] = [
      [
        'AMOUNT',
        ({ purchase_units: [unit] }) =>
          void Object.assign(unit.payments.captures[0] ?? {}, { amount: { currency_code: 'EUR', value: '4.99' } }),
      ],
      [
        'AMOUNT',
        ({ purchase_units: [unit] }) =>
          void Object.assign(unit.payments.captures[0] ?? {}, { amount: { currency_code: 'EUR', value: '5e2' } }),
      ],
      [
        'CURRENCY',
        ({ purchase_units: [unit] }) =>
          void Object.assign(unit.payments.captures[0] ?? {}, { amount: { currency_code: 'USD', value: '5.00' } }),
      ],
      ['ACCOUNT', ({ purchase_units: [unit] }) => void Object.assign(unit, { payee: { merchant_id: 'SOMEBODY' } })],
      [
        'ORDER',
        ({ purchase_units: [unit] }) =>
          void Object.assign(unit.payments.captures[0] ?? {}, { invoice_id: '01890000-0000-7000-8000-000000000000' }),
      ],
    ];
    for (const [reason, spoil] of cases) {
      const id = await captured();
      const notice = world.paypal.captured(id);
      spoil(world.paypal.orderOf(id));
      expect(await world.deliver('paypal', notice)).toBe(200);
      const { payment } = await world.staff.api.adminPayments.get({ params: { id } });
      expect({ reason, failure: payment.failure, state: payment.state }).toEqual({
        reason,
        failure: reason,
        state: 'pending',
      });
    }
    expect(await balance()).toBe(0);
    expect(
      (await world.staff.api.notifications.list()).notifications.filter(({ kind }) => kind === 'paymentMismatch'),
    ).toHaveLength(cases.length);
  });

  test('T7 a capture that is pending, declined or not final does not pay, and completed later it does', async () => {
    const [late, declined] = [await captured(), await captured()];
    const [first, second] = [world.paypal.captureOf(late), world.paypal.captureOf(declined)];
    first.status = 'PENDING';
    second.status = 'DECLINED';
    await world.deliver('paypal', world.paypal.captured(late));
    await world.deliver('paypal', world.paypal.event('PAYMENT.CAPTURE.DENIED', second));
    expect([await world.state(late), await world.state(declined), await balance()]).toEqual(['pending', 'failed', 0]);
    first.status = 'COMPLETED';
    await world.deliver('paypal', world.paypal.captured(late));
    expect([await world.state(late), await balance()]).toEqual(['paid', 1200]);
  });

  test('T8 refunds from there count, in parts, before and after the payment is heard of', async () => {
    const id = await captured();
    const part = world.paypal.refundThere(id, '1.25');
    await world.deliver('paypal', world.paypal.refunded(id, part));
    expect([await world.state(id), await balance()]).toEqual(['part_refunded', 900]);
    await world.deliver('paypal', world.paypal.captured(id));
    expect(await balance()).toBe(900);
    await world.deliver('paypal', world.paypal.refunded(id, world.paypal.refundThere(id, '3.75')));
    await world.deliver('paypal', world.paypal.refunded(id, part));
    expect([await world.state(id), await balance()]).toEqual(['refunded', 0]);
  });
});

describe('PayPal', () => {
  let world: PayWorld;
  beforeEach(async () => {
    world = await openPayWorld();
  }, SLOW);
  afterEach(() => world.close(), SLOW);

  test('T7 forged events are refused: a bad signature, a certificate from elsewhere, missing headers, a body that was rewritten', async () => {
    const id = await world.order('paypal');
    await world.deliver('paypal', world.paypal.event('CHECKOUT.ORDER.APPROVED', world.paypal.approve(id)));
    const good = world.paypal.captured(id, { pretty: true });
    const { 'PayPal-Transmission-Sig': signature = '', ...bare } = good.headers;
    const asked = () =>
      world.paypal.log.filter(({ at }) => at === 'POST /v1/notifications/verify-webhook-signature').length;
    const before = asked();
    for (const cert of [
      'https://paypal.example/v1/notifications/certs/C',
      'http://api.paypal.com/v1/notifications/certs/C',
      'https://api.paypal.com.example/v1/notifications/certs/C',
      'https://api.paypal.com/other',
      'https://api.paypal.com@evil.example/v1/notifications/certs/C',
    ]) {
      expect(
        await world.send(
          'paypal',
          world.paypal.event('PAYMENT.CAPTURE.COMPLETED', world.paypal.captureOf(id), { cert }),
        ),
      ).toBe(400);
    }
    const capture = (over: Parameters<typeof world.paypal.captured>[1]) => world.paypal.captured(id, over);
    const time = (ms: number) => new Date(world.harness.clock.now() + ms).toISOString();
    for (const over of [
      { algorithm: 'none' },
      { at: 'yesterday' },
      { at: time(10 * MINUTE) },
      { at: time(-8 * DAY) },
      { transmission: 'a|b' },
      { signature: 'short' },
      { signature: `${'x'.repeat(40)}\\` },
    ]) {
      expect({ over, status: await world.send('paypal', capture(over)) }).toEqual({ over, status: 400 });
    }
    for (const notice of [
      { ...good, headers: bare },
      { ...good, body: 'not json' },
      { ...good, body: '[]' },
    ])
      expect(await world.send('paypal', notice)).toBe(400);
    // None of them was worth a question.
    expect(asked()).toBe(before);
    expect(
      await world.send('paypal', { ...good, headers: { ...bare, 'PayPal-Transmission-Sig': `x${signature}` } }),
    ).toBe(400);
    expect(await world.send('paypal', { ...good, body: JSON.stringify(JSON.parse(good.body)) })).toBe(400);
    expect(await world.harness.balance(world.ann.id)).toBe(0);
    expect(await world.deliver('paypal', good)).toBe(200);
    expect(await world.harness.balance(world.ann.id)).toBe(1200);
  });

  test('an event that cannot be proven now is to be sent again, and the token is renewed, and asked for once by many', async () => {
    const id = await world.order('paypal');
    world.paypal.faults.push({ at: 'POST /v1/notifications/verify-webhook-signature', when: 'before', status: 503 });
    const notice = world.paypal.event('CHECKOUT.ORDER.APPROVED', world.paypal.approve(id));
    expect(await world.send('paypal', notice)).toBe(424);
    const tokens = () => world.paypal.log.filter(({ at }) => at === 'POST /v1/oauth2/token').length;
    expect(tokens()).toBe(1);
    world.paypal.tokens.clear();
    expect(await world.deliver('paypal', notice)).toBe(200);
    expect(tokens()).toBe(2);
    world.harness.clock.advance(10 * HOUR);
    await Promise.all(Array.from({ length: 10 }, () => world.send('paypal', notice)));
    expect(tokens()).toBe(3);
  });

  test('a lost answer repeats the same call, and the payment of a payer who never returns is captured all the same', async () => {
    world.paypal.faults.push({ at: 'POST /v2/checkout/orders', when: 'after', cut: true });
    const open = () =>
      call(
        world.harness,
        world.ann,
        'POST',
        '/api/payments/orders',
        { provider: 'paypal', package_id: world.packageId, ...PRICE },
        'paypal-key-1',
      );
    expect(await open()).toMatchObject({ status: 424 });
    const opened = await open();
    expect([opened.status, world.paypal.orders.size]).toEqual([200, 1]);
    expect(String(opened.json.pay_url)).toStartWith('https://www.paypal.test/');
    const id = String(opened.json.id);
    world.paypal.approve(id);
    world.paypal.faults.push({ at: 'POST /v2/checkout/orders/:id/capture', when: 'after', cut: true });
    // No notice at all arrives: the order is asked about, captured, and asked about again.
    await world.pass(2 * HOUR);
    expect([await world.state(id), await world.harness.balance(world.ann.id)]).toEqual(['paid', 1200]);
  });

  test('amounts are written as PayPal writes them: currencies without decimals there', async () => {
    await world.harness.set({ currency: 'HUF', payment_min: 100, payment_max: 1_000_000 });
    const order = async (price: number) =>
      call(world.harness, world.ann, 'POST', '/api/payments/orders', {
        provider: 'paypal',
        price_minor: price,
        currency: 'HUF',
        rate: 100,
      });
    const { json } = await order(50_000);
    expect(world.paypal.orderOf(String(json.id)).purchase_units[0].amount).toEqual({
      currency_code: 'HUF',
      value: '500',
    });
    expect(await order(50_050)).toMatchObject({ json: { error_code: 'ITEM_UNAVAILABLE' } });
    await world.deliver('paypal', world.paypal.event('CHECKOUT.ORDER.APPROVED', world.paypal.approve(String(json.id))));
    await world.deliver('paypal', world.paypal.captured(String(json.id)));
    expect(await world.harness.balance(world.ann.id)).toBe(50_000);
  });
});
