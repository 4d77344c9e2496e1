import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Field } from '#client/ui/field.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { Select } from '#client/ui/select.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { can } from '#shared/can.ts';
import { LOCALES } from '#shared/i18n/locales.ts';
import { MAIL_KINDS } from '#shared/mails.ts';
import { href } from '#shared/routes/staff-href.ts';
import { Editor } from './editor.tsx';
import { ContentOutcome, LanguageTabs } from './parts.tsx';
import { submitContent, type ContentAnswer } from './submit.ts';

/** The mail in the language of the address, or in the visitor's. */
export async function loader(args: LoaderFunctionArgs) {
  const wanted = new URL(args.request.url).searchParams.get('lang');
  const locale = LOCALES.find((each) => each === wanted);
  return apiOf(args).adminOwnMails.get({ params: { id: args.params.id ?? '' }, query: locale ? { locale } : {} });
}
type Data = Awaited<ReturnType<typeof loader>>;

/** What concerns the whole mail, as the form says it. */
function readFields(form: FormData) {
  return {
    name: String(form.get('name') ?? ''),
    kind: MAIL_KINDS.find((each) => each === form.get('mail_kind')) ?? 'news',
    link: String(form.get('link') ?? ''),
  };
}

/** Stores the mail, sends it to the visitor, or shows how it looks. */
export async function action(args: ActionFunctionArgs): Promise<ContentAnswer> {
  const api = apiOf(args).adminOwnMails;
  const params = { id: args.params.id ?? '' };
  return submitContent(args, {
    preview: ({ form, locale, content }) => api.preview({ params, body: { locale, ...content, ...readFields(form) } }),
    test: ({ form, locale, content, key }) =>
      api.test({ params, body: { locale, ...content, ...readFields(form) } }, key),
    save: ({ form, locale, content, key }) => {
      const revision = Number(form.get('_revision'));
      return api.save({ params, body: { locale, ...content, ...readFields(form), revision } }, key);
    },
  });
}

/** The document's title begins with it. */
export const pageName = ({ name }: Data): string => name;

/** /mc-admin/mail-templates/own/:id/edit (behaviour 8.5) */
export default function OwnMailScreen(): ReactNode {
  const t = useT('staffMails');
  const format = useFormat();
  const data = useLoaderData<typeof loader>();
  const answer = useActionAnswer<ContentAnswer>();
  const { permissions } = useShell().session;
  return (
    <Page>
      <PageHead
        title={data.name}
        text={t('changedBy', { name: data.updated_by ?? t('someone'), date: format.dateTime(data.updated_at) })}
        crumbs={useCrumbs({ 'admin.ownMails.edit': data.name })}
        actions={
          can(permissions, 'admin.users.edit') ? (
            <LinkButton to={href('admin.ownMails.send', { id: data.id })} variant="ghost" icon="send">
              {t('ownSend')}
            </LinkButton>
          ) : undefined
        }
      />
      <LanguageTabs path={href('admin.ownMails.edit', { id: data.id })} current={data.locale} marked={data.locales} />
      <ContentOutcome answer={answer} address={data.preview.to} />
      <Editor key={`${data.locale} ${data.revision}`} data={{ ...data, original: null }} answer={answer}>
        <Field label={t('ownName')} name="name" hint={t('ownNameHint')} required>
          <TextInput maxLength={80} defaultValue={data.name} autoComplete="off" />
        </Field>
        <Field label={t('ownKind')} name="mail_kind" hint={t('ownKindHint')}>
          <Select
            defaultValue={data.kind}
            options={MAIL_KINDS.map((value) => ({ value, label: t(`kind.${value}`) }))}
          />
        </Field>
        <Field label={t('ownLink')} name="link" hint={t('ownLinkHint')} required>
          <TextInput mono maxLength={300} defaultValue={data.link} inputMode="url" autoComplete="off" />
        </Field>
      </Editor>
    </Page>
  );
}
