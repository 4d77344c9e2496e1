import type { PaymentElsewhere } from '../imports/ports.ts';
import type { Money } from '#shared/money.ts';
import type { CreatedCursor } from '../export-steps.ts';
import type { OrderState, Provider } from '#shared/schemas/payment.ts';

/** A package that is sold. Price in minor units, tax included. */
export interface CreditPackage {
  readonly id: string;
  readonly name: string;
  readonly priceMinor: number;
  readonly currency: string;
  readonly credits: number;
  readonly bonus: number;
}

/** An order, as it was shown and as it stands. Money in minor units of `currency`. */
export interface Order {
  readonly id: string;
  /** What a person writes on a transfer: eight signs, the only ones of their kind. */
  readonly code: string;
  readonly userId: string;
  readonly provider: Provider;
  readonly state: OrderState;
  readonly packageId: string | null;
  /** Name of the package as it was shown; null for a free amount. */
  readonly label: string | null;
  readonly currency: string;
  readonly amount: number;
  readonly tax: number;
  /** Hundredths of a per cent. */
  readonly taxRate: number;
  readonly credits: number;
  readonly bonus: number;
  /** Credits for a whole unit of money, with a free amount. */
  readonly rate: number | null;
  readonly locale: string;
  /** The gateway's name of the checkout (session, order), and of the payment itself (payment intent, capture). */
  readonly ref: string | null;
  readonly paymentRef: string | null;
  readonly payUrl: string | null;
  readonly failure: string | null;
  /** The ledger's transaction that paid the credits, once for good. */
  readonly creditedTx: string | null;
  /** Credits that refunds and disputes took back. */
  readonly clawedBack: number;
  /** How often credits were clawed back or returned: part of those movements' references. */
  readonly moves: number;
  /** Money given back so far. */
  readonly refunded: number;
  /** Counts changes, so that an older answer of the gateway does not undo a newer one. */
  readonly revision: number;
  /** How often the gateway was asked, and when to ask next. */
  readonly checks: number;
  readonly nextCheckMs: number | null;
  readonly createdMs: number;
  readonly expiresMs: number | null;
  readonly paidMs: number | null;
}
export type OrderPatch = Partial<
  Pick<
    Order,
    | 'state'
    | 'ref'
    | 'paymentRef'
    | 'payUrl'
    | 'failure'
    | 'creditedTx'
    | 'clawedBack'
    | 'moves'
    | 'refunded'
    | 'checks'
    | 'nextCheckMs'
    | 'expiresMs'
    | 'paidMs'
  >
>;

export type EventOutcome = 'received' | 'applied' | 'ignored' | 'waiting' | 'unknown' | 'mismatch';
export interface StoredEvent {
  readonly id: string;
  readonly provider: Provider;
  readonly eventId: string;
  readonly type: string;
  readonly orderId: string | null;
  readonly outcome: EventOutcome;
  readonly reason: string | null;
  readonly content: EventContent;
  /** What came, without persons, at most 4 KB. */
  readonly payload: string;
  readonly receivedMs: number;
}

/** `inquiry` and `open`: flagged, no money moved; `taken`, `lost`: the money is gone; `won`: it is back. */
export type DisputeState = 'inquiry' | 'open' | 'taken' | 'lost' | 'won';
export interface Dispute {
  readonly provider: Provider;
  readonly disputeId: string;
  readonly paymentRef: string;
  readonly amount: number;
  readonly currency: string;
  readonly state: DisputeState;
  /** When its gateway said so. */
  readonly updatedMs: number;
}
export interface Refund {
  readonly id: string;
  readonly orderId: string;
  readonly amount: number;
  readonly state: 'requested' | 'done' | 'failed';
  readonly reason: string;
  readonly actorId: string | null;
  readonly failure: string | null;
  readonly createdMs: number;
}
/** What a receipt keeps from the moment it was issued. */
export interface ReceiptFacts {
  readonly seller: { readonly name: string; readonly lines: readonly string[]; readonly vat: string };
  readonly customer: { readonly name: string; readonly username: string; readonly email: string };
}
interface StoredReceipt {
  readonly number: number;
  readonly label: string;
  readonly facts: ReceiptFacts;
  readonly issuedMs: number;
}
/** Something that was not settled by itself: staff look at it and have it tried again. */
export interface Problem {
  readonly kind: 'event' | 'order';
  /** Of the event, or of the order. */
  readonly id: string;
  readonly provider: Provider;
  readonly orderId: string | null;
  /** The order's package; null for a free amount, or where no order is known. */
  readonly label: string | null;
  /** The gateway's name of the event. */
  readonly type: string | null;
  readonly reason: string;
  readonly atMs: number;
}
/** Which orders are asked for. */
export interface OrderFilter {
  readonly userId?: string | undefined;
  readonly state?: OrderState | undefined;
  /** `imported`: those that were brought from another dashboard, and no others. */
  readonly provider?: Provider | 'imported' | undefined;
  /** Beginning of a username, or an id or reference as a whole. */
  readonly q?: string | undefined;
}
export interface OrderQuery extends OrderFilter {
  readonly sort: { readonly by: 'created' | 'amount'; readonly dir: 'asc' | 'desc' };
  readonly offset: number;
  readonly limit: number;
}
export interface ListedOrder extends Order {
  readonly username: string | null;
  /** Label of the receipt, if there is one. */
  readonly receipt: string | null;
}

