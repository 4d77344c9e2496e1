import { fromHtml, toMs, type PaymentRecord, type Source, type TicketRecord } from '../model.ts';

/** Priorities of ours by the words of the sources. */
export const PRIORITIES: Readonly<Record<string, TicketRecord['priority']>> = {
  low: 'low',
  medium: 'normal',
  normal: 'normal',
  high: 'high',
  urgent: 'urgent',
};

/** Lines of a ticket: rows with `author`, `text` and `at`. Who is not its user is staff. */
export function linesOf(
  { staging, zoneMs }: Source,
  { sql, ticket, owner }: { readonly sql: string; readonly ticket: string; readonly owner: string },
): TicketRecord['lines'] {
  return [...staging.rows<{ author: string | null; text: string | null; at: string | null }>(sql, ticket)].map(
    (row) => ({
      author: row.author,
      staff: row.author !== owner,
      text: fromHtml(row.text ?? ''),
      atMs: toMs(row.at, zoneMs),
    }),
  );
}

/** Ten-thousandths of a unit as text with two decimals; the rest is cut. */
function moneyOf(amount: bigint): string {
  const size = amount < 0n ? -amount : amount;
  return `${amount < 0n ? '-' : ''}${size / 10_000n}.${String((size % 10_000n) / 100n).padStart(2, '0')}`;
}

/** Emits a payment; amounts are ten-thousandths. */
export function putPayment(
  { put }: Source,
  id: string,
  payment: Omit<PaymentRecord, 'amount' | 'credits'> & {
    readonly amount: bigint | null;
    readonly credits: bigint | null;
  },
): void {
  const { amount, credits } = payment;
  put('payment', id, {
    ...payment,
    reference: payment.reference.slice(0, 200),
    currency: payment.currency.toUpperCase().slice(0, 3),
    amount: amount === null ? null : moneyOf(amount),
    credits: credits === null ? null : String(credits),
  });
}
