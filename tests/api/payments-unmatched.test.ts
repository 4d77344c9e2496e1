import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { call } from '#tests/support/call.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openPayWorld, type PayWorld } from '#tests/support/payments.ts';

const SLOW = 60_000;
setDefaultTimeout(SLOW);

let world: PayWorld;
const balance = (id = world.ann.id) => world.harness.balance(id);
const problems = async () => (await world.staff.api.adminPayments.problems()).problems;
const countNotified = async () =>
  (await world.staff.api.notifications.list()).notifications.filter(({ kind }) => kind === 'paymentUnknown').length;
const body = (over: object = {}) => ({ user: '', credits: 1200, reason: 'Paid before the copy was put back', ...over });
/** Yesterday's copy is put back: the order is not there any more. */
const forget = (id: string) => world.harness.db.sql('DELETE FROM payment_orders WHERE id = ?', [id]);
const credit = (event: string, over: object = {}, as = world.staff) =>
  call(world.harness, as, 'POST', `/api/admin/payment-events/${event}/credit`, body(over));

/** An order that is paid at Stripe after its row was lost. Gives the order's id and the event on the list. */
async function unmatchedEvent(): Promise<{ id: string; event: string }> {
  const id = await world.order();
  const session = world.stripe.pay(id);
  await forget(id);
  expect(await world.deliver('stripe', await world.stripe.event('checkout.session.completed', session))).toBe(200);
  return { id, event: (await problems())[0]?.id ?? '' };
}

