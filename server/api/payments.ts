import type { Handlers } from '#server/http/implement.types.ts';
import type { Clock, Ids } from '#server/modules/kernel.ts';
import type {
  ListedElsewhere,
  ListedOrder,
  ListedPayment,
  OrderReceipt,
  PaymentDetails,
  Payments,
} from '#server/modules/payments/index.ts';
import type { PaymentElsewhere } from '#server/modules/imports/index.ts';
import type {
  OrderView,
  PaymentElsewhereView,
  Receipt,
  adminPayments,
  payments as contract,
  webhooks,
} from '#shared/contract/payments.ts';
import { dayOfFile, mapParts, toCsvParts } from './admin/csv.ts';
import type { Locale } from '#shared/i18n/locales.ts';
import { pageOf } from '#shared/schemas/primitives.ts';
import type { SettingValues } from '#shared/settings.ts';
import { isCurrency } from '#shared/currencies.ts';
import { parseDecimal } from '#shared/money.ts';
import { iso } from '#shared/time.ts';

interface Services {
  readonly payments: Payments;
  readonly settings: { current(): SettingValues };
  readonly ids: Ids;
  readonly clock: Clock;
  /** The receipt as a PDF, in a language. */
  readonly printReceipt: (receipt: Receipt, locale: Locale, timeZone: string) => Promise<Uint8Array<ArrayBuffer>>;
}

/** The endpoints of buying credits (behaviour 5.3): for players, gateways and staff. */
export function paymentHandlers(services: Services): {
  payments: Handlers<typeof contract>;
  webhooks: Handlers<typeof webhooks>;
  adminPayments: Handlers<typeof adminPayments>;
} {
  const { payments } = services;
  return {
    payments: playerHandlers(services),
    webhooks: {
      stripe: (ctx, { body }) => payments.receiveWebhook('stripe', { body, header: ctx.header }),
      paypal: (ctx, { body }) => payments.receiveWebhook('paypal', { body, header: ctx.header }),
    },
    adminPayments: staffHandlers(services),
  };
}

/** A payment at another dashboard; its money is text there, with a sign where it went back. */
function toElsewhere({ paidMs, amount, ...payment }: PaymentElsewhere): PaymentElsewhereView {
  const size = amount === null ? null : parseDecimal(amount.replace(/^-/, ''), payment.currency);
  return {
    ...payment,
    amount: size !== null && amount?.startsWith('-') ? -size : size,
    paid_at: paidMs === null ? null : iso(paidMs),
  };
}

/** A receipt as it is sent, and as it is printed. */
const toReceipt = ({ issuedMs, orderId, taxRate, seller, ...receipt }: OrderReceipt): Receipt => ({
  ...receipt,
  issued_at: iso(issuedMs),
  order: orderId,
  seller: { ...seller, lines: [...seller.lines] },
  tax_rate: taxRate,
});

function playerHandlers({ payments, settings, ids, printReceipt }: Services): Handlers<typeof contract> {
  const view = (order: ListedOrder): OrderView => toOrderView(order, settings.current());
  return {
    offer: async (ctx) => {
      const { packages, free, providers, taxRate, balance, debt } = await payments.offer(ctx);
      return {
        packages: packages.map(({ id, name, priceMinor, currency, tax, credits, bonus, providers: ways }) => ({
          id,
          name,
          amount: priceMinor,
          currency,
          tax,
          credits,
          bonus,
          providers: ways,
        })),
        free,
        providers,
        tax_rate: taxRate,
        balance,
        debt,
      };
    },
    create: async (ctx, { body }) => {
      const { id, payUrl } = await payments.create(ctx, body);
      return { id, pay_url: payUrl };
    },
    mine: async (ctx, { query }) => {
      const { page, perPage } = pageOf(query);
      const { rows, total } = await payments.list({
        userId: ctx.actor.userId,
        sort: { by: 'created', dir: 'desc' },
        offset: (page - 1) * perPage,
        limit: perPage,
      });
      const elsewhere = (await payments.listElsewhere(ctx.actor.userId)).map(toElsewhere);
      return { rows: rows.map(view), paging: { page, per_page: perPage, total }, elsewhere };
    },
    order: async (ctx, { params }) => {
      const { order, balance } = await payments.order(ctx, params.id);
      return { order: view(order), balance };
    },
    check: (ctx, { params }) => payments.check(ctx, params.id),
    cancel: (ctx, { params }) => payments.cancel(ctx, params.id),
    receipt: async (ctx, { params }) => ({ receipt: toReceipt(await payments.receipt(ctx, params.id)) }),
    receiptPdf: async (ctx, { params }) => {
      const receipt = toReceipt(await payments.receipt(ctx, params.id));
      const zone = settings.current().app_timezone;
      return {
        type: 'application/pdf',
        body: await printReceipt(receipt, ctx.locale, zone),
        filename: `${receipt.number}.pdf`,
        version: ids.hash(`${JSON.stringify(receipt)} ${ctx.locale} ${zone}`).slice(0, 32),
      };
    },
  };
}

