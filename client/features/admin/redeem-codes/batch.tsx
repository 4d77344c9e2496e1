import type { ReactNode } from 'react';
import { useActionData } from 'react-router';
import type { ActionFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm } from '#client/lib/form-action.ts';
import type { FormResult } from '#client/lib/form-action.ts';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useI18n, useT } from '#client/lib/i18n.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { CopyButton } from '#client/ui/copy-button.tsx';
import { DateInput } from '#client/ui/date-input.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { NumberInput } from '#client/ui/number-input.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { SaveBar } from '#client/ui/savebar.tsx';
import { Textarea, TextInput } from '#client/ui/text-input.tsx';
import { href } from '#shared/routes/staff-href.ts';
import { BATCH_MAX, BATCH_RANDOM_MIN, codeBatchInput } from '#shared/schemas/code-batch.ts';
import { iso } from '#shared/time.ts';
import { wallTimeToMs } from '#shared/zoned.ts';

type Answer = FormResult<{ codes: string[] }>;

/** Creates the codes. Times are typed as wall time. */
export async function action(args: ActionFunctionArgs) {
  const sent = [...(await args.request.formData())].map(([name, value]): [string, string] => [name, String(value)]);
  const form = new URLSearchParams(sent);
  for (const name of ['starts_at', 'ends_at']) {
    const typed = form.get(name) ?? '';
    const ms = wallTimeToMs(typed, form.get('_zone') ?? 'UTC');
    form.set(name, ms === null ? typed : iso(ms));
  }
  const request = new Request(args.request.url, { method: 'POST', body: form });
  return submitForm(request, codeBatchInput, (body, key) =>
    apiOf(args).adminCodeBatch.create({ body }, key ? { key } : {}),
  );
}

/** /mc-admin/redeem-codes/batch */
export default function BatchScreen(): ReactNode {
  const t = useT('economy');
  const answer = useActionData() as Answer | undefined;
  return (
    <Page narrow>
      <PageHead title={t('batchTitle')} text={t('batchLead')} crumbs={useCrumbs()} />
      {answer?.ok ? <CreatedCodes codes={answer.result.codes} /> : <BatchForm answer={answer} />}
    </Page>
  );
}

/** The new codes, to be copied or downloaded. */
function CreatedCodes({ codes }: { codes: readonly string[] }): ReactNode {
  const t = useT('economy');
  const text = codes.join('\n');
  return (
    <Card
      title={t('batchDone', { count: codes.length })}
      aside={
        <CopyButton text={text} what={t('batchCodes')}>
          {t('batchCopy')}
        </CopyButton>
      }
      foot={<LinkButton to={href('admin.redeemCodes.list')}>{t('batchToList')}</LinkButton>}
    >
      <Field label={t('batchList')}>
        <Textarea mono readOnly rows={Math.min(20, codes.length + 1)} value={text} />
      </Field>
    </Card>
  );
}

const NUMBERS = ['credits', 'uses_total', 'min_age_days'] as const;
const FIRST = { credits: '', uses_total: '1', min_age_days: '0' } as const;

function BatchForm({ answer }: { answer: Answer | undefined }): ReactNode {
  const t = useT('economy');
  const { timeZone } = useI18n();
  const shown = useFormProps(answer, ['count', 'pattern', 'note', ...NUMBERS]);
  const labels = Object.fromEntries(
    (['count', 'pattern', 'note', ...NUMBERS, 'starts_at', 'ends_at'] as const).map((name) => [
      name,
      t(`field.${name}`),
    ]),
  );
  const translateError = (code: string, field: string) =>
    field === 'pattern' && code === 'TOO_SHORT'
      ? t('patternTooShort', { min: BATCH_RANDOM_MIN })
      : shown.translateError(code);
  return (
    <Form {...shown} translateError={translateError} labels={labels}>
      <div className="sp-stack">
        <FormKey />
        <input type="hidden" name="_zone" value={timeZone} />
        <Card title={t('batchCodes')}>
          <div className="sp-fields" data-columns="2">
            <Field label={t('field.count')} name="count" required hint={t('hint.count', { max: BATCH_MAX })}>
              <NumberInput min={1} max={BATCH_MAX} defaultValue="50" />
            </Field>
            <Field
              label={t('field.pattern')}
              name="pattern"
              required
              hint={t('hint.pattern', { min: BATCH_RANDOM_MIN })}
            >
              <TextInput mono maxLength={40} autoComplete="off" spellCheck={false} defaultValue="GIFT-####-####-####" />
            </Field>
            <Field label={t('field.note')} name="note" optional hint={t('hint.note')}>
              <TextInput maxLength={120} autoComplete="off" />
            </Field>
          </div>
        </Card>
        <Card title={t('batchRules')}>
          <div className="sp-fields" data-columns="2">
            {NUMBERS.map((name) => (
              <Field key={name} label={t(`field.${name}`)} name={name} required>
                <NumberInput min={name === 'min_age_days' ? 0 : 1} defaultValue={FIRST[name]} />
              </Field>
            ))}
            {(['starts_at', 'ends_at'] as const).map((name) => (
              <Field key={name} label={t(`field.${name}`)} name={name} optional hint={t(`hint.${name}`)}>
                <DateInput time />
              </Field>
            ))}
          </div>
        </Card>
        <SaveBar>
          <LinkButton to={href('admin.redeemCodes.list')} variant="ghost">
            {t('batchToList')}
          </LinkButton>
          <Button type="submit" variant="primary">
            {t('batchCreate')}
          </Button>
        </SaveBar>
      </div>
    </Form>
  );
}
