import type { ReactNode } from 'react';
import { useActionData, useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import type { FormFailure } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { runAndLeave } from '#client/resource/leave-form.ts';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { Select } from '#client/ui/select.tsx';
import { can } from '#shared/can.ts';
import { LOCALE_INFO, LOCALES } from '#shared/i18n/locales.ts';
import { href } from '#shared/routes/staff-href.ts';
import { useTemplateName } from './parts.tsx';

/** What the reset would take away. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).adminMailTemplates.changes({ params: { id: args.params.id ?? '' } });
}

/** Gives the mail the product's own content back. */
export function action(args: ActionFunctionArgs): Promise<FormFailure | Response> {
  return runAndLeave(args.request, `${href('admin.mailTemplates.list')}?done=reset`, (form) => {
    const locale = LOCALES.find((each) => each === form.get('locale'));
    return apiOf(args).adminMailTemplates.reset({
      params: { id: args.params.id ?? '' },
      body: locale ? { locale } : {},
    });
  });
}

/** The document's title begins with it. */
export const pageName = ({ id }: Awaited<ReturnType<typeof loader>>): string => id;

/** /mc-admin/mail-templates/:id/delete (behaviour 8.5) */
export default function MailTemplateResetScreen(): ReactNode {
  const t = useT('staffMails');
  const name = useTemplateName()(useLoaderData<typeof loader>().id);
  const { changed } = useLoaderData<typeof loader>();
  const answer = useFormProps(useActionData<FormFailure>());
  const listed = can(useShell().session.permissions, 'admin.mail.templates.list');
  const back = listed ? href('admin.mailTemplates.list') : href('dashboard');
  return (
    <Page narrow>
      <PageHead title={t('resetTitle', { name })} crumbs={useCrumbs({ 'admin.mailTemplates.delete': name })} />
      {changed.length === 0 ? (
        <Card title={name} text={t('nothingToReset')}>
          <LinkButton to={back}>{t('back')}</LinkButton>
        </Card>
      ) : (
        <Card tone="danger" title={t('resetSure')} text={t('resetText')}>
          <Form {...answer}>
            {!listed && <input type="hidden" name="_stay" value="1" />}
            <Field label={t('language')} name="locale">
              <Select
                placeholder={t('allLanguages')}
                options={changed.map((value) => ({ value, label: LOCALE_INFO[value].name }))}
              />
            </Field>
            <div className="sp-btn-row">
              <Button type="submit" variant="danger" icon="undo">
                {t('reset')}
              </Button>
              <LinkButton to={back} variant="ghost">
                {t('back')}
              </LinkButton>
            </div>
          </Form>
        </Card>
      )}
    </Page>
  );
}
