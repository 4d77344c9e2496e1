import { afterEach, beforeEach, expect, test } from 'bun:test';
import { DomainError } from '#shared/errors.ts';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import type { GatewayStatus } from './ports.ts';
import { bankWorld, type BankWorld } from '#tests/support/bank.ts';
import { codeOf } from '#tests/support/coins.ts';

// Behaviour 5.3 where the gateway is asked; attacks T12. The stories over days are shown by tests/api/payments-unsettled.

let world: BankWorld;
beforeEach(async () => {
  world = await bankWorld();
});
afterEach(() => world.close());

/** An order that waits, and how it stands after its gateway said something of it. */
async function after(says: GatewayStatus['kind'], agedMs = 0) {
  const id = await world.place();
  await world.jobs();
  world.clock.advance(agedMs);
  world.bank.says.set(id, { kind: says } as GatewayStatus);
  await world.payments.sync(id);
  const { state, payUrl, nextCheckMs } = await world.order(id);
  const next = nextCheckMs === null ? null : nextCheckMs - world.clock.now();
  return { id, state, open: payUrl !== null, next, jobs: await world.jobs() };
}

test('what the gateway says of an order that is not paid decides its state, its address and when it is asked next', async () => {
  const first = 5 * MINUTE;
  expect(await after('open')).toMatchObject({ state: 'pending', open: true, next: first, jobs: [] });
  const approved = await after('approved');
  expect(approved).toMatchObject({
    state: 'pending',
    open: true,
    next: first,
    jobs: [`payments.capture ${approved.id} ×12`],
  });
  expect(await after('waiting')).toMatchObject({ state: 'pending', open: false, next: first, jobs: [] });
  expect(await after('failed')).toMatchObject({ state: 'failed', open: false, next: null, jobs: [] });
  expect(await after('expired')).toMatchObject({ state: 'expired', open: false, next: null, jobs: [] });
  expect(await after('missing')).toMatchObject({ state: 'expired', open: false, next: DAY, jobs: [] });
});

test('T12 an order is closed after a fortnight of checks, unless its money is on its way at the bank', async () => {
  const over = 14 * DAY + 1;
  expect(await after('open', over)).toMatchObject({ state: 'expired', open: false, next: null });
  expect(await after('missing', over)).toMatchObject({ state: 'expired', open: false, next: null });
  expect(await after('failed', over)).toMatchObject({ state: 'failed', open: false, next: null });
  expect(await after('waiting', over)).toMatchObject({ state: 'pending', open: false, next: DAY });
});

test('T8 a refund that the gateway reports is noted at the order and takes its share, and none of a payment that does not fit', async () => {
  const [id, other] = [await world.place(), await world.place()];
  await world.pay(id, 100);
  expect(await world.order(id)).toMatchObject({ state: 'part_refunded', refunded: 100, clawedBack: 100 });
  await world.pay(other, 100, { amount: 499 });
  expect(await world.order(other)).toMatchObject({ state: 'pending', refunded: 0, failure: 'AMOUNT' });
  expect(await world.balance(world.ann)).toBe(400);
});

test('an order that its buyer gave up stays cancelled, whatever its gateway says of it, and a paid one stays paid', async () => {
  const id = await world.place();
  await world.payments.cancel(world.ann, id);
  for (const kind of ['failed', 'expired', 'missing', 'open'] as const) {
    world.bank.says.set(id, { kind });
    await world.payments.sync(id);
    expect((await world.order(id)).state).toBe('cancelled');
  }
  const paid = await world.place();
  await world.pay(paid);
  for (const kind of ['failed', 'expired', 'missing', 'waiting', 'approved'] as const) {
    world.bank.says.set(paid, { kind });
    await world.payments.sync(paid);
    expect(await world.order(paid)).toMatchObject({ state: 'paid', nextCheckMs: null });
  }
});

test('an answer that is older than the last change of its order is dropped, and the gateway asked again, at most five times', async () => {
  const id = await world.place();
  let changes = 1;
  world.bank.meanwhile = async () => {
    world.bank.says.set(id, { kind: changes > 0 ? 'failed' : 'waiting' });
    if (changes > 0) await world.uow.run((tx) => tx.payments.patchOrder(id, { checks: changes }, 1));
    changes -= 1;
  };
  await world.payments.sync(id);
  expect((await world.order(id)).state).toBe('pending');
  const asked = () => world.bank.asked.filter((line) => line.startsWith('status')).length;
  expect(asked()).toBe(2);
  changes = 99;
  await expect(world.payments.sync(id)).rejects.toThrow('the order changed whenever its gateway was asked');
  expect([asked(), (await world.order(id)).state]).toEqual([7, 'pending']);
});

