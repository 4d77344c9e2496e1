import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { DAY, MINUTE } from '#shared/time.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openPayWorld, type PayWorld } from '#tests/support/payments.ts';

const SLOW = 60_000;
setDefaultTimeout(SLOW);

let world: PayWorld;
const PROVIDERS = ['stripe', 'paypal', 'manual'] as const;
const books = () =>
  world.harness.db.uow.read((tx) =>
    Promise.all(
      PROVIDERS.map((provider) => world.harness.host.services.ledger.balance(tx, `system:payment.${provider}`)),
    ),
  );
/** What the orders say that each account has given: the credits that were paid and not taken back. */
async function orders(): Promise<number[]> {
  const rows = await world.harness.db.sql<{ provider: string; given: number }>(
    'SELECT provider, CAST(SUM(credits + bonus - clawed_back) AS BIGINT) AS given FROM payment_orders WHERE credited_tx IS NOT NULL GROUP BY provider',
  );
  return PROVIDERS.map((provider) => 0 - (rows.find((row) => row.provider === provider)?.given ?? 0));
}
const lent = () => world.harness.db.uow.read((tx) => world.harness.host.services.ledger.balance(tx, 'system:debt'));
const debt = () =>
  world.harness.db.uow.read((tx) => world.harness.host.services.ledger.balance(tx, `debt:${world.ann.id}`));
/** Spends what there is, but a rest. */
const spend = (rest: number) =>
  world.harness.db.uow.run(async (tx) => {
    const { ledger } = world.harness.host.services;
    const amount = (await ledger.balance(tx, `user:${world.ann.id}`)) - rest;
    await ledger.transfer(tx, {
      kind: 'store.buy',
      reference: `spent:${crypto.randomUUID()}`,
      postings: [{ source: `user:${world.ann.id}`, destination: 'system:store', amount: amount as never }],
    });
  });

describe.each(ENGINES)('the accounts of payments (%s)', (engine) => {
  beforeEach(async () => {
    world = await openPayWorld(engine);
  }, SLOW);
  afterEach(() => world.close(), SLOW);

  const paidByStripe = async () => {
    const id = await world.order();
    await world.deliver('stripe', await world.stripe.event('checkout.session.completed', world.stripe.pay(id)));
    return id;
  };
  const settledByHand = async () => {
    const id = await world.order('manual');
    await world.staff.api.adminPayments.confirm({ params: { id }, body: { reason: 'Paid at the desk' } });
  };
  const same = async () => expect(await books()).toEqual(await orders());

  test('E11 a gateway’s account equals its orders while a user owes, after another gateway pays, and after a won dispute', async () => {
    const id = await paidByStripe();
    await spend(500);
    const dispute = (name: string, status: string) =>
      world.stripe.event(`charge.dispute.${name}`, world.stripe.disputeOf(id, status));
    await world.deliver('stripe', await dispute('funds_withdrawn', 'needs_response'));
    expect([await debt(), await lent()]).toEqual([700, -1400]);
    await same();
    await settledByHand();
    expect([await debt(), await lent(), await world.harness.balance(world.ann.id)]).toEqual([0, 0, 500]);
    await same();
    await world.deliver('stripe', await dispute('funds_reinstated', 'won'));
    expect(await world.harness.balance(world.ann.id)).toBe(1700);
    await same();
  });

  test('E11 a debt that comes back, in part or let off by staff, leaves no account beside its orders', async () => {
    const id = await paidByStripe();
    await spend(0);
    await world.staff.api.adminPayments.refund({ params: { id }, body: { amount: 500, reason: 'Taken back' } });
    await world.harness.drainJobs();
    expect([await debt(), await lent()]).toEqual([1200, -2400]);
    await same();
    const owner = await world.harness.person('root', { permissions: ['admin.root'] });
    await owner.api.adminUsers.adjust({
      params: { id: world.ann.id },
      body: { direction: 'in', amount: 1000, reason: 'Let off most of it' },
    });
    expect([await debt(), await lent()]).toEqual([200, -400]);
    await same();
    await settledByHand();
    expect([await debt(), await lent()]).toEqual([0, 0]);
    await same();
  });

  test('E11 after an event with a wrong amount the order is checked again, and paid once the gateway reports the right one', async () => {
    const id = await world.order();
    const session = world.stripe.pay(id);
    Object.assign(session, { amount_total: 499 });
    await world.deliver('stripe', await world.stripe.event('checkout.session.completed', session));
    expect([await world.state(id), await world.harness.balance(world.ann.id)]).toEqual(['pending', 0]);
    await world.pass(30 * MINUTE);
    expect(await world.state(id)).toBe('pending');
    Object.assign(session, { amount_total: 500 });
    await world.pass(DAY);
    expect([await world.state(id), await world.harness.balance(world.ann.id)]).toEqual(['paid', 1200]);
    expect((await world.staff.api.adminPayments.problems()).problems).toEqual([]);
  });
});