/** A payment at another dashboard with who paid it there. */
export interface ListedElsewhere extends PaymentElsewhere {
  readonly userId: string;
  readonly username: string | null;
}

/** A payment of either kind, with the time that lists of both order it by: 0 where it is not known. */
export type ListedPayment = CreatedCursor &
  (
    | { readonly order: ListedOrder; readonly elsewhere: null }
    | { readonly order: null; readonly elsewhere: ListedElsewhere }
  );

/** What payments ask of the database. */
export interface PaymentsRepo {
  packages(): Promise<CreditPackage[]>;
  package(id: string): Promise<CreditPackage | null>;
  addOrder(order: Order): Promise<void>;
  order(id: string): Promise<Order | null>;
  /** The order, its row locked for the rest of the transaction (PostgreSQL). */
  lockOrder(id: string): Promise<Order | null>;
  /** Whether an order has this code. */
  hasCode(code: string): Promise<boolean>;
  /** Orders of a user that wait for money; the user's row is locked, so that of many at once each is counted. */
  openOrders(userId: string): Promise<number>;
  /** Changes an order and counts its revision up. False where a reference belongs to another order already. */
  patchOrder(id: string, patch: OrderPatch, nowMs: number): Promise<boolean>;
  byRef(provider: Provider, ref: string): Promise<Order | null>;
  byPayment(provider: Provider, paymentRef: string): Promise<Order | null>;
  /** Orders whose gateway is to be asked by now. */
  due(nowMs: number, limit: number): Promise<Order[]>;
  /** Money that a user paid, by currency, without refunds and what is disputed, and from how many orders. */
  paidBy(userId: string): Promise<{ currency: string; minor: number; orders: number }[]>;
  /**
   * A page of payments. Where neither a user nor a state is asked for, payments at other dashboards stand among the
   * orders, by the same order: `elsewhere` are those of the page, and `total` counts both.
   */
  listOrders(query: OrderQuery): Promise<{ rows: ListedOrder[]; elsewhere: ListedElsewhere[]; total: number }>;
  /**
   * Payments behind one, the newest first; null: from the beginning. Where no state is asked for, also those at other
   * dashboards.
   */
  exportPayments(query: OrderFilter, after: CreatedCursor | null, limit: number): Promise<ListedPayment[]>;
  listed(id: string): Promise<ListedOrder | null>;
  /** Adds an event; false where it is known. */
  addEvent(event: StoredEvent): Promise<boolean>;
  event(id: string): Promise<StoredEvent | null>;
  /** The event, its row locked for the rest of the transaction (PostgreSQL). */
  lockEvent(id: string): Promise<StoredEvent | null>;
  endEvent(id: string, outcome: EventOutcome, reason: string | null, orderId: string | null): Promise<void>;
  /**
   * Has an event that could not be carried out, or whose order was unknown, wait for its job again; false where it has
   * no reason, or was carried out.
   */
  reopenEvent(id: string): Promise<boolean>;
  eventsOf(orderId: string): Promise<StoredEvent[]>;
  /** The dispute as known, its row locked; added as it is where it is new. */
  lockDispute(dispute: Dispute): Promise<Dispute>;
  /**
   * Events that could not be carried out, and orders whose payment could not be settled; changed since a moment, the
   * newest first.
   */
  problems(sinceMs: number, limit: number): Promise<Problem[]>;
  saveDispute(dispute: Dispute): Promise<void>;
  disputesOf(provider: Provider, paymentRef: string): Promise<Dispute[]>;
  addRefund(refund: Refund): Promise<void>;
  refund(id: string): Promise<Refund | null>;
  endRefund(
    id: string,
    state: 'done' | 'failed',
    failure: string | null,
    ref: string | null,
    nowMs: number,
  ): Promise<boolean>;
  refundsOf(orderId: string): Promise<(Refund & { readonly by: string | null })[]>;
  /** The next number of a sequence; taken back with the transaction, so that none is left out. */
  nextNumber(sequence: 'receipt'): Promise<number>;
  addReceipt(orderId: string, receipt: StoredReceipt): Promise<void>;
  receipt(orderId: string): Promise<StoredReceipt | null>;
  customer(
    userId: string,
  ): Promise<{ readonly name: string; readonly username: string; readonly email: string } | null>;
}

