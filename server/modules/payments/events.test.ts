import { afterEach, beforeEach, expect, test } from 'bun:test';
import { DomainError } from '#shared/errors.ts';
import { MINUTE } from '#shared/time.ts';
import { bankWorld, type BankWorld } from '#tests/support/bank.ts';
import { codeOf } from '#tests/support/coins.ts';
import type { DisputeState, EventContent } from './ports.ts';

// Behaviour 5.3 where gateways tell something; attacks T7, T8. Through the whole product: tests/api/payments.

let world: BankWorld;
beforeEach(async () => {
  world = await bankWorld();
});
afterEach(() => world.close());

const where = (orderId: string | null, ref: string | null = null, paymentRef: string | null = null) => ({
  orderId,
  ref,
  paymentRef,
});
/** Receives an event and applies it. Gives the event as it stands then. */
async function tell(content: EventContent, provider: 'stripe' | 'paypal' = 'stripe') {
  const id = await world.take(content, provider);
  await world.payments.applyEvent(id);
  const event = await world.event(id);
  return { id, outcome: event?.outcome, reason: event?.reason, orderId: event?.orderId };
}
const raw = { body: new Uint8Array(), header: () => null };

test('T7 an event that is not signed is recorded nowhere, and says why to its sender alone', async () => {
  expect(await codeOf(world.payments.receiveWebhook('stripe', raw))).toBe('NOT_FOUND');
  expect(await codeOf(world.payments.receiveWebhook('manual', raw))).toBe('NOT_FOUND');
  world.bank.proof = { kind: 'unavailable' };
  expect(await codeOf(world.payments.receiveWebhook('stripe', raw))).toBe('GATEWAY_UNAVAILABLE');
  world.bank.proof = { kind: 'forged', reason: 'signature' };
  expect(await codeOf(world.payments.receiveWebhook('stripe', raw))).toBe('SIGNATURE_INVALID');
  expect(world.db.log.events()).toContain('payments.forged');
  expect(await world.db.sql('SELECT id FROM payment_events')).toEqual([]);
});

test('T7 an event is recorded once with one job, and one that says nothing to us with none', async () => {
  const order = await world.place();
  await world.jobs();
  const content: EventContent = { kind: 'waiting', ...where(order) };
  const id = await world.take(content, 'stripe', 'ev-1');
  expect(await world.take(content, 'stripe', 'ev-1')).toBe(id);
  expect(await world.jobs()).toEqual([`payments.event ${id} ×48`]);
  expect(await world.event(id)).toMatchObject({ outcome: 'received', reason: null, orderId: null, provider: 'stripe' });
  // Another gateway may use the same name.
  await world.take(content, 'paypal', 'ev-1');
  expect(await world.db.sql('SELECT id FROM payment_events')).toHaveLength(2);
  await world.jobs();
  const ignored = await world.take({ kind: 'ignored' }, 'stripe', 'ev-2');
  await world.take({ kind: 'ignored' }, 'stripe', 'ev-2');
  expect([(await world.event(ignored))?.outcome, await world.jobs()]).toEqual(['ignored', []]);
  expect(world.db.log.events().filter((event) => event === 'payments.event_ignored')).toHaveLength(1);
});

test('a paid event pays the order it names, once, and one that does not fit says why', async () => {
  const [id, other] = [await world.place(), await world.place()];
  const first = await tell({ kind: 'paid', ...(await world.paidFor(id)) });
  expect(first).toMatchObject({ outcome: 'applied', reason: null, orderId: id });
  await world.payments.applyEvent(first.id);
  expect(await tell({ kind: 'paid', ...(await world.paidFor(id)) })).toMatchObject({ outcome: 'applied' });
  expect(await world.balance(world.ann)).toBe(500);
  expect(await tell({ kind: 'paid', ...(await world.paidFor(other, { amount: 1 })) })).toMatchObject({
    outcome: 'mismatch',
    reason: 'AMOUNT',
    orderId: other,
  });
  world.bank.ours = false;
  expect(await tell({ kind: 'paid', ...(await world.paidFor(other)) })).toMatchObject({ reason: 'ACCOUNT' });
  expect(await world.balance(world.ann)).toBe(500);
});

