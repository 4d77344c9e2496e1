import { useState } from 'react';
import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { Rich, useFormat, useT } from '#client/lib/i18n.tsx';
import { useLive } from '#client/lib/live.ts';
import { useMoney } from '#client/lib/money.ts';
import { Badge } from '#client/ui/badge.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead } from '#client/ui/page.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { creditsFor, minorDigits, parseDecimal, includedTax } from '#shared/money.ts';
import { href } from '#shared/routes/href.ts';
import type { Provider } from '#shared/schemas/payment.ts';
import { placeOrder, type OrderAnswer } from './action.ts';

/** The packages on offer. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).payments.offer();
}
type Offer = Awaited<ReturnType<typeof loader>>;

/** Places an order for a package or a free amount. */
export async function action(args: ActionFunctionArgs) {
  return placeOrder(args.request, apiOf(args));
}

/** /store/add-credits (behaviour 5.3) */
export default function AddCreditsScreen(): ReactNode {
  const t = useT('payments');
  const offer = useLoaderData<typeof loader>();
  const answer = useActionAnswer<OrderAnswer>();
  useLive(['balance']);
  const payments = (
    <LinkButton to={`${href('account')}?tab=payments`} variant="ghost" icon="receipt">
      {t('yourPayments')}
    </LinkButton>
  );
  return (
    <Page>
      <PageHead title={t('title')} text={t('text')} actions={payments} />
      {offer.debt > 0 && (
        <Banner tone="warning">
          <Rich t={t} k="debt" vars={{ credits: <CreditAmount value={offer.debt} variant="plain" /> }} />
        </Banner>
      )}
      {offer.packages.length === 0 && offer.free === null ? (
        <Card>
          <EmptyState as="h2" art="store" title={t('closed')} text={t('closedText')} />
        </Card>
      ) : (
        <ul className="sp-goods" aria-label={t('packages')}>
          {offer.packages.map((each) => (
            <li key={each.id}>
              <PackageCard item={each} rate={offer.tax_rate} answer={answer?.about === each.id ? answer : undefined} />
            </li>
          ))}
          {offer.free !== null && (
            <li>
              <FreeCard
                free={offer.free}
                rate={offer.tax_rate}
                answer={answer?.about === 'free' ? answer : undefined}
              />
            </li>
          )}
        </ul>
      )}
    </Page>
  );
}

/** A package: its credits, its price, and a button for each payment provider. */
function PackageCard({
  item,
  rate,
  answer,
}: {
  item: Offer['packages'][number];
  rate: number;
  answer: OrderAnswer | undefined;
}): ReactNode {
  const t = useT('payments');
  const format = useFormat();
  const money = useMoney();
  const shown = useFormProps(answer?.result);
  const total = item.credits + item.bonus;
  return (
    <section className="sp-card sp-good" aria-labelledby={`package-${item.id}`}>
      <header className="sp-pay__head">
        <div className="sp-good__what">
          <h2 id={`package-${item.id}`}>
            {item.name}
            {item.bonus > 0 && <Badge tone="credit">{t('bonusBadge', { amount: format.number(item.bonus) })}</Badge>}
          </h2>
          <p>
            <CreditAmount value={total} size="lg" />
          </p>
        </div>
        <b className="sp-pay__price">{money(item.amount, item.currency)}</b>
      </header>
      <p className="sp-pay__tax">
        <TaxLine tax={item.tax} currency={item.currency} rate={rate} />
      </p>
      <Form {...shown} noValidate preventScrollReset>
        <FormKey />
        <input type="hidden" name="package_id" value={item.id} />
        <input type="hidden" name="price_minor" value={item.amount} />
        <input type="hidden" name="currency" value={item.currency} />
        <input type="hidden" name="credits" value={total} />
        <PayButtons providers={item.providers} what={item.name} />
      </Form>
    </section>
  );
}

/** The tax in a price; nothing if there is none. */
function TaxLine({ tax, currency, rate }: { tax: number; currency: string; rate: number }): ReactNode {
  const t = useT('payments');
  const format = useFormat();
  const money = useMoney();
  if (rate === 0) return null;
  return (
    <span className="sp-meta">{t('taxIn', { tax: money(tax, currency), rate: format.percent(rate / 10_000, 2) })}</span>
  );
}

/** One button per payment provider; the pressed one is part of the form. */
function PayButtons({ providers, what }: { providers: readonly Provider[]; what: string }): ReactNode {
  const t = useT('payments');
  return (
    <div className="sp-pay__ways">
      {providers.map((provider, index) => (
        <Button
          key={provider}
          type="submit"
          name="provider"
          value={provider}
          variant={index === 0 ? 'primary' : 'secondary'}
          block
        >
          {t(`payWith.${provider}`)}
          <span className="sp-sr">: {what}</span>
        </Button>
      ))}
    </div>
  );
}

/** A custom amount within the host's bounds, and the credits for it. */
function FreeCard({
  free,
  rate,
  answer,
}: {
  free: NonNullable<Offer['free']>;
  rate: number;
  answer: OrderAnswer | undefined;
}): ReactNode {
  const t = useT('payments');
  const format = useFormat();
  const money = useMoney();
  const shown = useFormProps(answer?.result);
  const [typed, setTyped] = useState(shown.values.amount ?? '');
  const { currency } = free;
  const minor = parseDecimal(typed.trim().replace(',', '.'), currency);
  const known = minor !== null && minor >= free.min && minor <= free.max ? minor : null;
  return (
    <section className="sp-card sp-good" aria-labelledby="package-free">
      <header className="sp-pay__head">
        <div className="sp-good__what">
          <h2 id="package-free">{t('customTitle')}</h2>
          <p>
            {t('customText', {
              min: money(free.min, currency),
              max: money(free.max, currency),
              one: money(10 ** minorDigits(currency), currency),
              credits: format.credits(free.rate),
            })}
          </p>
        </div>
      </header>
      <Form {...shown} labels={{ amount: t('amountIn', { currency }) }} noValidate preventScrollReset>
        <FormKey />
        <input type="hidden" name="currency" value={currency} />
        <input type="hidden" name="rate" value={free.rate} />
        <Field label={t('amountIn', { currency })} name="amount" required>
          <TextInput
            inputMode="decimal"
            autoComplete="off"
            maxLength={15}
            defaultValue={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        </Field>
        <p className="sp-good__after" aria-live="polite">
          {known !== null && (
            <>
              {t('youGet', { credits: format.credits(creditsFor({ minor: known, currency }, free.rate)) })}{' '}
              <TaxLine tax={includedTax(known, rate)} currency={currency} rate={rate} />
            </>
          )}
        </p>
        <PayButtons providers={free.providers} what={t('customTitle')} />
      </Form>
    </section>
  );
}
