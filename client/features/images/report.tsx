import { lazy, Suspense } from 'react';
import type { ReactNode } from 'react';
import { redirect, useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { submitForm, type FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { Select } from '#client/ui/select.tsx';
import { Textarea, TextInput } from '#client/ui/text-input.tsx';
import { IMAGE_ADDRESS_MAX, REPORT_DETAILS_MAX, REPORT_REASONS } from '#shared/image-reports.ts';
import { IMAGE_ID } from '#shared/images.ts';
import { href } from '#shared/routes/href.ts';
import { imageComplaintInput } from '#shared/schemas/image-report.ts';

/** Loaded when a report was refused because the challenge is missing. */
const Challenge = lazy(async () => ({ default: (await import('#client/ui/challenge.tsx')).Challenge }));

/** Which image it is about, as its page says it (`?image=`). */
export function loader({ request }: LoaderFunctionArgs) {
  return { image: (new URL(request.url).searchParams.get('image') ?? '').slice(0, IMAGE_ADDRESS_MAX) };
}

/** Sends the report, and leads to the page that says what becomes of it. */
export async function action(args: ActionFunctionArgs) {
  return submitForm(args.request, imageComplaintInput, async (body) => {
    const { id } = await apiOf(args).imageReports.create({ body });
    return redirect(`${href('images.report.state', { id })}?sent=1`);
  });
}

/** /images/report (behaviour 5.5): anybody says what is wrong with an image. */
export default function ImageReportScreen(): ReactNode {
  const t = useT('imageReports');
  const { image } = useLoaderData<typeof loader>();
  const answer = useActionAnswer<FormResult<unknown>>();
  const { app_url: host } = useShell().settings;
  // Its page gives the id alone; people know its link.
  const link = IMAGE_ID.test(image)
    ? String(host ?? '').replace(/\/$/, '') + href('images.view', { id: image })
    : image;
  const labels = { image: t('address'), reason: t('reason'), details: t('details') };
  const isGone = answer?.ok === false && answer.code === 'NOT_FOUND';
  const shown = useFormProps(answer, Object.keys(labels));
  return (
    <div className="sp-shown" data-narrow>
      <Card>
        <h1 className="sp-shown__title">{t('reportTitle')}</h1>
        <p>{t('reportText')}</p>
        <Form {...shown} problem={isGone ? t('gone') : shown.problem} labels={labels}>
          <Field label={labels.image} name="image" hint={t('addressHint')} required>
            <TextInput
              mono
              inputMode="url"
              autoCapitalize="none"
              spellCheck={false}
              maxLength={IMAGE_ADDRESS_MAX}
              defaultValue={link}
            />
          </Field>
          <Field label={labels.reason} name="reason" required>
            <Select
              placeholder={t('choose')}
              options={REPORT_REASONS.map((value) => ({ value, label: t(`reasons.${value}`) }))}
            />
          </Field>
          <Field label={labels.details} name="details" hint={t('detailsHint', { max: REPORT_DETAILS_MAX })}>
            <Textarea rows={4} maxLength={REPORT_DETAILS_MAX} />
          </Field>
          {answer?.ok === false && answer.code.startsWith('CHALLENGE') && (
            <Suspense>
              <Challenge action="report" answer={answer} />
            </Suspense>
          )}
          <Button type="submit" variant="primary" block>
            {t('send')}
          </Button>
        </Form>
      </Card>
    </div>
  );
}