test('T7 an event of one gateway never touches an order of another, though it names it', async () => {
  const id = await world.place('paypal');
  expect(await tell({ kind: 'failed', ...where(id) })).toMatchObject({ outcome: 'unknown', orderId: null });
  expect(await tell({ kind: 'paid', ...(await world.paidFor(id)) })).toMatchObject({ outcome: 'unknown' });
  expect((await world.order(id)).state).toBe('pending');
  expect(await world.balance(world.ann)).toBe(0);
});

test('an event finds its order by id, checkout or payment, and asks the gateway only where it must', async () => {
  const id = await world.place();
  const asked = () => world.bank.asked.filter((line) => line.startsWith('order of'));
  expect(await tell({ kind: 'waiting', ...where(id) })).toMatchObject({ outcome: 'applied', orderId: id });
  expect(await tell({ kind: 'waiting', ...where(null, `cs-${id}`) })).toMatchObject({ orderId: id });
  expect(await tell({ kind: 'waiting', ...where('missing', `cs-${id}`, 'pi-x') })).toMatchObject({ orderId: id });
  expect(await tell({ kind: 'waiting', ...where(null, null, 'pi-x') })).toMatchObject({ outcome: 'unknown' });
  expect(await tell({ kind: 'check', ...where(null, 'cs-x') })).toMatchObject({ outcome: 'unknown' });
  expect(asked()).toEqual([]);
  expect(await tell({ kind: 'check', ...where(null, null, 'pi-x') })).toMatchObject({ outcome: 'unknown' });
  world.bank.orders.set('pi-y', id);
  expect(await tell({ kind: 'check', ...where(null, null, 'pi-y') })).toMatchObject({ orderId: id });
  expect(asked()).toEqual(['order of pi-x', 'order of pi-y']);
  await world.pay(id);
  expect(await tell({ kind: 'check', ...where(null, null, `pi-${id}`) })).toMatchObject({ orderId: id });
  expect(asked()).toHaveLength(2);
});

test('what an event says of an open order is done: asked for, captured, waited for, failed or expired', async () => {
  const id = await world.place();
  await world.jobs();
  const after = async (kind: 'check' | 'approved') => {
    await tell({ kind, ...where(id) });
    return (await world.jobs()).filter((line) => !line.startsWith('payments.event'));
  };
  expect(await after('check')).toEqual([`payments.sync ${id} ×48`]);
  expect(await after('approved')).toEqual([`payments.capture ${id} ×48`]);
  await tell({ kind: 'waiting', ...where(id) });
  expect(await world.order(id)).toMatchObject({
    state: 'pending',
    payUrl: null,
    nextCheckMs: world.clock.now() + 5 * MINUTE,
  });
  const heard: string[] = [];
  const stop = world.bus.subscribe(`user:${world.ann.actor.userId}`, (topic) => heard.push(topic));
  for (const kind of ['failed', 'expired'] as const) {
    const each = await world.place();
    heard.length = 0;
    expect(await tell({ kind, ...where(each) })).toMatchObject({ outcome: 'applied', orderId: each });
    // The buyer's page shows it at once.
    expect(heard).toHaveLength(1);
    expect(await world.order(each)).toMatchObject({ state: kind, payUrl: null, nextCheckMs: null });
    // Too late to change anything.
    expect(await tell({ kind: 'waiting', ...where(each) })).toMatchObject({ outcome: 'ignored', orderId: each });
    expect((await world.order(each)).state).toBe(kind);
  }
  stop();
  const paid = await world.place();
  await world.pay(paid);
  expect(await tell({ kind: 'expired', ...where(paid) })).toMatchObject({ outcome: 'ignored' });
  expect(await world.order(paid)).toMatchObject({ state: 'paid' });
});