test('an order whose gateway does not say how it stands is asked about again, and one of nobody asks nobody', async () => {
  const id = await world.place();
  world.bank.says.set(id, { kind: 'unknown' });
  await expect(world.payments.sync(id)).rejects.toThrow('does not say how an order stands');
  const manual = await world.place('manual');
  await world.payments.sync(manual);
  await world.payments.sync('missing');
  expect(world.bank.asked.filter((line) => line.startsWith('status'))).toEqual([`status ${id}`]);
});

test('staff are notified once a day and gateway of unanswered orders, with the reason, until it answers', async () => {
  const [id, other] = [await world.place(), await world.place()];
  await world.payments.recordSyncFailure(id, new Error('away'));
  await world.payments.recordSyncFailure(other, new DomainError('WALLET_FULL'));
  await world.payments.recordSyncFailure('missing', new Error('away'));
  expect(await world.order(id)).toMatchObject({ state: 'pending', failure: 'NO_ANSWER' });
  expect(await world.order(other)).toMatchObject({ state: 'pending', failure: 'WALLET_FULL' });
  expect((await world.order(id)).nextCheckMs).not.toBeNull();
  expect(await world.notified()).toEqual(['paymentStuck {} paymentStuck:stripe:2026-03-10']);
  world.bank.says.set(id, { kind: 'open' });
  world.bank.says.set(other, { kind: 'open' });
  await world.payments.sync(id);
  await world.payments.sync(other);
  expect([(await world.order(id)).failure, (await world.order(other)).failure]).toEqual([null, null]);
  // The code of another fault of ours says nothing to staff.
  await world.payments.recordSyncFailure(id, new DomainError('CONFLICT'));
  expect((await world.order(id)).failure).toBe('NO_ANSWER');
});

test('what does not fit stays named at an order, also when its gateway falls silent or says nothing more', async () => {
  const id = await world.place();
  await world.pay(id, 0, { currency: 'USD' });
  const before = (await world.notified()).length;
  await world.payments.recordSyncFailure(id, new Error('away'));
  expect([(await world.order(id)).failure, (await world.notified()).length]).toEqual(['CURRENCY', before]);
  world.bank.says.set(id, { kind: 'open' });
  await world.payments.sync(id);
  expect((await world.order(id)).failure).toBe('CURRENCY');
});

test('T12 an order whose gateway never answered in all its time is closed, a paid one is not', async () => {
  const [id, paid] = [await world.place(), await world.place()];
  await world.pay(paid);
  world.clock.advance(14 * DAY + 1);
  await world.payments.recordSyncFailure(id, new Error('away'));
  await world.payments.recordSyncFailure(paid, new Error('away'));
  expect(await world.order(id)).toMatchObject({ state: 'expired', payUrl: null, nextCheckMs: null });
  expect(await world.order(paid)).toMatchObject({ state: 'paid', failure: 'NO_ANSWER' });
});

test('staff have a gateway asked at once, where there is one and the order is open there', async () => {
  const [id, manual] = [await world.place(), await world.place('manual')];
  world.bank.opened = { kind: 'unknown', reason: 'away', fresh: false };
  expect(await codeOf(world.place())).toBe('GATEWAY_UNAVAILABLE');
  const [unopened] = await world.db.sql<{ id: string }>("SELECT id FROM payment_orders WHERE state = 'created'");
  await world.jobs();
  await world.payments.requestSync(world.staff, id);
  expect(await world.jobs()).toEqual([`payments.sync ${id} ×2`]);
  const refused = ['missing', manual, unopened?.id ?? ''].map((each) =>
    codeOf(world.payments.requestSync(world.staff, each)),
  );
  expect(await Promise.all(refused)).toEqual(['NOT_FOUND', 'CONFLICT', 'CONFLICT']);
  expect(await codeOf(world.payments.requestSync(world.ann, id))).toBe('FORBIDDEN');
  expect(await world.jobs()).toEqual([]);
  expect(await world.audited()).toEqual(['payments.check']);
});

