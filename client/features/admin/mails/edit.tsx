import { useState } from 'react';
import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { toFormFailure, type FormFailure } from '#client/lib/form-action.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Badge } from '#client/ui/badge.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { LinkButton, TextLink } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { Tabs } from '#client/ui/tabs.tsx';
import { can } from '#shared/can.ts';
import type { MailContentView, MailPreviewView } from '#shared/contract/mail-templates.ts';
import { LOCALE_INFO, LOCALES, toLocale, type Locale } from '#shared/i18n/locales.ts';
import { href } from '#shared/routes/href.ts';
import { readContent } from './content.ts';
import { Editor } from './editor.tsx';
import { useTemplateName } from './parts.ts';

/** A mail in the language of the address, or in the visitor's. */
export async function loader(args: LoaderFunctionArgs) {
  const wanted = new URL(args.request.url).searchParams.get('lang');
  const locale = LOCALES.find((each) => each === wanted);
  return apiOf(args).adminMailTemplates.get({
    params: { id: args.params.id ?? '' },
    query: locale ? { locale } : {},
  });
}
export type TemplateData = Awaited<ReturnType<typeof loader>>;

/** The document's title begins with it. */
export const pageName = ({ preview }: TemplateData): string => preview.subject;

/** What the form answers. */
export type TemplateAnswer =
  | { readonly kind: 'preview'; readonly preview: MailPreviewView; readonly content: MailContentView }
  | { readonly kind: 'saved'; readonly ok: true; readonly at: string }
  | {
      readonly kind: 'tested';
      readonly ok: true;
      readonly at: string;
      readonly mail: string;
      readonly content: MailContentView;
    }
  | ({ readonly kind: 'failed'; readonly content: MailContentView } & FormFailure);

/** Stores a content, sends it to the visitor, or shows how it looks. */
export async function action(args: ActionFunctionArgs): Promise<TemplateAnswer> {
  const form = await args.request.formData();
  const api = apiOf(args).adminMailTemplates;
  const params = { id: args.params.id ?? '' };
  const locale: Locale = toLocale(String(form.get('_locale') ?? ''));
  const content = readContent(form);
  const at = String(form.get('_key') ?? '');
  const key = at === '' ? {} : { key: `${at}-${String(form.get('_intent'))}`.slice(0, 200) };
  const body = { locale, ...content };
  try {
    switch (form.get('_intent')) {
      case 'preview':
        return { kind: 'preview', content, preview: (await api.preview({ params, body })).preview };
      case 'test':
        return { kind: 'tested', ok: true, at, content, mail: (await api.test({ params, body }, key)).mail };
      default:
        await api.save({ params, body: { ...body, revision: Number(form.get('_revision')) } }, key);
        return { kind: 'saved', ok: true, at };
    }
  } catch (error) {
    return { kind: 'failed', ...toFormFailure(error, form), content };
  }
}

/** /mc-admin/mail-templates/:id/edit (behaviour 8.5) */
export default function MailTemplateScreen(): ReactNode {
  const t = useT('staffMails');
  const format = useFormat();
  const nameOf = useTemplateName();
  const data = useLoaderData<typeof loader>();
  const answer = useActionAnswer<TemplateAnswer>();
  const { permissions } = useShell().session;
  const [round, setRound] = useState<{ count: number; answer: unknown }>({ count: 0, answer: undefined });
  if (answer?.kind === 'saved' && answer !== round.answer) setRound({ count: round.count + 1, answer });
  const name = nameOf(data.id);
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
      <Tabs
        label={t('language')}
        items={LOCALES.map((locale) => ({
          to: `${href('admin.mailTemplates.edit', { id: data.id })}?lang=${locale}`,
          label: `${LOCALE_INFO[locale].name}${data.changed.includes(locale) ? ' •' : ''}`,
          current: locale === data.locale,
        }))}
      />
      {answer?.kind === 'saved' && (
        <Banner tone="positive" live>
          {t('saved')}
        </Banner>
      )}
      {answer?.kind === 'tested' && (
        <Banner tone="positive" live>
          {t('tested', { address: data.preview.to })}{' '}
          {can(permissions, 'admin.mails.list') && (
            <TextLink to={href('admin.mails.view', { id: answer.mail })}>{t('testFate')}</TextLink>
          )}
        </Banner>
      )}
      <Editor key={`${data.locale} ${round.count}`} data={data} answer={answer} />
    </Page>
  );
}
