import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Badge } from '#client/ui/badge.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { can } from '#shared/can.ts';
import { LOCALES } from '#shared/i18n/locales.ts';
import { href } from '#shared/routes/staff-href.ts';
import { Editor } from './editor.tsx';
import { ContentOutcome, LanguageTabs, useTemplateName } from './parts.tsx';
import { submitContent, type ContentAnswer } from './submit.ts';

/** A mail in the language of the address, or in the visitor's. */
export async function loader(args: LoaderFunctionArgs) {
  const wanted = new URL(args.request.url).searchParams.get('lang');
  const locale = LOCALES.find((each) => each === wanted);
  return apiOf(args).adminMailTemplates.get({
    params: { id: args.params.id ?? '' },
    query: locale ? { locale } : {},
  });
}
type TemplateData = Awaited<ReturnType<typeof loader>>;

/** Stores a content, sends it to the visitor, or shows how it looks. */
export async function action(args: ActionFunctionArgs): Promise<ContentAnswer> {
  const api = apiOf(args).adminMailTemplates;
  const params = { id: args.params.id ?? '' };
  return submitContent(args, {
    preview: ({ form, locale, content }) =>
      api.preview({ params, body: { locale, ...content, user: String(form.get('user') ?? '') } }),
    test: ({ locale, content, key }) => api.test({ params, body: { locale, ...content } }, key),
    save: ({ form, locale, content, key }) =>
      api.save({ params, body: { locale, ...content, revision: Number(form.get('_revision')) } }, key),
  });
}

/** The document's title begins with it. */
export const pageName = ({ preview }: TemplateData): string => preview.subject;

/** /mc-admin/mail-templates/:id/edit (behaviour 8.5) */
export default function MailTemplateScreen(): ReactNode {
  const t = useT('staffMails');
  const format = useFormat();
  const nameOf = useTemplateName();
  const data = useLoaderData<typeof loader>();
  const answer = useActionAnswer<ContentAnswer>();
  const { permissions } = useShell().session;
  const name = nameOf(data.id);
  const seesUsers = can(permissions, 'admin.users.edit');
  return (
    <Page>
      <PageHead
        title={name}
        badge={data.revision > 0 ? <Badge tone="info">{t('changedBadge')}</Badge> : undefined}
        text={
          data.updated_at === null
            ? t('originalText')
            : t('changedBy', { name: data.updated_by ?? t('someone'), date: format.dateTime(data.updated_at) })
        }
        crumbs={useCrumbs({ 'admin.mailTemplates.edit': name })}
        actions={
          data.changed.length > 0 && can(permissions, 'admin.mail.templates.delete') ? (
            <LinkButton to={href('admin.mailTemplates.delete', { id: data.id })} variant="ghost" icon="undo">
              {t('reset')}
            </LinkButton>
          ) : undefined
        }
      />
      <LanguageTabs
        path={href('admin.mailTemplates.edit', { id: data.id })}
        current={data.locale}
        marked={data.changed}
      />
      <ContentOutcome answer={answer} address={data.preview.to} />
      <Editor key={`${data.locale} ${data.revision}`} data={data} answer={answer} choosesUser={seesUsers} />
    </Page>
  );
}
