import { useState } from 'react';
import type { FormEvent, ReactNode } from 'react';
import { useSubmit } from 'react-router';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useHydrated } from '#client/lib/use-hydrated.ts';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { PriceLines } from '#client/ui/credit-amount.tsx';
import { dialogs } from '#client/ui/dialogs.ts';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { NumberInput } from '#client/ui/number-input.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { GIFT_NOTE_MAX, giftPrice, type GiftPrice } from '#shared/gift.ts';
import type { GiftAnswer, GiftData } from './gift.tsx';

/**
 * The form of a gift. With scripts, fee and total follow the input; without them the first submission shows them and
 * the second sends. The total is submitted too, so nobody pays another than was shown.
 */
export function GiftForm({ data, answer }: { data: GiftData; answer: GiftAnswer | undefined }): ReactNode {
  const t = useT('community');
  const format = useFormat();
  const hydrated = useHydrated();
  const given = restoredValues(answer);
  const [text, setText] = useState(given.amount);
  const shown = useFormProps(answer, ['amount', 'note']);
  const amount = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  const typed = amount >= data.min && amount <= data.max;
  // Without scripts the total is shown only after an amount was submitted once.
  const price = typed && (hydrated || given.asked) ? giftPrice(amount, data.fee_percent) : null;
  const missing = price ? Math.max(0, price.total - data.balance) : 0;
  const submit = useSubmit();
  // A gift cannot be undone: asks for confirmation. What the server will refuse anyway is submitted without a question.
  const ask = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    if (!price || missing > 0) return;
    event.preventDefault();
    const form = event.currentTarget;
    const title = t('giftAsk', {
      count: price.amount,
      number: format.number(price.amount),
      name: data.recipient.username,
    });
    if (await dialogs.confirm({ title, text: <Price data={data} price={price} missing={0} />, ok: t('giftAskSend') }))
      await submit(form);
  };
  return (
    <Card>
      <Form
        {...shown}
        labels={{ amount: t('giftAmount'), note: t('giftNote') }}
        values={{ amount: given.amount, note: given.note }}
        onSubmit={(event) => void ask(event)}
      >
        <FormKey />
        {price && <input type="hidden" name="total" value={price.total} />}
        <Field
          label={t('giftAmount')}
          name="amount"
          required
          error={missing > 0 ? t('giftMissing', { count: missing, number: format.number(missing) }) : undefined}
          aside={
            <span className="sp-field__count">
              {t('giftBounds', { min: format.number(data.min), max: format.number(data.max) })}
            </span>
          }
          hint={
            data.left_today === null
              ? undefined
              : t('giftLeft', { count: data.left_today, number: format.number(data.left_today) })
          }
        >
          <NumberInput
            min={data.min}
            max={data.max}
            step={1}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </Field>
        <Field
          label={t('giftNote')}
          name="note"
          optional
          counter={GIFT_NOTE_MAX}
          length={given.note.length}
          hint={t('giftNoteHint')}
        >
          <TextInput maxLength={GIFT_NOTE_MAX} autoComplete="off" defaultValue={given.note} />
        </Field>
        {price && <Price data={data} price={price} missing={missing} />}
        <p className="sp-meta">{t('giftFinal', { percent: format.percent(data.fee_percent / 100) })}</p>
        <div className="sp-btn-row">
          <Button type="submit" variant="primary" icon="gift">
            {price ? t('giftSend', { count: price.total, number: format.number(price.total) }) : t('giftPreview')}
          </Button>
        </div>
      </Form>
    </Card>
  );
}

/** Gift, fee and total, with the balance before and after. */
function Price({ data, price, missing }: { data: GiftData; price: GiftPrice; missing: number }): ReactNode {
  const t = useT('community');
  const format = useFormat();
  return (
    <PriceLines
      lines={[
        { label: t('giftLine'), value: price.amount },
        { label: t('feeLine', { percent: format.percent(data.fee_percent / 100) }), value: price.fee },
        ...(missing > 0 ? [] : [{ label: t('totalLine'), value: price.total }]),
        { label: t('balanceNow'), value: data.balance },
      ]}
      sum={
        missing > 0
          ? { label: t('totalLine'), value: price.total }
          : { label: t('balanceAfter'), value: data.balance - price.total }
      }
    />
  );
}

/** The form's values after a submission, and whether its total was asked for. */
function restoredValues(answer: GiftAnswer | undefined): { amount: string; note: string; asked: boolean } {
  if (!answer) return { amount: '', note: '', asked: false };
  if (!answer.ok)
    return {
      amount: answer.values.amount ?? '',
      note: answer.values.note ?? '',
      asked: answer.values.total !== undefined,
    };
  if (!('asked' in answer.result)) return { amount: '', note: '', asked: false };
  const { amount, note } = answer.result.asked;
  return { amount: String(amount), note, asked: true };
}
