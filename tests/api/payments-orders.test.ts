import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { call } from '#tests/support/call.ts';
import { openPayWorld, PRICE, type PayWorld } from '#tests/support/payments.ts';

/** Opening a database takes its time on a busy machine. */
const SLOW = 60_000;
setDefaultTimeout(SLOW);

describe('the way to a payment', () => {
  let world: PayWorld;
  beforeEach(async () => {
    world = await openPayWorld();
  }, SLOW);
  afterEach(() => world.close(), SLOW);

  test('T6 the return page only watches: opening it, before and after, pays nothing', async () => {
    const id = await world.order();
    for (let n = 0; n < 5; n += 1) await world.ann.api.payments.order({ params: { id } });
    world.stripe.pay(id);
    for (let n = 0; n < 5; n += 1) expect(await world.state(id)).toBe('pending');
    expect(await world.harness.balance(world.ann.id)).toBe(0);
    // Asking for another look pays only what the gateway itself says is paid.
    const unpaid = await world.order();
    await world.ann.api.payments.check({ params: { id: unpaid } });
    await world.harness.drainJobs();
    expect([await world.state(unpaid), await world.harness.balance(world.ann.id)]).toEqual(['pending', 0]);
    const bob = await world.harness.person('bob');
    for (const path of [
      `/api/payments/orders/${id}`,
      `/api/payments/orders/${id}/receipt`,
      `/api/payments/orders/${id}/receipt.pdf`,
    ])
      expect((await call(world.harness, bob, 'GET', path)).status).toBe(404);
    for (const what of ['check', 'cancel'])
      expect((await call(world.harness, bob, 'POST', `/api/payments/orders/${id}/${what}`)).status).toBe(404);
  });

  test('T11 the price shown is the price charged: any other is refused, in money, currency, credits and rate', async () => {
    const order = (over: object) =>
      call(world.harness, world.ann, 'POST', '/api/payments/orders', {
        provider: 'stripe',
        package_id: world.packageId,
        ...PRICE,
        ...over,
      });
    for (const over of [
      { price_minor: 499 },
      { price_minor: 1 },
      { currency: 'USD' },
      { credits: 1201 },
      { credits: undefined },
    ])
      expect(await order(over)).toMatchObject({ status: 409, json: { error_code: 'PRICE_CHANGED' } });
    for (const price of [0, -500, 5.5, '500', 1e12, null, [500]])
      expect(await order({ price_minor: price })).toMatchObject({ status: 422 });
    const free = (over: object) =>
      order({ package_id: undefined, credits: undefined, rate: 100, price_minor: 1234, ...over });
    expect(await free({ rate: 200 })).toMatchObject({ json: { error_code: 'PRICE_CHANGED' } });
    expect(await free({ credits: 1235 })).toMatchObject({ json: { error_code: 'PRICE_CHANGED' } });
    expect(await free({ currency: 'RON' })).toMatchObject({ json: { error_code: 'PRICE_CHANGED' } });
    expect(await free({ price_minor: 99 })).toMatchObject({
      status: 422,
      json: { fields: { price_minor: ['TOO_SMALL'] } },
    });
    expect(await free({ price_minor: 50_001 })).toMatchObject({
      status: 422,
      json: { fields: { price_minor: ['TOO_LARGE'] } },
    });
    expect((await free({ credits: 1234 })).status).toBe(200);
    // A change of the package after the order was placed leaves the order as it was shown.
    const { json } = await order({});
    await world.harness.db.sql('UPDATE credit_packages SET price_minor = 900, credits = 1');
    expect(await order({})).toMatchObject({ json: { error_code: 'PRICE_CHANGED' } });
    await world.deliver(
      'stripe',
      await world.stripe.event('checkout.session.completed', world.stripe.pay(String(json.id))),
    );
    expect(await world.harness.balance(world.ann.id)).toBe(1200);
  });

  test('T7 forged events are refused: no signature, another secret, a changed byte, an old and a future time', async () => {
    const id = await world.order();
    const good = await world.stripe.event('checkout.session.completed', world.stripe.pay(id));
    const now = Math.floor(world.harness.clock.now() / 1000);
    const signed = async (over: Parameters<typeof world.stripe.sign>[1]) => ({
      ...good,
      headers: { ...good.headers, 'Stripe-Signature': await world.stripe.sign(good.body, over) },
    });
    const { 'Stripe-Signature': header = '', ...bare } = good.headers;
    const forged = [
      { ...good, headers: bare },
      await signed({ secret: 'whsec_other' }),
      { ...good, body: good.body.replace('500', '501') },
      await signed({ timestamp: now - 301 }),
      await signed({ timestamp: now + 301 }),
      { ...good, headers: { ...bare, 'Stripe-Signature': header.replace('v1=', 'v0=') } },
      { ...good, headers: { ...bare, 'Stripe-Signature': 't=,v1=' } },
    ];
    for (const notice of forged) expect(await world.deliver('stripe', notice)).toBe(400);
    expect(await world.harness.balance(world.ann.id)).toBe(0);
    expect(await world.harness.db.sql('SELECT id FROM payment_events')).toEqual([]);
    // Two signatures while the secret is changed: one of them is enough.
    const old = (await world.stripe.sign(good.body, { secret: 'whsec_old' })).split('v1=')[1];
    expect(
      await world.deliver('stripe', { ...good, headers: { ...bare, 'Stripe-Signature': `${header},v1=${old}` } }),
    ).toBe(200);
    expect(await world.harness.balance(world.ann.id)).toBe(1200);
  });

  test('a webhook needs no session and no origin, takes no cookie, and has bounds of its own', async () => {
    const post = (init: RequestInit) => world.harness.http('/api/webhooks/stripe', { method: 'POST', ...init });
    expect((await post({ body: '{}', headers: { 'Content-Type': 'text/plain' } })).status).toBe(415);
    expect(
      (await post({ body: `{"x":"${'a'.repeat(140_000)}"}`, headers: { 'Content-Type': 'application/json' } })).status,
    ).toBe(413);
    expect(
      (await post({ body: '{}', headers: { 'Content-Type': 'application/json', Origin: 'https://elsewhere.example' } }))
        .status,
    ).toBe(400);
    expect((await world.harness.http('/api/webhooks/stripe')).status).toBe(405);
    const unknown = await world.stripe.event('customer.created', { id: 'cus_1', email: 'somebody@example.org' });
    expect(await world.deliver('stripe', unknown)).toBe(200);
    const other = await world.stripe.event('checkout.session.completed', {
      ...world.stripe.pay(await world.order()),
      id: 'cs_test_foreign',
      client_reference_id: 'shop-7',
      metadata: {},
    });
    expect(await world.deliver('stripe', other)).toBe(200);
    const rows = await world.harness.db.sql<{ outcome: string; payload: string }>(
      'SELECT outcome, payload FROM payment_events ORDER BY received_ms, id',
    );
    expect(rows.map(({ outcome }) => outcome).toSorted()).toEqual(['ignored', 'unknown']);
    expect(rows.some(({ payload }) => payload.includes('somebody@example.org'))).toBe(false);
    await world.harness.set({ stripe_webhook_secret: '' });
    expect(await world.send('stripe', other)).toBe(404);
  });

  test('an event is answered while the feature is switched off: the money is on its way', async () => {
    const id = await world.order();
    await world.harness.set({ credits_recharge_enabled: false });
    expect(await call(world.harness, world.ann, 'GET', '/api/payments/offer')).toMatchObject({
      json: { error_code: 'FEATURE_DISABLED' },
    });
    await world.deliver('stripe', await world.stripe.event('checkout.session.completed', world.stripe.pay(id)));
    expect(await world.state(id)).toBe('paid');
  });

  test('a bank that takes days leaves the order waiting, then paid or failed, and an expiry that loses the race changes nothing', async () => {
    const [good, bad] = [await world.order(), await world.order()];
    for (const id of [good, bad])
      await world.deliver('stripe', await world.stripe.event('checkout.session.completed', world.stripe.pay(id, true)));
    expect([await world.state(good), await world.harness.balance(world.ann.id)]).toEqual(['pending', 0]);
    await world.deliver(
      'stripe',
      await world.stripe.event('checkout.session.async_payment_succeeded', world.stripe.pay(good)),
    );
    await world.deliver(
      'stripe',
      await world.stripe.event('checkout.session.async_payment_failed', world.stripe.session(bad)),
    );
    await world.deliver('stripe', await world.stripe.event('checkout.session.expired', world.stripe.session(good)));
    expect([await world.state(good), await world.state(bad), await world.harness.balance(world.ann.id)]).toEqual([
      'paid',
      'failed',
      1200,
    ]);
  });

  test('the opening is recorded before a lost answer, a busy gateway or a refusal', async () => {
    const body = { provider: 'stripe', package_id: world.packageId, ...PRICE };
    const open = (key: string) => call(world.harness, world.ann, 'POST', '/api/payments/orders', body, key);
    // Made there, but the answer was lost: the same key opens the same checkout.
    world.stripe.faults.push({ at: 'POST /v1/checkout/sessions', when: 'after', cut: true });
    expect(await open('order-key-1')).toMatchObject({ status: 424, json: { error_code: 'GATEWAY_UNAVAILABLE' } });
    const again = await open('order-key-1');
    expect([again.status, world.stripe.sessions.size]).toEqual([200, 1]);
    expect(String(again.json.pay_url)).toStartWith('https://checkout.stripe.test/');
    // A fault the gateway would repeat for the same key: the next try has another.
    world.stripe.faults.push(
      { at: 'POST /v1/checkout/sessions', when: 'before', status: 500 },
      { at: 'POST /v1/checkout/sessions', when: 'before', status: 429 },
    );
    expect((await open('order-key-2')).status).toBe(424);
    expect((await open('order-key-2')).status).toBe(424);
    expect((await open('order-key-2')).status).toBe(200);
    const keys = world.stripe.log
      .filter(({ at }) => at === 'POST /v1/checkout/sessions')
      .map(({ key }) => key?.split('-').at(-1));
    expect(keys).toEqual(['0', '0', '0', '1', '1']);
    world.stripe.faults.push({
      at: 'POST /v1/checkout/sessions',
      when: 'before',
      status: 400,
      body: { error: { type: 'invalid_request_error', message: 'no' } },
    });
    expect(await open('order-key-3')).toMatchObject({ status: 409, json: { error_code: 'GATEWAY_REFUSED' } });
    const { rows } = await world.ann.api.payments.mine();
    expect(rows.map(({ state }) => state)).toEqual(['failed', 'pending', 'pending']);
  });

  test('an order that is given up is closed there, and money that came all the same still pays it', async () => {
    const id = await world.order();
    const session = { ...world.stripe.session(id) };
    await world.ann.api.payments.cancel({ params: { id } });
    await world.harness.drainJobs();
    expect([await world.state(id), world.stripe.session(id).status]).toEqual(['cancelled', 'expired']);
    expect(await call(world.harness, world.ann, 'POST', `/api/payments/orders/${id}/cancel`)).toMatchObject({
      status: 409,
    });
    Object.assign(world.stripe.session(id), session);
    await world.deliver('stripe', await world.stripe.event('checkout.session.completed', world.stripe.pay(id)));
    expect([await world.state(id), await world.harness.balance(world.ann.id)]).toEqual(['paid', 1200]);
  });

  test('manual: staff confirm once, with a reason, and record what they refunded', async () => {
    const id = await world.order('manual');
    const { order } = await world.ann.api.payments.order({ params: { id } });
    expect(order).toMatchObject({ state: 'pending', instructions: 'Bring it to the desk.', pay_url: null });
    const confirm = (body: object, key?: string) =>
      call(world.harness, world.staff, 'POST', `/api/admin/payments/${id}/confirm`, body, key);
    expect((await confirm({ reason: '' })).status).toBe(422);
    const many = await Promise.all(
      Array.from({ length: 50 }, (_, index) => confirm({ reason: 'Paid in cash' }, `confirm-key-${index}`)),
    );
    expect(many.map(({ status }) => status).toSorted()).toEqual([200, ...Array<number>(49).fill(409)]);
    expect([await world.state(id), await world.harness.balance(world.ann.id)]).toEqual(['paid', 1200]);
    await world.staff.api.adminPayments.refund({ params: { id }, body: { amount: 250, reason: 'Half of it' } });
    expect([await world.state(id), await world.harness.balance(world.ann.id)]).toEqual(['part_refunded', 600]);
    const card = await world.order();
    expect(
      await call(world.harness, world.staff, 'POST', `/api/admin/payments/${card}/confirm`, { reason: 'Not by hand' }),
    ).toMatchObject({ status: 409 });
    const trail = await world.harness.db.sql<{ action: string }>(
      "SELECT action FROM audit WHERE action LIKE 'payments.%' ORDER BY at_ms, id",
    );
    expect(trail.map(({ action }) => action)).toEqual(['payments.confirm', 'payments.refund']);
  });

  test('new credits pay a debt before anything else', async () => {
    const id = await world.order('manual');
    await world.staff.api.adminPayments.confirm({ params: { id }, body: { reason: 'Paid in cash' } });
    const item = (await world.ann.api.store.items()).items.find(({ kind }) => kind === 'disk');
    await world.ann.api.store.buy({ body: { item_id: item?.id ?? '', units: 6, price: 200 } });
    await world.staff.api.adminPayments.refund({ params: { id }, body: { amount: 500, reason: 'Taken back' } });
    expect(await world.ann.api.payments.offer()).toMatchObject({ debt: 1200, balance: 0 });
    await world.deliver(
      'stripe',
      await world.stripe.event('checkout.session.completed', world.stripe.pay(await world.order())),
    );
    expect(await world.ann.api.payments.offer()).toMatchObject({ debt: 0, balance: 0 });
    const { rows } = await world.ann.api.account.statement();
    expect(rows.slice(0, 2).map(({ kind, amount }) => [kind, amount])).toEqual([
      ['debt.paid', -1200],
      ['payment.credit', 1200],
    ]);
  });

  test('too many open orders, and a gateway that is switched off or does not take the currency, are refused', async () => {
    await world.harness.set({ payment_open_orders: 2 });
    const made = await Promise.all(
      Array.from({ length: 10 }, () =>
        call(world.harness, world.ann, 'POST', '/api/payments/orders', {
          provider: 'stripe',
          package_id: world.packageId,
          ...PRICE,
        }),
      ),
    );
    expect(made.map(({ json }) => json.error_code ?? 'ok').toSorted()).toEqual([
      ...Array<string>(8).fill('TOO_MANY_ORDERS'),
      'ok',
      'ok',
    ]);
    await world.harness.set({ payment_open_orders: 100, currency: 'RON', stripe_enabled: false });
    const { free, providers, packages } = await world.ann.api.payments.offer();
    expect([free?.providers, providers, packages.map((each) => each.providers)]).toEqual([
      ['manual'],
      ['paypal', 'manual'],
      [['paypal', 'manual']],
    ]);
    const order = (provider: string, currency: string) =>
      call(world.harness, world.ann, 'POST', '/api/payments/orders', {
        provider,
        price_minor: 500,
        currency,
        rate: 100,
      });
    expect(await order('stripe', 'RON')).toMatchObject({ json: { error_code: 'ITEM_UNAVAILABLE' } });
    expect(await order('paypal', 'RON')).toMatchObject({ json: { error_code: 'ITEM_UNAVAILABLE' } });
  });

  test('the receipt has company and tax as they were, for the buyer and for staff, as text and as PDF', async () => {
    const id = await world.order();
    expect((await call(world.harness, world.ann, 'GET', `/api/payments/orders/${id}/receipt`)).status).toBe(404);
    await world.deliver('stripe', await world.stripe.event('checkout.session.completed', world.stripe.pay(id)));
    await world.harness.set({ company_name: 'Somebody Else', tax_rate: 500 });
    const { receipt } = await world.ann.api.payments.receipt({ params: { id } });
    expect(receipt).toMatchObject({
      number: 'R-000001',
      seller: { name: 'Lanternwood SRL', vat: 'RO1' },
      net: 420,
      tax: 80,
      tax_rate: 1900,
      amount: 500,
      customer: { username: 'ann' },
    });
    expect((await world.staff.api.payments.receipt({ params: { id } })).receipt.number).toBe('R-000001');
    const response = await world.harness.http(`/api/payments/orders/${id}/receipt.pdf`, {
      headers: { Cookie: `__Host-spawnpoint=${world.ann.secret}` },
    });
    expect([response.headers.get('content-type'), response.headers.get('content-disposition')]).toEqual([
      'application/pdf',
      'attachment; filename="R-000001.pdf"',
    ]);
    const { pdfText } = await import('#tests/support/pdf.ts');
    expect(pdfText(new Uint8Array(await response.arrayBuffer()))).toEqual(
      expect.arrayContaining(['Receipt R-000001', 'Lanternwood SRL']),
    );
  });
});
