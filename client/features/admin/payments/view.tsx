import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm } from '#client/lib/form-action.ts';
import type { FormResult } from '#client/lib/form-action.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useLive } from '#client/lib/live.ts';
import { useMoney } from '#client/lib/money.ts';
import { useShell } from '#client/lib/shell-context.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Card, Facts, type Fact } from '#client/ui/card.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { TextLink } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { Status } from '#client/ui/status.tsx';
import { can } from '#shared/can.ts';
import { parseDecimal } from '#shared/money.ts';
import { href } from '#shared/routes/staff-href.ts';
import { reasonInput, refundInput } from '#shared/schemas/payment.ts';
import { ConfirmCard, RefundCard } from './decide.tsx';
import { useFailureText } from './failure.ts';
import { ORDER_SHAPES } from '../parts/orders.ts';
import { Disputes, Events, Refunds } from './records.tsx';

/** One payment in full. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).adminPayments.get({ params: { id: args.params.id ?? '' } });
}
export type PaymentData = Awaited<ReturnType<typeof loader>>;
export type Payment = PaymentData['payment'];
export interface PaymentAnswer {
  readonly intent: 'confirm' | 'refund';
  readonly result: FormResult<null>;
}

/** Confirms a manual order, or refunds. Money is typed with decimals and sent in minor units. */
export async function action(args: ActionFunctionArgs): Promise<PaymentAnswer | Response> {
  const form = await args.request.formData();
  const api = apiOf(args).adminPayments;
  const params = { id: args.params.id ?? '' };
  const intent = form.get('_intent') === 'refund' ? 'refund' : 'confirm';
  if (intent === 'confirm') {
    const result = await submitForm(resend(args.request, form), reasonInput, async (body, key) => {
      await api.confirm({ params, body }, key ? { key } : {});
      return null;
    });
    return result instanceof Response ? result : { intent, result };
  }
  const typed = String(form.get('amount') ?? '');
  const minor = parseDecimal(typed.trim().replace(',', '.'), String(form.get('_currency')));
  if (minor !== null) form.set('amount', String(minor));
  const result = await submitForm(resend(args.request, form), refundInput, async (body, key) => {
    await api.refund({ params, body }, key ? { key } : {});
    return null;
  });
  if (result instanceof Response) return result;
  return { intent, result: result.ok ? result : { ...result, values: { ...result.values, amount: typed } } };
}

const resend = (request: Request, form: FormData): Request => new Request(request.url, { method: 'POST', body: form });

/** The document's title begins with it. */
export const pageName = ({ payment }: PaymentData): string | null => payment.label;

/** /mc-admin/payments/:id */
export default function PaymentScreen(): ReactNode {
  const t = useT('payments');
  const { payment, events, refunds, disputes } = useLoaderData<typeof loader>();
  const answer = useActionAnswer<PaymentAnswer>();
  const { permissions } = useShell().session;
  const name = payment.label ?? t('customAmount');
  const mayDecide = can(permissions, 'admin.payments.edit');
  const done = answer?.result.ok === true;
  useLive(['notifications']);
  return (
    <Page>
      <PageHead
        title={name}
        badge={<Status shape={ORDER_SHAPES[payment.state]}>{t(`state.${payment.state}`)}</Status>}
        crumbs={useCrumbs({ 'admin.payments.view': name })}
      />
      {done && (
        <Banner tone="positive" live>
          {t(answer.intent === 'confirm' ? 'confirmed' : payment.provider === 'manual' ? 'refundDone' : 'refundAsked')}
        </Banner>
      )}
      <div className="sp-split">
        <div className="sp-stack">
          <Card title={t('facts')}>
            <Facts items={useFacts(payment)} />
          </Card>
          <Events events={events} />
        </div>
        <div className="sp-stack">
          {mayDecide && payment.confirmable && (
            <ConfirmCard payment={payment} answer={answer?.intent === 'confirm' ? answer.result : undefined} />
          )}
          {mayDecide && payment.refundable > 0 && (
            <RefundCard payment={payment} answer={answer?.intent === 'refund' ? answer.result : undefined} />
          )}
          {refunds.length > 0 && <Refunds refunds={refunds} currency={payment.currency} />}
          {disputes.length > 0 && <Disputes disputes={disputes} currency={payment.currency} />}
        </div>
      </div>
    </Page>
  );
}

function useFacts(payment: Payment): readonly Fact[] {
  const t = useT('payments');
  const format = useFormat();
  const money = useMoney();
  const failure = useFailureText();
  const cash = (minor: number): string => money(minor, payment.currency);
  const moment = (at: string) => <time dateTime={at}>{format.dateTime(at)}</time>;
  const mono = (value: string) => <code className="sp-pay__words">{value}</code>;
  return [
    { label: t('columnUser'), value: payment.user?.username ?? t('accountDeleted') },
    { label: t('referenceLabel'), value: <code>{payment.code}</code> },
    { label: t('credits'), value: <CreditAmount value={payment.credits + payment.bonus} /> },
    { label: t('price'), value: cash(payment.amount) },
    ...(payment.tax_rate > 0
      ? [{ label: t('tax'), value: `${cash(payment.tax)} (${format.percent(payment.tax_rate / 10_000, 2)})` }]
      : []),
    { label: t('via'), value: t(`provider.${payment.provider}`) },
    { label: t('ordered'), value: moment(payment.created_at) },
    ...(payment.paid_at === null ? [] : [{ label: t('paidAt'), value: moment(payment.paid_at) }]),
    ...(payment.receipt === null
      ? []
      : [
          {
            label: t('receipt'),
            value: <TextLink to={href('store.receipt', { id: payment.id })}>{payment.receipt}</TextLink>,
          },
        ]),
    ...(payment.refunded > 0 ? [{ label: t('refundedSum'), value: cash(payment.refunded) }] : []),
    ...(payment.clawed_back > 0
      ? [{ label: t('creditsRemoved'), value: <CreditAmount value={payment.clawed_back} /> }]
      : []),
    ...(payment.failure === null ? [] : [{ label: t('problem'), value: failure(payment.failure) }]),
    { label: t('order'), value: mono(payment.id) },
    ...(payment.ref === null ? [] : [{ label: t('ref'), value: mono(payment.ref) }]),
    ...(payment.payment_ref === null ? [] : [{ label: t('paymentRef'), value: mono(payment.payment_ref) }]),
  ];
}
