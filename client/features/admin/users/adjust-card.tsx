import { useState } from 'react';
import type { FormEvent, ReactNode } from 'react';
import { useSearchParams, useSubmit } from 'react-router';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { PriceLines } from '#client/ui/credit-amount.tsx';
import { dialogs } from '#client/ui/dialogs.ts';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { NumberInput } from '#client/ui/number-input.tsx';
import { Select } from '#client/ui/select.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { ADJUSTMENT_MAX } from '#shared/schemas/adjustment.ts';
import type { UserAnswer, UserData } from './edit.tsx';

/** Adjusts a user's credits. With scripts it shows the outcome and asks first; without them it is submitted directly. */
export function AdjustCard({ user, answer }: { user: UserData; answer: UserAnswer | undefined }): ReactNode {
  const t = useT('users');
  const format = useFormat();
  const submit = useSubmit();
  const shown = useFormProps(answer, ['direction', 'amount', 'reason']);
  const labels = { direction: t('direction'), amount: t('amount'), reason: t('reason') };
  const ask = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    const data = new FormData(form);
    const amount = Number(data.get('amount'));
    // What the server will refuse anyway is submitted without a question: the error shows at the field.
    const fits =
      Number.isSafeInteger(amount) &&
      amount > 0 &&
      amount <= ADJUSTMENT_MAX &&
      String(data.get('reason')).trim().length >= 3;
    const take = data.get('direction') === 'out';
    const title = t(take ? 'askRemove' : 'askAdd', { credits: format.credits(amount), name: user.username });
    const text = (
      <Outcome balance={user.balance} change={take ? -amount : amount} debt={take ? 0 : Math.min(user.debt, amount)} />
    );
    if (
      !fits ||
      (await dialogs.confirm({ title, text, ok: t('adjustDo'), ...(take ? { tone: 'danger' as const } : {}) }))
    )
      await submit(form, { preventScrollReset: true });
  };
  return (
    <Card id="adjust" title={t('adjust')} text={t('adjustText')}>
      <Form {...shown} labels={labels} onSubmit={(event) => void ask(event)} preventScrollReset>
        <FormKey />
        <input type="hidden" name="_intent" value="adjust" />
        <Fields key={answer?.ok ? answer.at : ''} name={user.username} isDone={answer?.ok === true} />
      </Form>
    </Card>
  );
}

/** `isDone`: the amount of the address was used; it is not offered again. */
function Fields({ name, isDone }: { name: string; isDone: boolean }): ReactNode {
  const t = useT('users');
  const asked = Number(useSearchParams()[0].get('amount') ?? 0);
  const offers = !isDone && Number.isSafeInteger(asked) && asked > 0 && asked <= ADJUSTMENT_MAX;
  const [take, setTake] = useState(false);
  return (
    <div className="sp-stack">
      <Field label={t('direction')} name="direction" required>
        <Select
          options={[
            { value: 'in', label: t('add') },
            { value: 'out', label: t('remove') },
          ]}
          defaultValue="in"
          onChange={(event) => setTake(event.currentTarget.value === 'out')}
        />
      </Field>
      <Field label={t('amount')} name="amount" required>
        <NumberInput
          min={1}
          max={ADJUSTMENT_MAX}
          unit={t('creditsUnit')}
          {...(offers ? { defaultValue: asked } : {})}
        />
      </Field>
      <Field label={t('reason')} name="reason" required hint={t('reasonHint', { name })} counter={200}>
        <TextInput maxLength={200} autoComplete="off" />
      </Field>
      <Button type="submit" variant={take ? 'danger' : 'primary'}>
        {t('adjustDo')}
      </Button>
    </div>
  );
}

/** The balance before and after, and the part of the change that pays off a debt first. */
function Outcome({ balance, change, debt }: { balance: number; change: number; debt: number }): ReactNode {
  const t = useT('users');
  const why = useT('statement');
  const lines = [
    { label: t('balanceNow'), value: balance },
    { label: t('amount'), value: change },
    ...(debt > 0 ? [{ label: why('debt'), value: -debt }] : []),
  ];
  return <PriceLines lines={lines} sum={{ label: t('balanceAfter'), value: balance + change - debt }} />;
}
