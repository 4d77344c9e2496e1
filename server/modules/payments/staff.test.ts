import { afterEach, beforeEach, expect, test } from 'bun:test';
import { toCredits } from '#shared/credits.ts';
import { HOUR } from '#shared/time.ts';
import { bankWorld, type BankWorld } from '#tests/support/bank.ts';
import { codeOf, keyed, withRights } from '#tests/support/coins.ts';

// Behaviour 5.3 where staff confirm and give back; attacks T8, T61.

let world: BankWorld;
beforeEach(async () => {
  world = await bankWorld();
});
afterEach(() => world.close());

const refundOf = async (id: string) => {
  const [refund] = (await world.uow.read((tx) => tx.payments.refundsOf(id))).slice(-1);
  if (!refund) throw new Error('no refund');
  return refund;
};
/** A paid order of which staff give something back, as recorded. */
async function asked(amount: number, provider: 'stripe' | 'paypal' | 'manual' = 'stripe') {
  const id = await world.place(provider);
  if (provider === 'manual') await world.payments.confirm(world.staff, id, 'it came');
  else await world.pay(id);
  await world.jobs();
  await world.payments.refund(world.staff, id, { amount, reason: 'asked for' });
  return { id, refund: await refundOf(id) };
}

test('staff confirm the money of a manual order once, also of one its buyer gave up, and of no order of a gateway', async () => {
  const [id, gone, stripe] = [await world.place('manual'), await world.place('manual'), await world.place()];
  await world.payments.cancel(world.ann, gone);
  await world.payments.confirm(world.staff, id, 'it came');
  await world.payments.confirm(world.staff, gone, 'it came late');
  expect([(await world.order(id)).state, (await world.order(gone)).state]).toEqual(['paid', 'paid']);
  expect([await world.balance(world.ann), await world.account('manual')]).toEqual([1000, -1000]);
  const refused = [id, gone, stripe, 'missing'].map((each) => codeOf(world.payments.confirm(world.staff, each, 'x')));
  expect(await Promise.all(refused)).toEqual(['CONFLICT', 'CONFLICT', 'CONFLICT', 'NOT_FOUND']);
  expect(await world.audited()).toEqual(['payments.confirm', 'payments.confirm']);
  expect(
    [await world.payments.details(id), await world.payments.details(stripe)].map((each) => each.confirmable),
  ).toEqual([false, false]);
});

test('the money of an order of a gateway is confirmed by nobody by hand, also where it was never opened there', async () => {
  world.bank.opened = { kind: 'unknown', reason: 'away', fresh: false };
  expect(await codeOf(world.place())).toBe('GATEWAY_UNAVAILABLE');
  const [row] = await world.db.sql<{ id: string }>("SELECT id FROM payment_orders WHERE state = 'created'");
  expect(await codeOf(world.payments.confirm(world.staff, row?.id ?? '', 'it came'))).toBe('CONFLICT');
  expect([await world.balance(world.ann), (await world.order(row?.id ?? '')).state]).toEqual([0, 'created']);
});

test('a confirmation is refused for an own order, above the approval limit, and without the right', async () => {
  expect(await codeOf(world.payments.confirm(world.staff, await world.place('stripe', world.staff), 'mine'))).toBe(
    'FORBIDDEN',
  );
  const own = await world.place('manual', world.staff);
  expect(await codeOf(world.payments.confirm(world.staff, own, 'mine'))).toBe('FORBIDDEN');
  const id = await world.place('manual');
  expect(await codeOf(world.payments.confirm(world.ann, id, 'mine'))).toBe('FORBIDDEN');
  world.settings.staff_amount_max = 499;
  expect(await codeOf(world.payments.confirm(world.staff, id, 'it came'))).toBe('APPROVAL_REQUIRED');
  world.settings.staff_amount_max = 500;
  await world.payments.confirm(world.staff, id, 'it came');
  world.settings.staff_amount_max = 1;
  await world.payments.confirm(withRights(world.staff, 'admin.root'), own, 'mine');
  expect([await world.balance(world.ann), await world.balance(world.staff)]).toEqual([500, 500]);
});

test('a manual order that was credited is not confirmed again, and the audit log gets no row', async () => {
  const id = await world.place('manual');
  const postings = [
    { source: 'system:payment.manual', destination: `user:${world.ann.actor.userId}`, amount: toCredits(500) },
  ] as const;
  await world.uow.run((tx) =>
    world.ledger.transfer(tx, { kind: 'payment.credit', reference: `payment:manual:${id}`, postings }),
  );
  expect(await codeOf(world.payments.confirm(world.staff, id, 'it came'))).toBe('CONFLICT');
  expect(await world.order(id)).toMatchObject({ state: 'pending', creditedTx: null, failure: null });
  expect([await world.balance(world.ann), await world.audited()]).toEqual([500, []]);
});

