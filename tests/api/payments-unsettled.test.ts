import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { MAX_CREDITS } from '#shared/credits.ts';
import { DomainError } from '#shared/errors.ts';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import { call } from '#tests/support/call.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openPayWorld, type PayWorld } from '#tests/support/payments.ts';

/** Opening a database takes its time on a busy machine. */
const SLOW = 60_000;
setDefaultTimeout(SLOW);

let world: PayWorld;
const SESSION = 'GET /v1/checkout/sessions/:id';
const balance = () => world.harness.balance(world.ann.id);
const problems = async () => (await world.staff.api.adminPayments.problems()).problems;
const countNotified = async () =>
  (await world.staff.api.notifications.list()).notifications.filter(({ kind }) => kind === 'paymentStuck').length;
/** The gateway answers nothing for a while. */
const away = (times: number, at = SESSION) =>
  world.stripe.faults.push(...Array.from({ length: times }, () => ({ at, when: 'before', status: 503 }) as const));
/** Lets days pass in steps, so that what is repeated every few hours falls due as often as it would. */
async function days(count: number): Promise<void> {
  for (let day = 0; day < count; day += 1) await world.pass(DAY);
}

describe.each(ENGINES)('payments that stay open by themselves (%s)', (engine) => {
  beforeEach(async () => {
    world = await openPayWorld(engine);
  }, SLOW);
  afterEach(() => world.close(), SLOW);

  test('an event that fails all its tries is listed with its reason, and fifty retries at once pay it once', async () => {
    await world.harness.creditPerson(world.ann.id, MAX_CREDITS - 100);
    const id = await world.order();
    await world.deliver('stripe', await world.stripe.event('checkout.session.completed', world.stripe.pay(id)));
    expect([await world.state(id), await balance(), await problems()]).toEqual(['pending', MAX_CREDITS - 100, []]);
    const { payments } = world.harness.host.services;
    const [event] = await world.harness.db.sql<{ id: string }>(
      "SELECT id FROM payment_events WHERE outcome = 'received'",
    );
    await world.harness.db.sql(
      "UPDATE jobs SET state = 'dead', done_ms = 1 WHERE kind = 'payments.event' AND state = 'ready' RETURNING id",
    );
    for (let n = 0; n < 2; n += 1) await payments.recordEventFailure(event?.id ?? '', new DomainError('WALLET_FULL'));
    const found = await problems();
    expect(found).toMatchObject([{ type: 'checkout.session.completed', reason: 'WALLET_FULL', provider: 'stripe' }]);
    expect(await countNotified()).toBe(1);
    // Nobody without the right to change users tries again.
    const reader = await world.harness.person('reader', {
      permissions: ['admin.payments.list', 'admin.payments.view'],
    });
    const path = `/api/admin/payment-events/${found[0]?.id ?? ''}/retry`;
    expect((await call(world.harness, reader, 'POST', path)).status).toBe(403);
    expect(await balance()).toBe(MAX_CREDITS - 100);
    await world.harness.db.uow.run((tx) =>
      world.harness.host.services.ledger.transfer(tx, {
        kind: 'adjustment',
        reference: 'room',
        postings: [{ source: `user:${world.ann.id}`, destination: 'system:adjustment', amount: 5000 as never }],
      }),
    );
    const tries = await Promise.all(Array.from({ length: 50 }, () => call(world.harness, world.staff, 'POST', path)));
    expect(tries.map(({ status }) => status).toSorted()).toEqual([200, ...Array<number>(49).fill(409)]);
    await world.harness.drainJobs();
    expect([await world.state(id), await balance(), await problems()]).toEqual(['paid', MAX_CREDITS - 5100 + 1200, []]);
    expect((await call(world.harness, world.staff, 'POST', path)).status).toBe(409);
    const trail = await world.harness.db.sql<{ action: string }>(
      "SELECT action FROM audit WHERE action = 'payments.retry'",
    );
    expect(trail).toHaveLength(1);
  });
});

