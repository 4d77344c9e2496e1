import type { EventContent, SignedEvent } from '#server/modules/payments/index.ts';
import { anybody, command, stepOf, userOf, type Story } from '../command.ts';
import { DAY } from '#shared/time.ts';
import { CURRENCY, paymentOf } from '../outside.ts';
import type { Plain, PlainOrder } from '../plain.ts';
import { asOwner, caller } from './caller.ts';

const BANK = 'system:payment.stripe';
const OPEN_ORDERS = 5;
/** How long an unpaid order is asked about; looked at after that, it expires. */
const ASKED_FOR_MS = 14 * DAY;
const RANK = { open: 1, taken: 2, lost: 3, won: 4 } as const;
const DISPUTES = ['open', 'taken', 'lost', 'won'] as const;

/** Brings the credits of a paid order in line with its refunds and disputes. */
function matchCredits(plain: Plain, order: PlainOrder): void {
  if (!order.credited) return;
  const gone = order.dispute?.state === 'taken' || order.dispute?.state === 'lost' ? order.amount : 0;
  const share = Math.min(order.amount, order.refunded + gone);
  const clawedBack = Math.ceil((order.credits * share) / order.amount);
  const difference = clawedBack - order.clawedBack;
  order.clawedBack = clawedBack;
  if (difference > 0) plain.chargeBack(order.user.index, difference, BANK);
  if (difference < 0) plain.giveBack(order.user.index, -difference, BANK);
}

function credit(plain: Plain, order: PlainOrder): void {
  if (order.credited) return;
  order.credited = true;
  const { index } = order.user;
  plain.transfer([BANK, `user:${index}`, order.credits]);
  const debt = Math.min(order.credits, plain.balance(`debt:${index}`), plain.balance(`user:${index}`));
  if (debt > 0) plain.transfer([`debt:${index}`, 'system:debt', debt], [`user:${index}`, 'system:debt', debt]);
  matchCredits(plain, order);
}

/** Id of an order: the user's n-th. */
async function idOf({ plain, world }: Story, order: PlainOrder): Promise<string> {
  const at = [...plain.orders.values()].filter(({ user }) => user === order.user).indexOf(order);
  const rows = await world.database.read(({ raw }) =>
    raw.all<{ id: string }>('SELECT id FROM payment_orders WHERE user_id = ? ORDER BY id', [
      world.players[order.user.index]?.userId ?? '',
    ]),
  );
  return rows[at]?.id ?? '';
}

/** An order for credits. It is recorded, then opened at the bank. */
const place = command({
  name: 'order',
  weight: 1,
  draw: (plain, random) => ({
    user: anybody(plain, random),
    price: 100 + random.int(900),
    rate: random.chance(0.9) ? 100 : 101,
  }),
  bind(story, { user: index, price, rate }, step) {
    const { plain, world } = story;
    const record = () => {
      const user = userOf(plain, index);
      plain.orders.set(step, {
        user,
        amount: price,
        credits: price,
        placedMs: plain.now(),
        expired: false,
        credited: false,
        bankPaid: false,
        bankRefunded: 0,
        refunded: 0,
        asked: 0,
        dispute: null,
        clawedBack: 0,
      });
    };
    return {
      run: () =>
        world.asking.payments.create(caller(story, index, step, `${price} ${rate}`), {
          provider: 'stripe',
          price_minor: price,
          currency: CURRENCY,
          rate,
        }),
      rule() {
        if (rate !== 100) return 'PRICE_CHANGED';
        const waiting = [...plain.orders.values()].filter(
          ({ user, credited, expired }) => user.index === index && !credited && !expired,
        ).length;
        if (waiting >= OPEN_ORDERS) return 'TOO_MANY_ORDERS';
        record();
        return null;
      },
      broken(commits) {
        if (commits > 0) record();
      },
    };
  },
});

/** What a notice of the bank does once it is carried out. */
type Effect = () => void;

/** Sends a notice of the bank; it and those that wait from before are carried out, as by the job. */
async function send({ world }: Story, eventId: string, notice: EventContent): Promise<void> {
  const event: SignedEvent = { eventId, type: notice.kind, content: notice, payload: '' };
  await world.asking.payments.receiveWebhook('stripe', {
    body: new TextEncoder().encode(JSON.stringify(event)),
    header: () => null,
  });
  const rows = await world.database.read(({ raw }) =>
    raw.all<{ id: string }>("SELECT id FROM payment_events WHERE outcome = 'received' ORDER BY id"),
  );
  for (const { id } of rows) await world.asking.payments.applyEvent(id);
}

function noticed(story: Story, step: number, makeNotice: () => Promise<EventContent>, effect: Effect) {
  const { waiting } = story.plain;
  return {
    run: async () => send(story, `event-${step}`, await makeNotice()),
    rule() {
      for (const each of [...waiting.splice(0), effect]) each();
      return null;
    },
    broken(commits: number) {
      if (commits === 0) return;
      waiting.push(effect);
      for (const each of waiting.splice(0, commits - 1)) each();
    },
  };
}