test('T12 orders are asked about when they fall due, ever more seldom, and each is counted', async () => {
  const id = await world.place();
  await world.jobs();
  world.clock.advance(5 * MINUTE - 1);
  expect([await world.payments.reconcile(), await world.jobs()]).toEqual([0, []]);
  world.clock.advance(1);
  expect([await world.payments.reconcile(), await world.jobs()]).toEqual([1, [`payments.sync ${id} ×48`]]);
  expect(await world.order(id)).toMatchObject({ checks: 1, nextCheckMs: world.clock.now() + 5 * MINUTE });
  world.clock.advance(5 * MINUTE);
  await world.payments.reconcile();
  expect(await world.order(id)).toMatchObject({ checks: 2, nextCheckMs: world.clock.now() + 10 * MINUTE });
  await world.jobs();
  // The last time it is still asked, and closed by what the gateway says alone.
  world.clock.advance(14 * DAY);
  expect([await world.payments.reconcile(), await world.jobs()]).toEqual([1, [`payments.sync ${id} ×48`]]);
  expect(await world.order(id)).toMatchObject({ state: 'pending', nextCheckMs: null });
  expect(await world.payments.reconcile()).toBe(0);
});

test('an order that never got its address is waited for an hour, then closed without asking', async () => {
  world.bank.opened = { kind: 'unknown', reason: 'away', fresh: true };
  expect(await codeOf(world.place())).toBe('GATEWAY_UNAVAILABLE');
  const [row] = await world.db.sql<{ id: string }>('SELECT id FROM payment_orders');
  const id = row?.id ?? '';
  world.clock.advance(HOUR);
  await world.payments.reconcile();
  expect(await world.order(id)).toMatchObject({
    state: 'created',
    // Nobody was asked: it counts the tries to open it.
    checks: 1,
    nextCheckMs: world.clock.now() + 10 * MINUTE,
  });
  world.clock.advance(10 * MINUTE);
  const heard: string[] = [];
  const stop = world.bus.subscribe(`user:${world.ann.actor.userId}`, (topic) => heard.push(topic));
  await world.payments.reconcile();
  stop();
  expect(await world.order(id)).toMatchObject({ state: 'expired', payUrl: null, nextCheckMs: null });
  expect(heard).toHaveLength(1);
  expect(await world.jobs()).toEqual([]);
});

test('an approved order is captured once it is open and unpaid, and none that was paid, given up or never opened', async () => {
  const [id, paid, gone, manual] = [
    await world.place(),
    await world.place(),
    await world.place(),
    await world.place('manual'),
  ];
  await world.pay(paid);
  await world.payments.cancel(world.ann, gone);
  world.bank.opened = { kind: 'unknown', reason: 'away', fresh: false };
  await codeOf(world.place());
  const [unopened] = await world.db.sql<{ id: string }>("SELECT id FROM payment_orders WHERE state = 'created'");
  for (const each of [id, paid, gone, manual, unopened?.id ?? '', 'missing']) await world.payments.capture(each);
  expect(world.bank.asked.filter((line) => line.startsWith('capture'))).toEqual([`capture ${id}`]);
  world.bank.captured = false;
  await expect(world.payments.capture(id)).rejects.toThrow('does not say whether the money was taken');
});

test('the means of a credited order are noted with the name of its gateway, and of no other', async () => {
  const [id, open] = [await world.place(), await world.place()];
  await world.pay(id);
  await world.payments.recordPaymentMethod(id);
  expect(world.means).toEqual([]);
  world.bank.means = 'card-1';
  for (const each of [id, open, 'missing']) await world.payments.recordPaymentMethod(each);
  expect(world.means).toEqual([`${world.ann.actor.userId} stripe:card-1`]);
});

test('only the checkout of an order that was given up is closed', async () => {
  const [id, open] = [await world.place(), await world.place()];
  await world.jobs();
  await world.payments.cancel(world.ann, id);
  expect(await world.jobs()).toEqual([`payments.close ${id} ×5`]);
  for (const each of [id, open, 'missing']) await world.payments.close(each);
  expect(world.bank.asked.filter((line) => line.startsWith('close'))).toEqual([`close ${id}`]);
});
