import type { ReactNode } from 'react';
import { Form as PlainForm, useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { useErrorText } from '#client/lib/error-text.ts';
import { toFormFailure } from '#client/lib/form-action.ts';
import type { FormResult } from '#client/lib/form-action.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useLive } from '#client/lib/live.ts';
import { useMoney } from '#client/lib/money.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card, CardSection, Facts, type Fact } from '#client/ui/card.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { Icon } from '#client/ui/icon.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead } from '#client/ui/page.tsx';
import { Status } from '#client/ui/status.tsx';
import { SupportLinks } from '#client/ui/support-links.tsx';
import type { OrderView } from '#shared/contract/payments.ts';
import { endpointUrl } from '#shared/contract/client.ts';
import { WIRE } from '#shared/contract/wire.ts';
import { href } from '#shared/routes/href.ts';
import { STATE_SHAPES } from './state.ts';
import { Steps } from './steps.tsx';

/** The order. Payers return to this page: viewing it changes nothing. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).payments.order({ params: { id: args.params.id ?? '' } });
}

/** Checks the order with the gateway, or cancels it. */
export async function action(args: ActionFunctionArgs): Promise<FormResult<{ intent: string }>> {
  const form = await args.request.formData();
  const intent = String(form.get('_intent'));
  const call = { params: { id: args.params.id ?? '' } };
  try {
    const { payments } = apiOf(args);
    await (intent === 'cancel' ? payments.cancel(call) : payments.check(call));
    return { ok: true, result: { intent }, at: '' };
  } catch (error) {
    return toFormFailure(error, form);
  }
}

/** The document's title begins with it. */
export const pageName = ({ order }: Awaited<ReturnType<typeof loader>>): string | null => order.label;

/** /store/orders/:id: what is ordered, how to pay, and its state; it updates itself when the payment is confirmed. */
export default function OrderScreen(): ReactNode {
  const t = useT('payments');
  const { order, balance } = useLoaderData<typeof loader>();
  const answer = useActionAnswer<FormResult<{ intent: string }>>();
  const text = useErrorText();
  useLive(['balance', 'session', 'notifications']);
  const waiting = order.state === 'created' || order.state === 'pending';
  return (
    <Page narrow>
      <PageHead
        title={order.label ?? t('customAmount')}
        text={t('reference', { code: order.code })}
        badge={<Status shape={STATE_SHAPES[order.state]}>{t(`state.${order.state}`)}</Status>}
        crumbs={[{ label: t('title'), to: href('store.addCredits') }, { label: t('order') }]}
      />
      {answer?.ok === false && (
        <Banner tone="danger" live>
          {text.code(answer.code)}
        </Banner>
      )}
      {answer?.ok === true && answer.result.intent === 'check' && waiting && <Banner live>{t('checked')}</Banner>}
      <Card flush>
        <CardSection>
          <div className="sp-pay__says" aria-live="polite">
            <p>
              {t(`says.${order.state}`)} {order.state === 'disputed' && <SupportLinks />}
            </p>
            <Next order={order} waiting={waiting} />
          </div>
        </CardSection>
        <CardSection>
          <Facts items={useFacts(order, balance)} />
        </CardSection>
      </Card>
    </Page>
  );
}

/** The actions: pay, check, cancel, open the receipt. */
function Next({ order, waiting }: { order: OrderView; waiting: boolean }): ReactNode {
  const t = useT('payments');
  const money = useMoney();
  return (
    <>
      {order.pay_url !== null && (
        <div className="sp-pay__says">
          <a className="sp-btn" data-variant="primary" data-size="lg" href={order.pay_url} rel="noreferrer">
            <Icon name="external" />
            {t('payNow', { amount: money(order.amount, order.currency) })}
          </a>
          <p className="sp-meta">
            {order.provider === 'manual' ? null : t('payNote', { provider: t(`page.${order.provider}`) })}
          </p>
        </div>
      )}
      {order.instructions !== null && <Steps order={order} instructions={order.instructions} />}
      <div className="sp-pay__row">
        {waiting && (
          <PlainForm method="post" preventScrollReset className="sp-pay__row">
            {order.provider !== 'manual' && (
              <Button type="submit" name="_intent" value="check" icon="refresh">
                {t('check')}
              </Button>
            )}
            <Button type="submit" name="_intent" value="cancel" variant="ghost">
              {t('cancel')}
            </Button>
          </PlainForm>
        )}
        {order.receipt !== null && <ReceiptLinks id={order.id} />}
        {!waiting && order.receipt === null && <LinkButton to={href('store.addCredits')}>{t('again')}</LinkButton>}
      </div>
    </>
  );
}

function ReceiptLinks({ id }: { id: string }): ReactNode {
  const t = useT('payments');
  return (
    <>
      <LinkButton to={href('store.receipt', { id })} icon="receipt">
        {t('receipt')}
      </LinkButton>
      <a
        className="sp-btn"
        data-variant="ghost"
        href={endpointUrl(WIRE.payments.receiptPdf, { params: { id } })}
        download
      >
        <Icon name="download" />
        {t('receiptPdf')}
      </a>
    </>
  );
}

function useFacts(order: OrderView, balance: number): readonly Fact[] {
  const t = useT('payments');
  const format = useFormat();
  const money = useMoney();
  const cash = (minor: number): string => money(minor, order.currency);
  return [
    { label: t('credits'), value: <CreditAmount value={order.credits} /> },
    ...(order.bonus > 0 ? [{ label: t('bonus'), value: <CreditAmount value={order.bonus} /> }] : []),
    { label: t('price'), value: cash(order.amount) },
    ...(order.tax_rate > 0
      ? [{ label: t('tax'), value: `${cash(order.tax)} (${format.percent(order.tax_rate / 10_000, 2)})` }]
      : []),
    ...(order.refunded > 0 ? [{ label: t('refundedSum'), value: cash(order.refunded) }] : []),
    { label: t('via'), value: t(`provider.${order.provider}`) },
    { label: t('ordered'), value: <time dateTime={order.created_at}>{format.dateTime(order.created_at)}</time> },
    ...(order.paid_at === null
      ? []
      : [{ label: t('paidAt'), value: <time dateTime={order.paid_at}>{format.dateTime(order.paid_at)}</time> }]),
    { label: t('receipt'), value: order.receipt ?? t('noReceiptYet') },
    { label: t('balanceNow'), value: <CreditAmount value={balance} /> },
  ];
}
