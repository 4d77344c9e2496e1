import { redirect } from 'react-router';
import { submitForm } from '#client/lib/form-action.ts';
import type { FormResult } from '#client/lib/form-action.ts';
import type { Api } from '#shared/contract/index.ts';
import { parseDecimal } from '#shared/money.ts';
import { href } from '#shared/routes/href.ts';
import { orderInput } from '#shared/schemas/payment.ts';

/** The outcome of an order, and its form: a package's id, or `free`. */
export interface OrderAnswer {
  readonly about: string;
  readonly result: FormResult<never>;
}

/** A typed amount (`5`, `5.50`, `5,50`) as minor units in digits; an invalid amount stays as it is and is rejected. */
export function toMinorText(typed: string, currency: string): string {
  const minor = parseDecimal(typed.trim().replace(',', '.'), currency);
  return minor === null ? typed : String(minor);
}

/** Places an order and redirects to its page, where it is paid. A free amount is typed as money and sent as minor units. */
export async function placeOrder(request: Request, api: Api): Promise<OrderAnswer | Response> {
  const form = await request.formData();
  const about = String(form.get('package_id') ?? 'free');
  const typed = form.get('amount');
  if (typeof typed === 'string') form.set('price_minor', toMinorText(typed, String(form.get('currency'))));
  const sent = new Request(request.url, { method: 'POST', body: form });
  const result = await submitForm(sent, orderInput, async (body, key) => {
    const { id } = await api.payments.create({ body }, key ? { key } : {});
    return redirect(href('store.order', { id }));
  });
  if (result instanceof Response) return result;
  if (result.ok) throw new Error('an order leads to its page');
  // Errors of `price_minor` belong to the field `amount`.
  const { price_minor: price, ...fields } = result.fields;
  return { about, result: { ...result, fields: price ? { ...fields, amount: price } : fields } };
}
