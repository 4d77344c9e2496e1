import {
  createPayments,
  type Gateway,
  type GatewayStatus,
  type EventContent,
  type OpenResult,
  type Order,
  type Paid,
  type WebhookVerification,
  type Refund,
  type RefundResult,
} from '#server/modules/payments/index.ts';
import type { SignedIn } from '#server/modules/kernel.ts';
import type { Provider } from '#shared/schemas/payment.ts';
import type { SettingValues } from '#shared/settings.ts';
import { coinWorld, withRights } from './coins.ts';
import type { Engine } from './db.ts';

export type BankWorld = Awaited<ReturnType<typeof bankWorld>>;

/** A gateway that answers what the test says, and keeps what it was asked. */
export function bankOf(provider: Provider) {
  const bank = {
    ready: true,
    accepts: true,
    ours: true,
    /** What it answers to an opening; null: a checkout named after the order. */
    opened: null as OpenResult | null,
    proof: { kind: 'off' } as WebhookVerification,
    /** How its orders stand; one that is not here is open. */
    says: new Map<string, GatewayStatus>(),
    /** Runs while it is asked how an order stands. */
    meanwhile: async () => {},
    orders: new Map<string, string>(),
    captured: true,
    refunded: { kind: 'done', ref: 're_1' } as RefundResult,
    means: null as string | null,
    asked: [] as string[],
  };
  const gateway: Gateway = {
    provider,
    ready: () => bank.ready,
    accepts: () => bank.accepts,
    isOwnPayment: () => bank.ours,
    async open({ order, attempt, title, returnUrl }) {
      bank.asked.push(`open ${order.id} ${attempt} ${title} ${returnUrl}`);
      return (
        bank.opened ?? { kind: 'opened', ref: `cs-${order.id}`, url: `https://bank.test/${order.id}`, expiresMs: 7 }
      );
    },
    verify: async () => bank.proof,
    async readStatus(order) {
      bank.asked.push(`status ${order.id}`);
      await bank.meanwhile();
      return bank.says.get(order.id) ?? { kind: 'open' };
    },
    async orderOf(paymentRef) {
      bank.asked.push(`order of ${paymentRef}`);
      return bank.orders.get(paymentRef) ?? null;
    },
    async capture(order) {
      bank.asked.push(`capture ${order.id}`);
      return bank.captured;
    },
    close: async (order) => void bank.asked.push(`close ${order.id}`),
    async refund(order: Order, refund: Refund) {
      bank.asked.push(`refund ${order.id} ${refund.amount}`);
      return bank.refunded;
    },
    paymentMethod: async () => bank.means,
  };
  return Object.assign(bank, { gateway });
}

/**
 * Payments alone over a fresh database, with two gateways that answer what the test says: for what is too rare or too
 * small to be shown through the whole product. One buyer, one of the staff, jobs that wait until the test asks for
 * them.
 */
