import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { call } from '#tests/support/call.ts';
import { atOnce, codeOf, coinWorld, nth, type CoinWorld } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openPayWorld, type PayWorld } from '#tests/support/payments.ts';

// Attacks whose own tests go one after the other, fifty at once. Closing a world proves its ledger.
setDefaultTimeout(300_000);
let world: { close(): Promise<void> };
afterEach(() => world.close());

async function pays(engine: 'sqlite' | 'postgres'): Promise<PayWorld> {
  const opened = await openPayWorld(engine);
  world = opened;
  return opened;
}
async function coinsOf(engine: 'sqlite' | 'postgres'): Promise<CoinWorld> {
  const opened = await coinWorld(engine);
  world = opened;
  return opened;
}

describe.each([...ENGINES])('fifty at once on %s', (engine) => {
  test('T5 events of a small payment that claim a large order pay only the small one, once, among those that say the truth', async () => {
    const { harness, stripe, ann, order, send, state } = await pays(engine);
    const large = await order();
    const { id: small } = await ann.api.payments.create({
      body: { provider: 'stripe', price_minor: 100, currency: 'EUR', rate: 100 },
    });
    const session = stripe.pay(small);
    const metadata = { ...session.metadata, order_id: large };
    const claims = [
      { client_reference_id: large },
      { client_reference_id: large, metadata },
      { client_reference_id: large, metadata, id: stripe.session(large).id },
      { metadata },
      {},
    ];
    const notices = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        stripe.event('checkout.session.completed', { ...session, ...nth(claims, n % 5) }),
      ),
    );
    expect(new Set(await Promise.all(notices.map((notice) => send('stripe', notice))))).toEqual(new Set([200]));
    await Promise.all([1, 2, 3].map(() => harness.host.runner.runDue()));
    await harness.drainJobs();
    expect([await state(small), await state(large), await harness.balance(ann.id)]).toEqual(['paid', 'pending', 100]);
  });

  test('T6 the return page of an unpaid order pays nothing, asked and opened by many, and of a paid one it pays once', async () => {
    const { harness, stripe, ann, order, state } = await pays(engine);
    const [unpaid, paid] = [await order(), await order()];
    stripe.pay(paid);
    const visit = (id: string) =>
      Promise.all([
        call(harness, ann, 'GET', `/api/payments/orders/${id}`),
        call(harness, ann, 'POST', `/api/payments/orders/${id}/check`),
      ]);
    await Promise.all(Array.from({ length: 50 }, (_, n) => visit(n % 2 === 0 ? unpaid : paid)));
    expect(await harness.balance(ann.id)).toBe(0);
    await Promise.all([1, 2, 3].map(() => harness.host.runner.runDue()));
    await harness.drainJobs();
    expect([await state(unpaid), await state(paid), await harness.balance(ann.id)]).toEqual(['pending', 'paid', 1200]);
  });

  test('T3 a code that is switched off amid fifty tries counts who got it, and nobody gets it afterwards', async () => {
    const { person, code, redeem, db, uow, ledger } = await coinsOf(engine);
    const id = await code('SHORTLIVED', { credits: 10, uses: 50 });
    const people = await Promise.all(Array.from({ length: 51 }, () => person()));
    const [tally] = await Promise.all([
      atOnce(50, (n) => redeem.redeem(nth(people, n), 'SHORTLIVED')),
      db.sql('UPDATE redeem_codes SET enabled = 0 WHERE id = ? RETURNING id', [id]),
    ]);
    const { ok = 0, CODE_DISABLED: off = 0 } = tally;
    expect(ok + off).toBe(50);
    expect(await codeOf(redeem.redeem(nth(people, 50), 'SHORTLIVED'))).toBe('CODE_DISABLED');
    expect(await db.sql('SELECT uses_count FROM redeem_codes')).toEqual([{ uses_count: ok }]);
    expect(-(await uow.read((tx) => ledger.balance(tx, 'system:reward.redeem')))).toBe(10 * ok);
  });

  test('T11 a price that changes amid fifty purchases has each pay the price it was shown, or nothing', async () => {
    const { person, item, store, db, balance, limitsOf } = await coinsOf(engine);
    const ann = await person(100_000);
    const { id, quantity } = await item('disk');
    const before = (await limitsOf(ann)).disk;
    const [tally] = await Promise.all([
      atOnce(50, () => store.buy(ann, { itemId: id, units: 1, price: 200 })),
      db.sql('UPDATE store_items SET price = 1 WHERE id = ? RETURNING id', [id]),
    ]);
    const { ok = 0, PRICE_CHANGED: changed = 0 } = tally;
    expect(ok + changed).toBe(50);
    expect(await codeOf(store.buy(ann, { itemId: id, units: 1, price: 200 }))).toBe('PRICE_CHANGED');
    expect([await balance(ann), (await limitsOf(ann)).disk]).toEqual([100_000 - 200 * ok, before + quantity * ok]);
  });
});