test('T8 a dispute is kept before its payment is known, and staff are notified once a state and once a round', async () => {
  const id = await world.place();
  const dispute = (state: DisputeState, atMs: number | undefined, amount = 500) =>
    tell({ kind: 'dispute', disputeId: 'd1', paymentRef: `pi-${id}`, amount, currency: 'EUR', state, atMs });
  expect(await dispute('open', 1)).toMatchObject({ outcome: 'waiting', orderId: null });
  expect(await world.notified()).toEqual([]);
  await world.pay(id);
  // Its state changes; no credits move, so no movement is counted.
  expect(await world.order(id)).toMatchObject({ state: 'disputed', moves: 0, clawedBack: 0 });
  const stands = async () => [(await world.order(id)).state, await world.balance(world.ann)];
  expect(await dispute('taken', 2)).toMatchObject({ outcome: 'applied', orderId: id });
  expect(await dispute('taken', 2)).toMatchObject({ outcome: 'applied' });
  expect(await stands()).toEqual(['disputed', 0]);
  await dispute('won', 5);
  expect(await stands()).toEqual(['paid', 500]);
  // Said before it was won: told, but not as another round.
  await dispute('lost', 4);
  expect(await stands()).toEqual(['paid', 500]);
  await dispute('open', 6);
  expect(await stands()).toEqual(['paid', 500]);
  await dispute('lost', 7);
  expect(await stands()).toEqual(['disputed', 0]);
  const key = (line: string) => line.slice(line.lastIndexOf(' ') + 1).replace('paymentDispute:d1:', '');
  expect((await world.notified()).filter((line) => line.startsWith('paymentDispute')).map(key)).toEqual([
    'taken',
    'won',
    'lost',
    'open:6',
    'lost:7',
  ]);
  expect((await world.payments.details(id)).disputes).toMatchObject([{ disputeId: 'd1', state: 'lost', updatedMs: 7 }]);
});

test('T7 T8 credits whose money is gone before they are paid are reversed in the transaction that pays them', async () => {
  const id = await world.place();
  const facts = { disputeId: 'd1', paymentRef: `pi-${id}`, amount: 200, currency: 'EUR' } as const;
  expect(await tell({ kind: 'dispute', ...facts, state: 'taken' })).toMatchObject({ outcome: 'waiting' });
  expect(await tell({ kind: 'paid', ...(await world.paidFor(id)) })).toMatchObject({ outcome: 'applied' });
  expect(await world.order(id)).toMatchObject({ state: 'disputed', clawedBack: 200, moves: 1 });
  expect(await world.balance(world.ann)).toBe(300);
});

test('a dispute of an unknown payment is looked up at its gateway, and recorded at the order it names', async () => {
  const id = await world.place();
  world.bank.orders.set('pi-z', id);
  const facts = { disputeId: 'd1', paymentRef: 'pi-z', amount: 100, currency: 'EUR', state: 'open' } as const;
  expect(await tell({ kind: 'dispute', ...facts })).toMatchObject({ outcome: 'applied', orderId: id });
  expect(world.bank.asked.at(-1)).toBe('order of pi-z');
  expect(await world.notified()).toEqual([`paymentDispute {"order":"${id}"} paymentDispute:d1:open`]);
  // Of an order that is not paid yet nothing is taken; the payment finds the dispute.
  expect(await world.order(id)).toMatchObject({ state: 'pending', clawedBack: 0, moves: 0 });
});

test('a dispute whose event has no time has that of its receipt', async () => {
  const id = await world.place();
  await world.pay(id);
  const facts = { disputeId: 'd1', paymentRef: `pi-${id}`, amount: 100, currency: 'EUR' } as const;
  await tell({ kind: 'dispute', ...facts, state: 'taken' });
  expect((await world.payments.details(id)).disputes).toMatchObject([{ state: 'taken', updatedMs: world.clock.now() }]);
});