describe('payments that stay open by themselves', () => {
  beforeEach(async () => {
    world = await openPayWorld();
  }, SLOW);
  afterEach(() => world.close(), SLOW);

  test('what fails in all its tries, by what has to be asked and by what cannot be done, ends in the list by itself', async () => {
    await world.harness.creditPerson(world.ann.id, MAX_CREDITS);
    const id = await world.order();
    await world.deliver('stripe', await world.stripe.event('checkout.session.completed', world.stripe.pay(id)));
    await days(3);
    expect((await problems()).map(({ kind, reason }) => [kind, reason]).toSorted()).toEqual([
      ['event', 'WALLET_FULL'],
      ['order', 'WALLET_FULL'],
    ]);
    expect(await countNotified()).toBeGreaterThan(0);
    expect(await world.state(id)).toBe('pending');
  });

  test('a paid order whose event never comes is found although its gateway is silent for days, and staff hear of it and can ask', async () => {
    const id = await world.order();
    world.stripe.pay(id);
    away(10_000);
    await days(4);
    expect([await world.state(id), await balance()]).toEqual(['pending', 0]);
    expect(await problems()).toMatchObject([{ kind: 'order', id, order: id, reason: 'NO_ANSWER', label: 'Starter' }]);
    expect(await countNotified()).toBeGreaterThan(0);
    world.stripe.faults.length = 0;
    expect((await call(world.harness, world.staff, 'POST', `/api/admin/payments/${id}/check`)).status).toBe(200);
    await world.harness.drainJobs();
    expect([await world.state(id), await balance(), await problems()]).toEqual(['paid', 1200, []]);
  });

  test('an order is not closed because its gateway did not answer in all its time', async () => {
    const id = await world.order();
    world.stripe.pay(id);
    away(10_000);
    await days(18);
    expect([await world.state(id), (await problems()).map(({ reason }) => reason)]).toEqual(['expired', ['NO_ANSWER']]);
    world.stripe.faults.length = 0;
    await world.staff.api.adminPayments.check({ params: { id } });
    await world.harness.drainJobs();
    expect([await world.state(id), await balance()]).toEqual(['paid', 1200]);
  });

  test('an order nobody paid is asked about one last time, then closed, and no more asked about', async () => {
    const id = await world.order();
    await days(15);
    expect(await world.state(id)).toBe('expired');
    const asked = world.stripe.log.length;
    await days(2);
    expect(world.stripe.log.length).toBe(asked);
    expect(await problems()).toEqual([]);
  });

  test('a bank debit that takes longer than that is waited for', async () => {
    const id = await world.order();
    await world.deliver('stripe', await world.stripe.event('checkout.session.completed', world.stripe.pay(id, true)));
    await days(16);
    expect([await world.state(id), await balance()]).toEqual(['pending', 0]);
    world.stripe.pay(id);
    await days(2);
    expect([await world.state(id), await balance()]).toEqual(['paid', 1200]);
  });

  test('a gateway that knows of no such order may have been asked with other keys, and it is asked again', async () => {
    const id = await world.order();
    const session = world.stripe.session(id);
    world.stripe.pay(id);
    world.stripe.sessions.delete(session.id);
    await world.pass(HOUR);
    expect(await world.state(id)).toBe('expired');
    world.stripe.sessions.set(session.id, session);
    await days(2);
    expect([await world.state(id), await balance()]).toEqual(['paid', 1200]);
  });

  test('an event of a refund that comes while somebody checks and the gateway is away is not lost', async () => {
    const id = await world.order();
    const paid = await world.stripe.event('checkout.session.completed', world.stripe.pay(id));
    // A look that was begun before waits for its second try when the refund is heard of.
    away(1);
    world.harness.clock.advance(5 * MINUTE);
    await world.harness.drainJobs();
    expect(world.stripe.faults).toHaveLength(0);
    await world.deliver('stripe', paid);
    world.stripe.refundThere(id, 250);
    away(1);
    await world.deliver('stripe', await world.stripe.event('charge.refunded', world.stripe.chargeOf(id)));
    await days(1);
    expect([await world.state(id), await balance()]).toEqual(['part_refunded', 600]);
  });

  test('a payment that does not fit stands in the list, and asked again it still does not pay', async () => {
    const id = await world.order();
    const session = world.stripe.pay(id);
    Object.assign(session, { amount_total: 499 });
    await world.deliver('stripe', await world.stripe.event('checkout.session.completed', session));
    expect(await problems()).toMatchObject([{ kind: 'order', id, reason: 'AMOUNT' }]);
    await world.staff.api.adminPayments.check({ params: { id } });
    await world.harness.drainJobs();
    expect([await world.state(id), await balance(), (await problems()).length]).toEqual(['pending', 0, 1]);
    const manual = await world.order('manual');
    expect((await call(world.harness, world.staff, 'POST', `/api/admin/payments/${manual}/check`)).status).toBe(409);
  });

  test('manual: an order that its buyer gave up is confirmed when the money came all the same, once', async () => {
    const id = await world.order('manual');
    await world.ann.api.payments.cancel({ params: { id } });
    expect((await world.staff.api.adminPayments.get({ params: { id } })).payment).toMatchObject({
      state: 'cancelled',
      confirmable: true,
    });
    const confirm = (person = world.staff) =>
      call(world.harness, person, 'POST', `/api/admin/payments/${id}/confirm`, {
        reason: 'The transfer came on Monday',
      });
    const reader = await world.harness.person('reader', {
      permissions: ['admin.payments.list', 'admin.payments.view'],
    });
    expect((await confirm(reader)).status).toBe(403);
    const many = await Promise.all(Array.from({ length: 50 }, () => confirm()));
    expect(many.map(({ status }) => status).toSorted()).toEqual([200, ...Array<number>(49).fill(409)]);
    expect([await world.state(id), await balance()]).toEqual(['paid', 1200]);
    const [row] = await world.harness.db.sql<{ before: string; after: string }>(
      "SELECT before, after FROM audit WHERE action = 'payments.confirm'",
    );
    expect([row?.before, row?.after]).toEqual([
      expect.stringContaining('cancelled'),
      expect.stringContaining('Monday'),
    ]);
  });

  test('nobody confirms a payment of their own, but who may do everything', async () => {
    const id = await world.order('manual', world.staff);
    const confirm = (person: typeof world.staff, order: string) =>
      call(world.harness, person, 'POST', `/api/admin/payments/${order}/confirm`, { reason: 'Paid in cash' });
    expect(await confirm(world.staff, id)).toMatchObject({ status: 403, json: { error_code: 'FORBIDDEN' } });
    expect(await world.harness.balance(world.staff.id)).toBe(0);
    const owner = await world.harness.person('root', { permissions: ['admin.root'] });
    expect((await confirm(owner, await world.order('manual', owner))).status).toBe(200);
    expect((await confirm(owner, id)).status).toBe(200);
  });
});