type Filter = Pick<Parameters<Handlers<typeof adminPayments>['list']>[1]['query'], 'q' | 'state' | 'provider' | 'user'>;
const toFilter = ({ q, state, provider, user }: Filter) => ({ state, provider, userId: user, q: q?.trim() });

/** The columns of the file. */
const FIELDS = [
  'id',
  'code',
  'receipt',
  'state',
  'user',
  'provider',
  'ref',
  'payment_ref',
  'label',
  'currency',
  'amount_minor',
  'tax_minor',
  'refunded_minor',
  'credits',
  'bonus',
  'created_at',
  'paid_at',
  'imported_from',
] as const;
type CsvRow = Readonly<Partial<Record<(typeof FIELDS)[number], string | number | null>>>;
const orderCells = (order: ListedOrder): CsvRow => ({
  id: order.id,
  code: formatOrderCode(order.code),
  receipt: order.receipt,
  state: order.state,
  user: order.username,
  provider: order.provider,
  ref: order.ref,
  payment_ref: order.paymentRef,
  label: order.label,
  currency: order.currency,
  amount_minor: order.amount,
  tax_minor: order.tax,
  refunded_minor: order.refunded,
  credits: order.credits,
  bonus: order.bonus,
  created_at: iso(order.createdMs),
  paid_at: iso(order.paidMs),
});
/** A payment at another dashboard: state and provider are its words. */
function elsewhereCells({ username, ...payment }: ListedElsewhere): CsvRow {
  const { amount, ...view } = toElsewhere(payment);
  return {
    id: view.id,
    state: view.status,
    user: username,
    provider: view.gateway,
    ref: view.reference,
    currency: view.currency,
    // What is no currency was read with two decimals.
    amount_minor: amount === null || isCurrency(view.currency) ? amount : amount / 100,
    credits: view.credits,
    paid_at: view.paid_at,
    imported_from: view.product,
  };
}
const toCsvRow = ({ order, elsewhere }: ListedPayment): CsvRow =>
  order ? orderCells(order) : elsewhereCells(elsewhere);