test('E1 money for an order that nobody knows stands on the list, of which staff are notified; anything else is only unknown', async () => {
  const id = await world.place();
  const unknown = '0198a000-0000-7000-8000-000000000001';
  const paid = await world.paidFor(id, { orderId: unknown, ref: 'cs-x', paymentRef: 'pi-x' });
  const first = await tell({ kind: 'paid', ...paid });
  expect(first).toMatchObject({ outcome: 'unknown', reason: 'UNKNOWN_ORDER', orderId: null });
  expect(await world.notified()).toEqual([`paymentUnknown {} paymentUnknown:${first.id}`]);
  expect(world.db.log.events()).toContain('payments.event_unknown');
  expect(await tell({ kind: 'failed', ...where(unknown) })).toMatchObject({ outcome: 'unknown', reason: null });
  world.bank.ours = false;
  expect(await tell({ kind: 'paid', ...paid, paymentRef: 'pi-y' })).toMatchObject({ outcome: 'unknown', reason: null });
  expect(await world.notified()).toHaveLength(1);
});

test('whoever may do everything is notified of money that needs somebody, without the right to payments too', async () => {
  await world.db.sql("UPDATE role_permissions SET permission = 'admin.root' WHERE permission = 'admin.payments.edit'");
  const event = await world.take({ kind: 'waiting', ...where(await world.place()) });
  await world.payments.recordEventFailure(event, new Error('x'));
  expect(await world.notified()).toEqual([`paymentStuck {} paymentStuck:${event}`]);
  await world.db.sql("DELETE FROM role_permissions WHERE permission = 'admin.root'");
  await world.payments.recordEventFailure(event, new Error('x'));
  expect(await world.notified()).toHaveLength(1);
});

test('an event that cannot be applied is kept with its reason, notifies staff, and is retried once', async () => {
  const id = await world.place();
  await world.jobs();
  const event = await world.take({ kind: 'check', ...where(id) });
  expect(await codeOf(world.payments.retryEvent(world.staff, event))).toBe('CONFLICT');
  await world.payments.recordEventFailure(event, new Error('x'));
  expect(await world.event(event)).toMatchObject({ outcome: 'received', reason: 'NOT_CARRIED_OUT' });
  expect(await world.notified()).toEqual([`paymentStuck {} paymentStuck:${event}`]);
  await world.payments.recordEventFailure(event, new DomainError('WALLET_FULL'));
  expect((await world.event(event))?.reason).toBe('WALLET_FULL');
  await world.jobs();
  expect(await codeOf(world.payments.retryEvent(world.ann, event))).toBe('FORBIDDEN');
  expect(await codeOf(world.payments.retryEvent(world.staff, 'missing'))).toBe('NOT_FOUND');
  await world.payments.retryEvent(world.staff, event);
  expect(await world.event(event)).toMatchObject({ outcome: 'received', reason: null });
  expect(await world.jobs()).toEqual([`payments.event ${event} ×48`]);
  expect(await world.audited()).toEqual(['payments.retry']);
  await world.payments.applyEvent(event);
  await world.payments.recordEventFailure(event, new Error('late'));
  await world.payments.recordEventFailure('missing', new Error('late'));
  expect(await world.event(event)).toMatchObject({ outcome: 'applied', reason: null });
  expect(await codeOf(world.payments.retryEvent(world.staff, event))).toBe('CONFLICT');
});

test('an event that two runners apply at once is applied by one of them', async () => {
  const id = await world.place();
  await world.jobs();
  const event = await world.take({ kind: 'check', ...where(null, null, 'pi-z') });
  // While the first asks the gateway for the order, the second carries the event out.
  world.bank.gateway.orderOf = async () => {
    world.bank.gateway.orderOf = async () => id;
    await world.payments.applyEvent(event);
    await world.jobs();
    return id;
  };
  await world.payments.applyEvent(event);
  expect([(await world.event(event))?.outcome, await world.jobs()]).toEqual(['applied', []]);
});