test('a confirmation sent twice with one key confirms once and answers twice', async () => {
  const id = await world.place('manual');
  const ctx = keyed(world.staff, 'k1');
  await world.payments.confirm(ctx, id, 'it came');
  await world.payments.confirm(ctx, id, 'it came');
  expect(await world.balance(world.ann)).toBe(500);
});

test('a refund is recorded with who asked and why, to the last cent that is left beside what is under way', async () => {
  const { id, refund } = await asked(300);
  expect(refund).toMatchObject({
    orderId: id,
    amount: 300,
    state: 'requested',
    reason: 'asked for',
    actorId: world.staff.actor.userId,
    failure: null,
    createdMs: world.clock.now(),
  });
  expect(await world.jobs()).toEqual([`payments.refund ${refund.id} ×10`]);
  expect((await world.payments.details(id)).refundable).toBe(200);
  expect(await codeOf(world.payments.refund(world.staff, id, { amount: 201, reason: 'x' }))).toBe('VALIDATION_FAILED');
  await world.payments.refund(world.staff, id, { amount: 200, reason: 'the rest' });
  expect((await world.payments.details(id)).refundable).toBe(0);
  // Nothing is taken before the money went.
  expect([await world.balance(world.ann), (await world.order(id)).refunded]).toEqual([500, 0]);
  expect(await world.audited()).toEqual(['payments.refund', 'payments.refund']);
});

test('a refund is refused for an unpaid or unknown order, without the right, and above the approval limit in credits', async () => {
  const [id, unpaid] = [await world.place(), await world.place()];
  await world.pay(id);
  const refund = (each: string, amount = 100, by = world.staff) =>
    codeOf(world.payments.refund(by, each, { amount, reason: 'x' }));
  expect(await refund(unpaid)).toBe('CONFLICT');
  expect(await refund('missing')).toBe('NOT_FOUND');
  expect(await refund(id, 100, world.ann)).toBe('FORBIDDEN');
  world.settings.staff_amount_max = 1;
  expect([await refund(unpaid), await refund(id)]).toEqual(['CONFLICT', 'APPROVAL_REQUIRED']);
  world.settings.payment_credits_per_unit = 1000;
  const dear = (
    await world.payments.create(world.ann, { provider: 'stripe', price_minor: 500, currency: 'EUR', rate: 1000 })
  ).id;
  await world.pay(dear);
  world.settings.staff_amount_max = 999;
  expect(await refund(dear, 100)).toBe('APPROVAL_REQUIRED');
  // Too dear is said before too much.
  expect(await refund(dear, 501)).toBe('APPROVAL_REQUIRED');
  world.settings.staff_amount_max = 1000;
  expect(await refund(dear, 100)).toBeNull();
});

test('what staff gave back by hand takes its credits at once, in parts, and nobody is asked', async () => {
  const { id } = await asked(200, 'manual');
  expect(await world.order(id)).toMatchObject({ state: 'part_refunded', refunded: 200, clawedBack: 200 });
  await world.payments.refund(world.staff, id, { amount: 300, reason: 'the rest' });
  expect(await world.order(id)).toMatchObject({ state: 'refunded', refunded: 500, clawedBack: 500 });
  expect((await world.uow.read((tx) => tx.payments.refundsOf(id))).map(({ state }) => state)).toEqual(['done', 'done']);
  expect([await world.balance(world.ann), await world.account('manual'), await world.jobs()]).toEqual([0, 0, []]);
});

test('a refund is applied once: the gateway is asked, then how the order stands, and the credits go with the money', async () => {
  const { id, refund } = await asked(300);
  world.bank.says.set(id, { kind: 'paid', paid: await world.paidFor(id), refunded: 300 });
  world.bank.refunded = { kind: 'done', ref: 're_7' };
  await world.payments.executeRefund(refund.id);
  await world.payments.executeRefund(refund.id);
  await world.payments.executeRefund('missing');
  expect(world.bank.asked.filter((line) => line.startsWith('refund'))).toEqual([`refund ${id} 300`]);
  const [row] = await world.db.sql('SELECT state, ref, failure FROM payment_refunds');
  expect(row).toEqual({ state: 'done', ref: 're_7', failure: null });
  expect([await world.balance(world.ann), (await world.order(id)).state]).toEqual([200, 'part_refunded']);
});

