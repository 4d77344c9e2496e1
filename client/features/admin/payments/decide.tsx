import type { ReactNode } from 'react';
import type { FormResult } from '#client/lib/form-action.ts';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useMoney } from '#client/lib/money.ts';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { formatDecimal } from '#shared/money.ts';
import type { Payment } from './view.tsx';

interface Props {
  payment: Payment;
  answer: FormResult<null> | undefined;
}

/** Confirms that the money of a manual order was received. */
export function ConfirmCard({ payment, answer }: Props): ReactNode {
  const t = useT('payments');
  const format = useFormat();
  const shown = useFormProps(answer, ['reason']);
  const text = t('confirmText', {
    credits: format.credits(payment.credits + payment.bonus),
    user: payment.user?.username ?? t('accountDeleted'),
  });
  return (
    <Card title={t('confirmTitle')} text={text}>
      {payment.state === 'cancelled' && <p className="sp-lead">{t('confirmCancelled')}</p>}
      <Form {...shown} labels={{ reason: t('reason') }}>
        <FormKey />
        <input type="hidden" name="_intent" value="confirm" />
        <Field label={t('reason')} name="reason" hint={t('reasonHint')} required>
          <TextInput maxLength={200} autoComplete="off" />
        </Field>
        <Button type="submit" variant="primary" block>
          {t('confirm')}
        </Button>
      </Form>
    </Card>
  );
}

/** Refunds a payment, in full or in part. */
export function RefundCard({ payment, answer }: Props): ReactNode {
  const t = useT('payments');
  const money = useMoney();
  const shown = useFormProps(answer, ['amount', 'reason']);
  const { currency, refundable } = payment;
  const labels = { amount: t('amountIn', { currency }), reason: t('reason') };
  return (
    <Card title={t('refundTitle')} text={t('refundText', { max: money(refundable, currency) })}>
      {payment.provider === 'manual' && <p className="sp-lead">{t('refundByHand')}</p>}
      <Form {...shown} labels={labels}>
        <FormKey />
        <input type="hidden" name="_intent" value="refund" />
        <input type="hidden" name="_currency" value={currency} />
        <Field label={labels.amount} name="amount" required>
          <TextInput
            key={refundable}
            inputMode="decimal"
            autoComplete="off"
            maxLength={15}
            defaultValue={formatDecimal({ minor: refundable, currency })}
          />
        </Field>
        <Field label={labels.reason} name="reason" hint={t('reasonHint')} required>
          <TextInput maxLength={200} autoComplete="off" />
        </Field>
        <Button type="submit" variant="danger" block>
          {t('refund')}
        </Button>
      </Form>
    </Card>
  );
}
