import { DomainError } from '#shared/errors.ts';
import { can } from '#shared/permissions.ts';
import type { SettingValues } from '#shared/settings.ts';
import type { SignedIn } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import type { PaymentDeps } from './deps.ts';
import type { Order, ReceiptFacts } from './ports.ts';

/** Digits a receipt's number has at least. */
const DIGITS = 6;

/**
 * Gives a paid order the next number and keeps who sold to whom as it is today: a receipt does not change when the
 * company moves. Number and payment are one transaction, so that there are no gaps.
 */
export async function issueReceipt(
  { clock, settings }: Pick<PaymentDeps, 'clock' | 'settings'>,
  tx: Tx,
  order: Order,
): Promise<void> {
  const values = settings.current();
  const number = await tx.payments.nextNumber('receipt');
  const facts: ReceiptFacts = {
    seller: sellerOf(values),
    customer: (await tx.payments.customer(order.userId)) ?? { name: '', username: '', email: '' },
  };
  const label = `${values.receipt_prefix}${String(number).padStart(DIGITS, '0')}`;
  await tx.payments.addReceipt(order.id, { number, label, facts, issuedMs: clock.now() });
}

function sellerOf(values: SettingValues): ReceiptFacts['seller'] {
  const town = [values.company_zip, values.company_city].filter(Boolean).join(' ');
  const region = [values.company_state, values.company_country].filter(Boolean).join(', ');
  return {
    name: values.company_name || values.app_name,
    lines: [values.company_address, town, region].filter(Boolean),
    vat: values.company_vat,
  };
}

/** The receipt of an order as it is shown. Amounts in minor units, `taxRate` in hundredths of a percent. */
export interface OrderReceipt
  extends
    ReceiptFacts,
    Pick<Order, 'provider' | 'label' | 'credits' | 'bonus' | 'currency' | 'tax' | 'taxRate' | 'amount' | 'refunded'> {
  readonly number: string;
  readonly issuedMs: number;
  readonly orderId: string;
  /** Without the tax. */
  readonly net: number;
}

/**
 * The receipt of an order, for its customer and for staff who may see payments. Throws NOT_FOUND for everybody else,
 * and where none was issued.
 */
export function receiptOf(
  { uow }: Pick<PaymentDeps, 'uow'>,
  { actor }: SignedIn,
  orderId: string,
): Promise<OrderReceipt> {
  return uow.read(async (tx) => {
    const order = await tx.payments.order(orderId);
    const receipt = await tx.payments.receipt(orderId);
    if (!order || !receipt || !(order.userId === actor.userId || can(actor.permissions, 'admin.payments.view')))
      throw new DomainError('NOT_FOUND');
    const { provider, label, credits, bonus, currency, tax, taxRate, amount, refunded } = order;
    return {
      ...receipt.facts,
      number: receipt.label,
      issuedMs: receipt.issuedMs,
      orderId,
      provider,
      label,
      credits,
      bonus,
      currency,
      net: amount - tax,
      tax,
      taxRate,
      amount,
      refunded,
    };
  });
}