test('a refund whose answer was lost is repeated with the same key, and a refused one notifies staff', async () => {
  const { id, refund } = await asked(300);
  world.bank.refunded = { kind: 'unknown', reason: 'cut off' };
  await expect(world.payments.executeRefund(refund.id)).rejects.toThrow('cut off');
  expect((await refundOf(id)).state).toBe('requested');
  world.bank.refunded = { kind: 'refused', reason: 'r'.repeat(300) };
  await world.payments.executeRefund(refund.id);
  expect(await refundOf(id)).toMatchObject({ state: 'failed', failure: 'r'.repeat(200) });
  expect(await world.notified()).toEqual([`paymentRefundFailed {"order":"${id}"} paymentRefundFailed:${refund.id}`]);
  // It was refused: there is nothing to look for, and all of it can be given back again.
  expect(await world.jobs()).toEqual([`payments.refund ${refund.id} ×10`]);
  expect((await world.payments.details(id)).refundable).toBe(500);
  await world.payments.recordRefundFailure(refund.id);
  expect((await refundOf(id)).failure).toBe('r'.repeat(200));
});

test('a refund that is never answered fails, notifies staff, and has its order checked at the gateway', async () => {
  const { id, refund } = await asked(300);
  await world.jobs();
  await world.payments.recordRefundFailure(refund.id);
  await world.payments.recordRefundFailure(refund.id);
  await world.payments.recordRefundFailure('missing');
  expect(await refundOf(id)).toMatchObject({ state: 'failed', failure: 'NO_ANSWER' });
  expect(await world.notified()).toHaveLength(1);
  expect(await world.jobs()).toEqual([`payments.sync ${id} ×48`]);
});

test('a refund older than five hours is first looked up: found it is done, unexplained it is for staff, else it is sent again', async () => {
  const late = 5 * HOUR + 1;
  const made = await asked(300);
  const unexplained = await asked(300);
  const notMade = await asked(300);
  const soon = await asked(300);
  const paid = (id: string, refunded: number) =>
    world.paidFor(id).then((each) => world.bank.says.set(id, { kind: 'paid', paid: each, refunded }));
  world.bank.asked.length = 0;
  world.clock.advance(late - 1);
  await paid(soon.id, 300);
  await world.payments.executeRefund(soon.refund.id);
  expect(world.bank.asked.filter((line) => line.startsWith('refund'))).toEqual([`refund ${soon.id} 300`]);
  world.clock.advance(1);
  world.bank.asked.length = 0;
  await paid(made.id, 300);
  await world.payments.executeRefund(made.refund.id);
  expect((await refundOf(made.id)).state).toBe('done');
  // An event has told of 300 already; that may be this refund, or another from the gateway's own pages.
  await world.pay(unexplained.id, 300);
  await world.payments.executeRefund(unexplained.refund.id);
  expect(await refundOf(unexplained.id)).toMatchObject({ state: 'failed', failure: 'NO_ANSWER' });
  expect(world.bank.asked.filter((line) => line.startsWith('refund'))).toEqual([]);
  await paid(notMade.id, 299);
  await world.payments.executeRefund(notMade.refund.id);
  expect(world.bank.asked.filter((line) => line.startsWith('refund'))).toEqual([`refund ${notMade.id} 300`]);
  expect((await refundOf(notMade.id)).state).toBe('done');
});

test('money that a refund of ours explains is no sign that the next was made, and a failed one explains none', async () => {
  const { id, refund: first } = await asked(200);
  world.bank.says.set(id, { kind: 'paid', paid: await world.paidFor(id), refunded: 200 });
  await world.payments.executeRefund(first.id);
  await world.payments.refund(world.staff, id, { amount: 100, reason: 'more' });
  const second = await refundOf(id);
  world.clock.advance(6 * HOUR);
  world.bank.asked.length = 0;
  await world.payments.executeRefund(second.id);
  expect(world.bank.asked.filter((line) => line.startsWith('refund'))).toEqual([`refund ${id} 100`]);
  expect((await refundOf(id)).state).toBe('done');
});

test('a refund is not asked for while its gateway does not say how the order stands', async () => {
  const { id, refund } = await asked(300);
  world.clock.advance(6 * HOUR);
  world.bank.says.set(id, { kind: 'unknown' });
  await expect(world.payments.executeRefund(refund.id)).rejects.toThrow('does not say how an order stands');
  expect((await refundOf(id)).state).toBe('requested');
});