export async function bankWorld(engine: Engine = 'sqlite') {
  const world = await coinWorld(engine);
  const { db, uow, clock, ids } = world;
  const [bank, paypal] = [bankOf('stripe'), bankOf('paypal')];
  const settings: { -readonly [K in keyof SettingValues]?: SettingValues[K] } = { manual_payments_enabled: true };
  const means: string[] = [];
  const emitted: string[] = [];
  const deps = {
    uow,
    long: db.database.long,
    clock,
    ids,
    log: db.log,
    ledger: world.ledger,
    settings: { current: () => ({ ...world.settings.current(), ...settings }) },
    events: {
      emit(...[tx, name, payload, ctx]: Parameters<typeof world.events.emit>) {
        emitted.push(`${name} ${JSON.stringify(payload)}`);
        return world.events.emit(tx, name, payload, ctx);
      },
    } as Pick<typeof world.events, 'emit'>,
    gateways: [bank.gateway, paypal.gateway],
    notePayment: async (_: unknown, userId: string, fingerprint: string) => void means.push(`${userId} ${fingerprint}`),
    appUrl: () => 'https://panel.example.com',
  };
  const payments = createPayments(deps);
  const ann = await world.person();
  const admin = await world.person();
  const role = { id: ids.uuid(), key: null, name: 'Till', color: '#888888', rank: 5, isDefault: false, createdMs: 0 };
  await uow.run(async (tx) => void (await tx.access.add(role, ['admin.payments.edit'])));
  await db.sql('UPDATE users SET role_id = ? WHERE id = ? RETURNING id', [role.id, admin.actor.userId]);
  const staff = withRights(admin, 'admin.dashboard.view', 'admin.payments.edit', 'admin.payments.view');

  const order = (id: string): Promise<Order> =>
    uow.read(async (tx) => {
      const found = await tx.payments.order(id);
      if (!found) throw new Error(`no order ${id}`);
      return found;
    });
  /** An order of 5.00 for 500 credits, opened. */
  const place = async (provider: Provider = 'stripe', buyer: SignedIn = ann, price_minor = 500) =>
    (await payments.create(buyer, { provider, price_minor, currency: 'EUR', rate: 100 })).id;
  const paidFor = async (id: string, over: Partial<Paid> = {}): Promise<Paid> => {
    const { userId, ref, amount, currency } = await order(id);
    const own = { orderId: id, userId, ref: ref ?? `cs-${id}`, paymentRef: `pi-${id}`, amount, currency };
    return { ...own, account: null, live: true, ...over };
  };
  const bankOfOrder = async (id: string) => ((await order(id)).provider === 'paypal' ? paypal : bank);
  return {
    ...world,
    payments,
    deps,
    bank,
    paypal,
    /** Changes of settings that hold at once. */
    settings,
    /** What staff were notified of, in its order: kind, data and key. */
    async notified(): Promise<string[]> {
      const rows = await db.sql<{ kind: string; data: string; unique_key: string | null }>(
        'SELECT kind, data, unique_key FROM notifications WHERE user_id = ? ORDER BY id',
        [admin.actor.userId],
      );
      return rows.map(({ kind, data, unique_key: key }) =>
        `${kind} ${data} ${key ?? ''}`.replace(`:${admin.actor.userId}`, ''),
      );
    },
    means,
    /** Events that payments emitted: name and payload. */
    emitted,
    ann,
    staff,
    order,
    place,
    paidFor,
    /** Has the gateway say that an order is paid, and asks it. */
    async pay(id: string, refunded = 0, over: Partial<Paid> = {}): Promise<void> {
      (await bankOfOrder(id)).says.set(id, { kind: 'paid', paid: await paidFor(id, over), refunded });
      await payments.sync(id);
    },
    /** Receives an event as a gateway signed it. Gives its id. */
    async take(
      content: EventContent,
      provider: 'stripe' | 'paypal' = 'stripe',
      eventId: string = ids.uuid(),
    ): Promise<string> {
      const from = provider === 'stripe' ? bank : paypal;
      from.proof = { kind: 'signed', event: { eventId, type: content.kind, content, payload: '{}' } };
      await payments.receiveWebhook(provider, { body: new Uint8Array(), header: () => null });
      const [row] = await db.sql<{ id: string }>('SELECT id FROM payment_events WHERE event_id = ?', [eventId]);
      return row?.id ?? '';
    },
    event: (id: string) => uow.read((tx) => tx.payments.event(id)),
    /** Jobs that wait, as `kind payload key`, and done with. */
    async jobs(): Promise<string[]> {
      const rows = await db.sql<{ kind: string; payload: string; unique_key: string | null; max_attempts: number }>(
        "SELECT kind, payload, unique_key, max_attempts FROM jobs WHERE kind LIKE 'payments.%' ORDER BY kind, id",
      );
      await db.sql("DELETE FROM jobs WHERE kind LIKE 'payments.%' RETURNING id");
      return rows.map((row) => `${row.kind} ${Object.values(JSON.parse(row.payload)).join(' ')} ×${row.max_attempts}`);
    },
    owed: (buyer: SignedIn = ann) => uow.read((tx) => world.ledger.balance(tx, `debt:${buyer.actor.userId}`)),
    account: (provider: Provider) => uow.read((tx) => world.ledger.balance(tx, `system:payment.${provider}`)),
    audited: async () =>
      (await db.sql<{ action: string }>('SELECT action FROM audit ORDER BY id')).map(({ action }) => action),
  };
}
