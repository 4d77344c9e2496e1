import { openHarness, type Harness, type Person } from './harness.ts';
import { PAYPAL, paypalStandIn, type PaypalStandIn } from './gateways/paypal.ts';
import { STRIPE_KEY, STRIPE_SECRET, stripeStandIn, type Notice, type StripeStandIn } from './gateways/stripe.ts';
import type { Engine } from './db.ts';
import { fakeClock } from './clock.ts';

export interface PayWorld {
  readonly harness: Harness;
  readonly stripe: StripeStandIn;
  readonly paypal: PaypalStandIn;
  readonly ann: Person;
  readonly staff: Person;
  /** A package of 5.00 EUR for 1000 credits and 200 on top. */
  readonly packageId: string;
  /** Orders the package. Gives the order's id. */
  order(provider?: 'stripe' | 'paypal' | 'manual', person?: Person): Promise<string>;
  /** Sends an event of a gateway. Gives the status. */
  send(to: 'stripe' | 'paypal', notice: Notice): Promise<number>;
  /** Sends and lets the jobs run. */
  deliver(to: 'stripe' | 'paypal', notice: Notice): Promise<number>;
  state(id: string, person?: Person): Promise<string>;
  /** Lets time pass, with what falls due. */
  pass(ms: number): Promise<void>;
  close(): Promise<void>;
}

export const PRICE = { price_minor: 500, currency: 'EUR', credits: 1200 } as const;

/** The product with both gateways standing in, one buyer and one of the staff. */
export async function openPayWorld(engine: Engine = 'sqlite'): Promise<PayWorld> {
  // The stand-ins have a clock of their own that follows the product's.
  const clock = fakeClock();
  const [stripe, paypal] = [stripeStandIn({ now: () => current() }), paypalStandIn({ now: () => current() })];
  let current = (): number => clock.now();
  // What comes round elsewhere has its own tests: days pass here in hundreds of steps.
  const harness = await openHarness({ engine, tasks: 'payments.' });
  current = () => harness.clock.now();
  await harness.set({
    outbound_private_networks: true,
    stripe_enabled: true,
    stripe_secret_key: STRIPE_KEY,
    stripe_webhook_secret: STRIPE_SECRET,
    stripe_api_url: stripe.url,
    paypal_enabled: true,
    paypal_client_id: PAYPAL.id,
    paypal_client_secret: PAYPAL.secret,
    paypal_webhook_id: PAYPAL.webhook,
    paypal_merchant_id: PAYPAL.merchant,
    paypal_api_url: paypal.url,
    manual_payments_enabled: true,
    manual_payment_text: 'Bring it to the desk.',
    tax_rate: 1900,
    company_name: 'Lanternwood SRL',
    company_vat: 'RO1',
    payment_open_orders: 100,
  });
  const ann = await harness.person('ann');
  const staff = await harness.person('staff', {
    permissions: ['admin.payments.list', 'admin.payments.view', 'admin.payments.edit', 'admin.credit.packages.create'],
  });
  const { id: packageId } = await staff.api.adminCreditPackages.create({
    body: { name: 'Starter', price_minor: 500, currency: 'EUR', credits: 1000, bonus: 200, position: 1, visible: true },
  });
  const send: PayWorld['send'] = async (to, { body, headers }) =>
    (await harness.http(`/api/webhooks/${to}`, { method: 'POST', body, headers })).status;
  return {
    harness,
    stripe,
    paypal,
    ann,
    staff,
    packageId,
    send,
    order: async (provider = 'stripe', person = ann) =>
      (await person.api.payments.create({ body: { provider, package_id: packageId, ...PRICE } })).id,
    async deliver(to, notice) {
      const status = await send(to, notice);
      await harness.drainJobs();
      return status;
    },
    state: async (id, person = ann) => (await person.api.payments.order({ params: { id } })).order.state,
    async pass(ms) {
      // In steps, so that what repeats falls due as often as it would.
      for (let step = 0; step < 24; step += 1) {
        harness.clock.advance(ms / 24);
        await harness.drainJobs();
      }
    },
    async close() {
      await stripe.stop();
      await paypal.stop();
      await harness.close();
    },
  };
}