/** A payment as a gateway tells of it: everything that must be ours before credits move. */
export interface Paid {
  readonly orderId: string | null;
  readonly userId: string | null;
  readonly ref: string;
  readonly paymentRef: string;
  readonly amount: number;
  readonly currency: string;
  /** Account that was paid, where it is told; null where it is not. */
  readonly account: string | null;
  readonly live: boolean;
}
interface PaymentReferences {
  readonly orderId: string | null;
  readonly ref: string | null;
  readonly paymentRef: string | null;
}
interface DisputeReport {
  readonly disputeId: string;
  readonly paymentRef: string;
  readonly amount: number;
  readonly currency: string;
  readonly state: DisputeState;
  /** When it was said, by the gateway's clock; absent where it does not tell. */
  readonly atMs?: number | undefined;
}
/** What a signed event says, in our words. `check`: the gateway has to be asked about the order. */
export type EventContent =
  | ({ readonly kind: 'paid' } & Paid)
  /** `money`: the event says that money came. */
  | ({ readonly kind: 'check'; readonly money?: true } & PaymentReferences)
  | ({ readonly kind: 'approved' } & PaymentReferences)
  | ({ readonly kind: 'waiting' } & PaymentReferences)
  | ({ readonly kind: 'failed' } & PaymentReferences)
  | ({ readonly kind: 'expired' } & PaymentReferences)
  | ({ readonly kind: 'dispute' } & DisputeReport)
  | { readonly kind: 'ignored' };
export interface SignedEvent {
  readonly eventId: string;
  readonly type: string;
  readonly content: EventContent;
  readonly payload: string;
}
/** `unavailable`: could not be proven now; the gateway is to send it again. `off`: this gateway is not set up. */
export type WebhookVerification =
  | { readonly kind: 'signed'; readonly event: SignedEvent }
  | { readonly kind: 'forged'; readonly reason: string }
  | { readonly kind: 'unavailable' }
  | { readonly kind: 'off' };

/** How an order stands at its gateway. */
export type GatewayStatus =
  | { readonly kind: 'paid'; readonly paid: Paid; readonly refunded: number }
  | { readonly kind: 'open' | 'waiting' | 'failed' | 'expired' }
  /** It knows of no such checkout: forgotten because nobody paid it, or asked with keys of another account. */
  | { readonly kind: 'missing' }
  | { readonly kind: 'approved' }
  | { readonly kind: 'unknown' };
export type OpenResult =
  | { readonly kind: 'opened'; readonly ref: string; readonly url: string; readonly expiresMs: number | null }
  | { readonly kind: 'refused'; readonly reason: string }
  /**
   * `fresh`: the gateway answered with a fault of its own, which it would repeat for the same key; the next try needs
   * another.
   */
  | { readonly kind: 'unknown'; readonly reason: string; readonly fresh: boolean };
export type RefundResult =
  | { readonly kind: 'done'; readonly ref: string }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly reason: string };
export interface OpenRequest {
  readonly order: Order;
  /** Counts the tries that may not repeat the last one's answer. */
  readonly attempt: number;
  /** What stands on the gateway's page. */
  readonly title: string;
  /** Where the payer comes back to. It only watches. */
  readonly returnUrl: string;
  readonly cancelUrl: string;
}

/** Facts of a request that a gateway signs. */
export interface WebhookRequest {
  readonly body: Uint8Array<ArrayBuffer>;
  header(name: string): string | null;
}

/**
 * A gateway. Every call is bounded in time and tells three things apart: yes, no, and not known; what is not known
 * never pays. Commands may be sent again: they carry our own ids as idempotency keys.
 */
export interface Gateway {
  readonly provider: Provider;
  /** Set up and switched on. */
  ready(): boolean;
  /** Whether an amount can be paid there. */
  accepts(money: Money): boolean;
  /** Whether it is our account, in our mode. */
  isOwnPayment(paid: Paid): boolean;
  open(opening: OpenRequest): Promise<OpenResult>;
  verify(request: WebhookRequest): Promise<WebhookVerification>;
  readStatus(order: Order): Promise<GatewayStatus>;
  /** Our order behind a payment; null where it is none of ours. Throws where the gateway cannot be asked. */
  orderOf(paymentRef: string): Promise<string | null>;
  /** Takes the money of an order that its payer approved. False where that is not known. */
  capture(order: Order): Promise<boolean>;
  /** Ends a checkout nobody is to pay any more, if that is possible. */
  close(order: Order): Promise<void>;
  refund(order: Order, refund: Refund): Promise<RefundResult>;
  /**
   * What an order was paid with, as a name that is the same for everybody who pays with it (the fingerprint of a card,
   * an account there); null where that is not told. Absent: never told. Throws where the gateway cannot be asked.
   */
  paymentMethod?(order: Order): Promise<string | null>;
}
