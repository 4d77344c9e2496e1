import { includedTax } from '#shared/money.ts';
import type { Money } from '#shared/money.ts';
import { PROVIDERS, type Provider } from '#shared/schemas/payment.ts';
import type { SignedIn } from '../kernel.ts';
import { gatewayOf, type PaymentDeps } from './deps.ts';
import type { CreditPackage } from './ports.ts';

interface Offer {
  readonly packages: readonly (CreditPackage & { readonly tax: number; readonly providers: Provider[] })[];
  readonly free: {
    readonly currency: string;
    readonly min: number;
    readonly max: number;
    readonly rate: number;
    readonly providers: Provider[];
  } | null;
  readonly providers: Provider[];
  readonly taxRate: number;
  readonly balance: number;
  readonly debt: number;
}

/** What is sold now, and how each can be paid. */
export function offerOf(deps: PaymentDeps, { actor }: SignedIn): Promise<Offer> {
  const values = deps.settings.current();
  const providers = PROVIDERS.filter((provider) =>
    provider === 'manual' ? values.manual_payments_enabled : gatewayOf(deps, provider)?.ready() === true,
  );
  const able = (price: Money): Provider[] =>
    providers.filter((provider) => gatewayOf(deps, provider)?.accepts(price) !== false);
  const { currency, payment_min: min, payment_max: max, payment_credits_per_unit: rate } = values;
  const free = { currency, min, max, rate, providers: able({ minor: min, currency }) };
  return deps.uow.read(async (tx) => ({
    packages: (await tx.payments.packages())
      .map((each) => ({
        ...each,
        tax: includedTax(each.priceMinor, values.tax_rate),
        providers: able({ minor: each.priceMinor, currency: each.currency }),
      }))
      .filter((each) => each.providers.length > 0),
    free: values.payment_free_enabled && min <= max && free.providers.length > 0 ? free : null,
    providers,
    taxRate: values.tax_rate,
    balance: await deps.ledger.balance(tx, `user:${actor.userId}`),
    debt: await deps.ledger.balance(tx, `debt:${actor.userId}`),
  }));
}