describe.each(ENGINES)('payments of orders that nobody knows (%s)', (engine) => {
  beforeEach(async () => {
    world = await openPayWorld(engine);
  }, SLOW);
  afterEach(() => world.close(), SLOW);

  test('E1 a signed payment of an unknown order is listed, staff are notified, and fifty at once credit it once', async () => {
    const { id, event } = await unmatchedEvent();
    expect(await problems()).toMatchObject([
      { kind: 'event', reason: 'UNKNOWN_ORDER', order: null, provider: 'stripe', type: 'checkout.session.completed' },
    ]);
    expect([await countNotified(), await balance()]).toEqual([1, 0]);
    expect(await world.staff.api.adminPayments.unknown({ params: { id: event } })).toMatchObject({
      order: id,
      user: { id: world.ann.id, username: 'ann' },
      amount: 500,
      currency: 'EUR',
      credits: 1200,
    });
    const many = await Promise.all(Array.from({ length: 50 }, () => credit(event)));
    expect(many.map(({ status }) => status).toSorted()).toEqual([200, ...Array<number>(49).fill(409)]);
    await world.harness.drainJobs();
    expect([await balance(), await world.state(id), await problems()]).toEqual([1200, 'paid', []]);
    // What comes later of the same payment finds the order: it pays nothing, and a refund takes back.
    await world.deliver(
      'stripe',
      await world.stripe.event('checkout.session.async_payment_succeeded', world.stripe.session(id)),
    );
    expect(await balance()).toBe(1200);
    world.stripe.refundThere(id, 250);
    await world.deliver('stripe', await world.stripe.event('charge.refunded', world.stripe.chargeOf(id)));
    expect([await balance(), await world.state(id)]).toEqual([600, 'part_refunded']);
    expect((await world.ann.api.payments.receipt({ params: { id } })).receipt).toMatchObject({
      amount: 500,
      credits: 1200,
    });
    const trail = await world.harness.db.sql<{ after: string }>(
      "SELECT after FROM audit WHERE action = 'payments.credit'",
    );
    expect(trail.map(({ after }) => JSON.parse(after) as object)).toMatchObject([
      {
        userId: world.ann.id,
        credits: 1200,
        amount: 500,
        currency: 'EUR',
        reason: 'Paid before the copy was put back',
      },
    ]);
  });

  test('T56 nothing in the audit log names whose payment was credited once their account is erased', async () => {
    const { id } = await unmatchedEvent();
    const [problem] = await problems();
    await credit(problem?.id ?? '');
    const { sql, uow } = world.harness.db;
    const after = async () =>
      (await sql<{ after: string | null }>("SELECT after FROM audit WHERE action = 'payments.credit'"))[0]?.after;
    const erase = async () => {
      const [role] = await sql<{ id: string }>('SELECT id FROM roles WHERE is_default = 1');
      const name = { username: 'gone', email: 'gone@example.com', roleId: role?.id ?? '' };
      await uow.run((tx) => tx.deletions.erase(world.ann.id, name, world.harness.clock.now()));
    };
    expect(id).not.toBe('');
    const now = (await after()) ?? '';
    expect(now).not.toContain('"ann"');
    // As it was recorded before.
    await sql("UPDATE audit SET after = ? WHERE action = 'payments.credit'", [now.replace('{', '{"username":"ann",')]);
    await erase();
    expect(await after()).toBeNull();
  });

  test('E1 two events of one payment that two staff credit to two users at once are one payment, to one of them', async () => {
    const { id } = await unmatchedEvent();
    await world.deliver(
      'stripe',
      await world.stripe.event('checkout.session.async_payment_succeeded', world.stripe.session(id)),
    );
    const both = await problems();
    const other = await world.harness.person('zoe_other');
    const ends = await Promise.all(both.map((each, at) => credit(each.id, at === 0 ? {} : { user: 'zoe_other' })));
    expect(ends.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect((await balance()) + (await world.harness.balance(other.id))).toBe(1200);
  });

  test('E1 two events of one payment credit it once, whichever staff take', async () => {
    const { id, event } = await unmatchedEvent();
    await world.deliver(
      'stripe',
      await world.stripe.event('checkout.session.async_payment_succeeded', world.stripe.session(id)),
    );
    const both = await problems();
    expect(both).toHaveLength(2);
    const ends = await Promise.all(both.map((each) => credit(each.id)));
    expect(ends.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect([await balance(), (await problems()).length]).toEqual([1200, 1]);
    const [left] = await problems();
    expect(
      (await call(world.harness, world.staff, 'POST', `/api/admin/payment-events/${left?.id ?? event}/retry`)).status,
    ).toBe(200);
    await world.harness.drainJobs();
    expect([await balance(), await problems()]).toEqual([1200, []]);
  });
});

describe('payments of orders that nobody knows', () => {
  beforeEach(async () => {
    world = await openPayWorld();
  }, SLOW);
  afterEach(() => world.close(), SLOW);

  test('E1 staff choose who gets the credits where the account was lost as well, and a name of nobody is refused', async () => {
    const { event } = await unmatchedEvent();
    await world.harness.db.sql(
      "UPDATE payment_events SET content = REPLACE(content, ?, '01890000-0000-7000-8000-00000000dead') WHERE id = ?",
      [world.ann.id, event],
    );
    expect((await world.staff.api.adminPayments.unknown({ params: { id: event } })).user).toBeNull();
    expect(await credit(event)).toMatchObject({ status: 422, json: { fields: { user: ['REQUIRED'] } } });
    expect(await credit(event, { user: 'nobody.here' })).toMatchObject({
      status: 422,
      json: { fields: { user: ['UNKNOWN'] } },
    });
    expect((await credit(event, { user: 'ann', credits: 900 })).status).toBe(200);
    expect(await balance()).toBe(900);
  });

  test('E1 staff credit neither themselves nor more than the approval limit, and nobody credits without the right', async () => {
    const { event } = await unmatchedEvent();
    const reader = await world.harness.person('reader', {
      permissions: ['admin.payments.list', 'admin.payments.view'],
    });
    expect((await credit(event, {}, reader)).status).toBe(403);
    expect(await credit(event, { user: 'staff' })).toMatchObject({ status: 403, json: { error_code: 'FORBIDDEN' } });
    expect(await credit(event, { credits: 100_001 })).toMatchObject({
      status: 403,
      json: { error_code: 'APPROVAL_REQUIRED' },
    });
    for (const credits of [0, -5, 1.5, '1e3', null]) expect((await credit(event, { credits })).status).toBe(422);
    expect([await balance(), await balance(world.staff.id), (await problems()).length]).toEqual([0, 0, 1]);
  });

  test('E1 a payment at PayPal is credited by what PayPal says of it, and waits while PayPal is silent', async () => {
    const id = await world.order('paypal');
    world.paypal.approve(id);
    await world.deliver('paypal', world.paypal.event('CHECKOUT.ORDER.APPROVED', world.paypal.orderOf(id)));
    await world.harness.db.sql('DELETE FROM payment_events');
    await forget(id);
    await world.deliver('paypal', world.paypal.captured(id));
    const [found] = await problems();
    expect(found).toMatchObject({ reason: 'UNKNOWN_ORDER', provider: 'paypal' });
    world.paypal.faults.push({ at: 'GET /v2/checkout/orders/:id', when: 'before', status: 503 });
    expect(await credit(found?.id ?? '')).toMatchObject({ status: 424, json: { error_code: 'GATEWAY_UNAVAILABLE' } });
    expect((await credit(found?.id ?? '')).status).toBe(200);
    expect(await balance()).toBe(1200);
  });

  test('E1 a payment of another installation is dismissed with a reason, and a forged one is never listed', async () => {
    const { event, id } = await unmatchedEvent();
    const foreign = {
      ...world.stripe.session(id),
      id: 'cs_foreign',
      payment_intent: 'pi_foreign',
      metadata: {},
      client_reference_id: null,
    };
    await world.deliver('stripe', await world.stripe.event('checkout.session.completed', foreign));
    await world.deliver(
      'stripe',
      await world.stripe.event('checkout.session.completed', world.stripe.session(id), { account: 'acct_other' }),
    );
    expect(
      await world.send(
        'stripe',
        await world.stripe.event('checkout.session.completed', world.stripe.session(id), { secret: 'whsec_wrong' }),
      ),
    ).toBe(400);
    expect(await problems()).toHaveLength(1);
    expect(
      (
        await call(world.harness, world.staff, 'POST', `/api/admin/payment-events/${event}/dismiss`, {
          reason: 'The other site’s',
        })
      ).status,
    ).toBe(200);
    expect([await problems(), (await credit(event)).status, await balance()]).toEqual([[], 409, 0]);
  });
});
