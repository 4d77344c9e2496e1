import type { ReactNode } from 'react';
import { redirect, useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm, type FormResult } from '#client/lib/form-action.ts';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useMoney } from '#client/lib/money.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card, Facts } from '#client/ui/card.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { NumberInput } from '#client/ui/number-input.tsx';
import { Page, PageHead } from '#client/ui/page.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { href } from '#shared/routes/staff-href.ts';
import { creditInput, MAX_ORDER_CREDITS, reasonInput } from '#shared/schemas/payment.ts';

/** A payment that names an unknown order. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).adminPayments.unknown({ params: { id: args.params.id ?? '' } });
}
type Data = Awaited<ReturnType<typeof loader>>;
interface Answer {
  readonly intent: 'credit' | 'dismiss';
  readonly result: FormResult<null>;
}

/** Credits the payment and goes to it, or dismisses it. */
export async function action(args: ActionFunctionArgs): Promise<Answer | Response> {
  const form = await args.request.formData();
  const api = apiOf(args).adminPayments;
  const params = { id: args.params.id ?? '' };
  const sent = new Request(args.request.url, { method: 'POST', body: form });
  if (form.get('_intent') === 'dismiss') {
    const result = await submitForm(sent, reasonInput, async (body) => {
      await api.dismiss({ params, body });
      return redirect(href('admin.payments.list'));
    });
    return result instanceof Response
      ? result
      : { intent: 'dismiss', result: result.ok ? { ok: true, result: null, at: '' } : result };
  }
  const result = await submitForm(sent, creditInput, async (body, key) => {
    const { id } = await api.credit({ params, body }, key ? { key } : {});
    return redirect(href('admin.payments.view', { id }));
  });
  return result instanceof Response
    ? result
    : { intent: 'credit', result: result.ok ? { ok: true, result: null, at: '' } : result };
}

/** The document's title begins with the order that the payment names. */
export const pageName = ({ order }: Data): string | null => order;

/** /mc-admin/payments/unknown/:id */
export default function UnknownPaymentScreen(): ReactNode {
  const t = useT('payments');
  const format = useFormat();
  const money = useMoney();
  const data = useLoaderData<typeof loader>();
  const answer = useActionAnswer<Answer>();
  const { event, amount, currency, order } = data;
  const facts = [
    { label: t('amount'), value: amount === null || currency === null ? '–' : money(amount, currency) },
    { label: t('via'), value: t(`provider.${event.provider}`) },
    { label: t('columnWhen'), value: <time dateTime={event.at}>{format.dateTime(event.at)}</time> },
    { label: t('order'), value: <code className="sp-pay__words">{order ?? '–'}</code> },
    { label: t('events'), value: <code className="sp-pay__words">{event.event_id}</code> },
  ];
  return (
    <Page>
      <PageHead
        title={t('unknown.title')}
        text={t('unknown.text')}
        crumbs={[{ label: t('adminTitle'), to: href('admin.payments.list') }, { label: t('unknown.title') }]}
      />
      {amount === null && <Banner tone="warning">{t('unknown.silent')}</Banner>}
      <div className="sp-split">
        <div className="sp-stack">
          <Card title={t('facts')}>
            <Facts items={facts} />
            <details>
              <summary>{t('payload')}</summary>
              <pre className="sp-pay__payload">{event.payload}</pre>
            </details>
          </Card>
        </div>
        <div className="sp-stack">
          {amount !== null && (
            <CreditCard data={data} answer={answer?.intent === 'credit' ? answer.result : undefined} />
          )}
          <DismissCard answer={answer?.intent === 'dismiss' ? answer.result : undefined} />
        </div>
      </div>
    </Page>
  );
}

function CreditCard({ data, answer }: { data: Data; answer: FormResult<null> | undefined }): ReactNode {
  const t = useT('payments');
  const shown = useFormProps(answer, ['user', 'credits', 'reason']);
  const { user, credits } = data;
  return (
    <Card title={t('unknown.credit')}>
      <Form {...shown} labels={{ user: t('unknown.user'), credits: t('credits'), reason: t('reason') }}>
        <FormKey />
        <input type="hidden" name="_intent" value="credit" />
        <Field
          label={t('unknown.user')}
          name="user"
          required={user === null}
          hint={user === null ? t('unknown.nobody') : t('unknown.userHint', { user: user.username })}
        >
          <TextInput maxLength={254} autoComplete="off" spellCheck={false} defaultValue={user?.username ?? ''} />
        </Field>
        <Field label={t('credits')} name="credits" hint={t('unknown.creditsHint')} required>
          <NumberInput min={1} max={MAX_ORDER_CREDITS} defaultValue={credits === 0 ? '' : String(credits)} />
        </Field>
        <Field label={t('reason')} name="reason" hint={t('reasonHint')} required>
          <TextInput maxLength={200} autoComplete="off" />
        </Field>
        <Button type="submit" variant="primary" block>
          {t('unknown.credit')}
        </Button>
      </Form>
    </Card>
  );
}

function DismissCard({ answer }: { answer: FormResult<null> | undefined }): ReactNode {
  const t = useT('payments');
  const shown = useFormProps(answer, ['reason']);
  return (
    <Card title={t('unknown.dismissTitle')} text={t('unknown.dismissText')}>
      <Form {...shown} labels={{ reason: t('reason') }}>
        <input type="hidden" name="_intent" value="dismiss" />
        <Field label={t('reason')} name="reason" hint={t('reasonHint')} required>
          <TextInput maxLength={200} autoComplete="off" />
        </Field>
        <Button type="submit" block>
          {t('unknown.dismiss')}
        </Button>
      </Form>
    </Card>
  );
}