function staffHandlers({ payments, settings, clock }: Services): Handlers<typeof adminPayments> {
  const toListed = (order: ListedOrder) => ({
    ...toOrderView(order, settings.current()),
    user: order.username === null ? null : { id: order.userId, username: order.username },
  });
  return {
    list: async (_, { query }) => {
      const { page, perPage } = pageOf(query);
      const sort = query.sort ?? '-created_at';
      const { rows, elsewhere, total } = await payments.list({
        ...toFilter(query),
        sort: { by: sort.endsWith('amount') ? 'amount' : 'created', dir: sort.startsWith('-') ? 'desc' : 'asc' },
        offset: (page - 1) * perPage,
        limit: perPage,
      });
      return {
        rows: rows.map(toListed),
        paging: { page, per_page: perPage, total },
        elsewhere:
          query.user === undefined
            ? elsewhere.map(({ userId, username, ...payment }) => ({
                ...toElsewhere(payment),
                user: username === null ? null : { id: userId, username },
              }))
            : (await payments.listElsewhere(query.user)).map(toElsewhere),
      };
    },
    exportCsv: async (ctx, { query }) => {
      const parts = await payments.exportAll(ctx, toFilter(query), ctx.signal);
      return {
        filename: `payments-${dayOfFile(ctx, { clock, settings })}.csv`,
        body: toCsvParts(FIELDS, mapParts(parts, toCsvRow)),
      };
    },
    get: async (_, { params }) => {
      const details = await payments.details(params.id);
      const { order } = details;
      return {
        payment: {
          ...toListed(order),
          ref: order.ref,
          payment_ref: order.paymentRef,
          clawed_back: order.clawedBack,
          failure: order.failure,
          refundable: details.refundable,
          confirmable: details.confirmable,
        },
        ...toRecords(details),
      };
    },
    problems: async () => ({
      problems: (await payments.problems()).map(({ kind, id, provider, orderId, label, type, reason, atMs }) => ({
        kind,
        id,
        provider,
        order: orderId,
        label,
        type,
        reason,
        at: iso(atMs),
      })),
    }),
    retryEvent: (ctx, { params }) => payments.retryEvent(ctx, params.id),
    unknown: async (_, { params }) => {
      const { event, user, paid, credits } = await payments.unmatchedPayment(params.id);
      const { id, eventId, provider, type, receivedMs, payload } = event;
      return {
        event: { id, event_id: eventId, provider, type, at: iso(receivedMs), payload },
        order: paid?.orderId ?? null,
        user,
        amount: paid?.amount ?? null,
        currency: paid?.currency ?? null,
        credits,
      };
    },
    credit: (ctx, { params, body }) => payments.creditUnmatched(ctx, params.id, body),
    dismiss: (ctx, { params, body }) => payments.dismissUnmatched(ctx, params.id, body.reason),
    check: (ctx, { params }) => payments.requestSync(ctx, params.id),
    confirm: async (ctx, { params, body }) => void (await payments.confirm(ctx, params.id, body.reason)),
    refund: (ctx, { params, body }) => payments.refund(ctx, params.id, body),
  };
}

function toRecords({ events, refunds, disputes }: PaymentDetails) {
  return {
    events: events.map(({ id, eventId, type, outcome, reason, receivedMs, payload }) => ({
      id,
      event_id: eventId,
      type,
      outcome,
      reason,
      at: iso(receivedMs),
      payload,
    })),
    refunds: refunds.map(({ id, amount, state, reason, by, failure, createdMs }) => ({
      id,
      amount,
      state,
      reason,
      by,
      failure,
      at: iso(createdMs),
    })),
    disputes: disputes.map(({ disputeId, amount, state, updatedMs }) => ({
      id: disputeId,
      amount,
      state,
      at: iso(updatedMs),
    })),
  };
}

/** The code of an order as `ABCD-EFGH`, so that it can be read aloud. */
const formatOrderCode = (code: string): string => (code.length === 8 ? `${code.slice(0, 4)}-${code.slice(4)}` : code);

function toOrderView(order: ListedOrder, values: SettingValues): OrderView {
  const { id, provider, state, label, currency, amount, tax, taxRate, credits, bonus, refunded, payUrl } = order;
  return {
    id,
    code: formatOrderCode(order.code),
    provider,
    state,
    label,
    currency,
    amount,
    tax,
    tax_rate: taxRate,
    credits,
    bonus,
    refunded,
    pay_url: payUrl,
    instructions: provider === 'manual' && state === 'pending' ? values.manual_payment_text : null,
    account:
      provider === 'manual' && state === 'pending' && values.manual_payment_account !== ''
        ? values.manual_payment_account
        : null,
    receipt: order.receipt,
    created_at: iso(order.createdMs),
    paid_at: iso(order.paidMs),
    expires_at: iso(order.expiresMs),
  };
}