/** The bank tells that an order was paid, rightly or not, perhaps once more. */
const paid = command({
  name: 'paid',
  weight: 1.5,
  draw(plain, random) {
    const order = stepOf(plain.orders, random);
    return order === null ? null : { order, wrong: random.chance(0.15) };
  },
  bind(story, { order: number, wrong }, step) {
    const { plain, world } = story;
    const order = plain.orders.get(number);
    if (!order) return null;
    const notice = async (): Promise<EventContent> => {
      const id = await idOf(story, order);
      if (!wrong) world.outside.paid.add(id);
      const facts = paymentOf({ id, userId: world.players[order.user.index]?.userId ?? '', amount: order.amount });
      return { kind: 'paid', ...facts, amount: wrong ? facts.amount - 1 : facts.amount };
    };
    // The bank has the money whether its notice reaches us or not.
    const bank = () => {
      order.bankPaid ||= !wrong;
    };
    const action = noticed(story, step, notice, () => (wrong ? undefined : credit(plain, order)));
    return {
      ...action,
      rule: () => (bank(), action.rule()),
      broken: (commits: number) => (bank(), action.broken(commits)),
    };
  },
});

type Said = NonNullable<PlainOrder['dispute']>;
const tells = ({ state }: Said): boolean => state !== 'open';

/** What counts of a dispute: of what was said of the money the latest, in one moment the furthest. */
function ruled(known: Said | null, said: Said): Said {
  if (!known || (!tells(known) && tells(said))) return said;
  if (!tells(said)) return known;
  if (said.atMs === known.atMs) return RANK[said.state] > RANK[known.state] ? said : known;
  if (said.atMs < known.atMs) return known;
  return known.state === 'lost' && said.state === 'taken' ? { ...said, state: 'lost' } : said;
}

const dispute = command({
  name: 'dispute',
  weight: 1.2,
  draw(plain, random) {
    const order = stepOf(plain.orders, random);
    return order === null
      ? null
      : { order, state: random.int(DISPUTES.length), late: random.pick([0, 0, 1, 60_000, 3_600_000]) };
  },
  bind(story, { order: number, state: at, late }, step) {
    const { plain } = story;
    const order = plain.orders.get(number);
    const state = DISPUTES[at];
    if (!order || !state) return null;
    // Some of what the bank says was said long before it arrives.
    const atMs = plain.now() - late;
    const notice = async (): Promise<EventContent> => {
      const id = await idOf(story, order);
      return {
        kind: 'dispute',
        disputeId: `dispute-${id}`,
        paymentRef: `pay-${id}`,
        amount: order.amount,
        currency: CURRENCY,
        state,
        atMs,
      };
    };
    return noticed(story, step, notice, () => {
      order.dispute = ruled(order.dispute, { state, atMs });
      matchCredits(plain, order);
    });
  },
});

/** How the bank says that an order stands, taken over. */
function inLine(plain: Plain, order: PlainOrder): void {
  if (!order.bankPaid) return;
  credit(plain, order);
  order.refunded = Math.min(order.amount, order.bankRefunded);
  matchCredits(plain, order);
}

/** Staff give money back: recorded, then asked of the bank, whose word takes the credits. */
const refund = command({
  name: 'refundMoney',
  weight: 0.7,
  draw(plain, random) {
    const order = stepOf(plain.orders, random);
    return order === null
      ? null
      : { order, by: anybody(plain, random), amount: 1 + random.int(random.pick([50, 1000])) };
  },
  bind(story, { order: number, by, amount }, step) {
    const { plain, world } = story;
    const order = plain.orders.get(number);
    if (!order) return null;
    return {
      async run() {
        const { payments } = world.asking;
        const { id } = await payments.refund(
          asOwner(caller(story, by, step, `${number} ${amount}`)),
          await idOf(story, order),
          { amount, reason: 'a reason' },
        );
        await payments.executeRefund(id);
      },
      rule() {
        if (!order.credited) return 'CONFLICT';
        if (amount > Math.max(0, order.amount - order.refunded - order.asked)) return 'VALIDATION_FAILED';
        order.bankRefunded += amount;
        inLine(plain, order);
        return null;
      },
      // The bank gave it back; what was asked of it stays open here until the job asks again.
      broken(commits) {
        if (commits === 0) return;
        order.bankRefunded += amount;
        order.asked += amount;
      },
    };
  },
});

/** The product asks the bank how an order stands: what notices that were lost would have said. */
const look = command({
  name: 'lookAtBank',
  weight: 0.5,
  draw(plain, random) {
    const order = stepOf(plain.orders, random);
    return order === null ? null : { order };
  },
  bind(story, { order: number }) {
    const { plain, world } = story;
    const order = plain.orders.get(number);
    if (!order) return null;
    return {
      run: async () => world.asking.payments.sync(await idOf(story, order)),
      rule() {
        inLine(plain, order);
        if (!order.credited && plain.now() - order.placedMs > ASKED_FOR_MS) order.expired = true;
        return null;
      },
    };
  },
});

export const PAYMENTS = [place, paid, dispute, refund, look];
