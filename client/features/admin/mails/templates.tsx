import type { ReactNode } from 'react';
import { useLoaderData, useLocation } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Badge } from '#client/ui/badge.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Card } from '#client/ui/card.tsx';
import { DataTable, type Column } from '#client/ui/data-table.tsx';
import { LinkButton, TextLink } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { can } from '#shared/can.ts';
import { LOCALE_INFO } from '#shared/i18n/locales.ts';
import { href } from '#shared/routes/href.ts';
import { useTemplateName } from './parts.ts';

/** The product's mails. */
export async function loader(args: LoaderFunctionArgs) {
  return apiOf(args).adminMailTemplates.list({});
}
type Row = Awaited<ReturnType<typeof loader>>['rows'][number];

/** /mc-admin/mail-templates (behaviour 8.5) */
export default function MailTemplatesScreen(): ReactNode {
  const t = useT('staffMails');
  const nameOf = useTemplateName();
  const { rows } = useLoaderData<typeof loader>();
  const { permissions } = useShell().session;
  const isReset = new URLSearchParams(useLocation().search).get('done') === 'reset';
  return (
    <Page>
      <PageHead
        title={t('templatesTitle')}
        text={t('templatesText')}
        crumbs={useCrumbs()}
        actions={
          can(permissions, 'admin.mails.list') ? (
            <LinkButton to={href('admin.mails.list')} variant="ghost" icon="send">
              {t('outboxTitle')}
            </LinkButton>
          ) : undefined
        }
      />
      {isReset && (
        <Banner tone="positive" live>
          {t('resetDone')}
        </Banner>
      )}
      <Card flush>
        <DataTable
          phone="lines"
          caption={t('templatesTitle')}
          columns={useColumns(permissions)}
          rows={rows}
          rowKey={({ id }) => id}
          rowName={({ id }) => nameOf(id)}
        />
      </Card>
    </Page>
  );
}

function useColumns(permissions: readonly string[]): readonly Column<Row>[] {
  const t = useT('staffMails');
  const format = useFormat();
  const nameOf = useTemplateName();
  const opens = can(permissions, 'admin.mail.templates.edit');
  const resets = can(permissions, 'admin.mail.templates.delete');
  return [
    {
      key: 'name',
      label: t('template'),
      title: true,
      wrap: true,
      cell: ({ id, subject }) => (
        <span className="sp-mailrow">
          {opens ? <TextLink to={href('admin.mailTemplates.edit', { id })}>{nameOf(id)}</TextLink> : nameOf(id)}
          <small>{subject}</small>
        </span>
      ),
    },
    {
      key: 'changed',
      label: t('columnChanged'),
      cell: ({ changed }) =>
        changed.length === 0 ? (
          <span className="sp-muted">{t('original')}</span>
        ) : (
          <span className="sp-mailrow__badges">
            {changed.map((locale) => (
              <Badge key={locale} tone="info">
                {LOCALE_INFO[locale].name}
              </Badge>
            ))}
          </span>
        ),
    },
    {
      key: 'updated',
      label: t('columnUpdated'),
      hideOnPhone: true,
      cell: ({ updated_at: at }) => (at === null ? null : <time dateTime={at}>{format.dateTime(at)}</time>),
    },
    ...(resets
      ? [
          {
            key: 'reset',
            label: t('reset'),
            align: 'end' as const,
            cell: ({ id, changed }: Row) =>
              changed.length === 0 ? null : (
                <LinkButton
                  to={href('admin.mailTemplates.delete', { id })}
                  size="sm"
                  variant="ghost"
                  icon="undo"
                  aria-label={t('resetWhat', { name: nameOf(id) })}
                >
                  {t('reset')}
                </LinkButton>
              ),
          },
        ]
      : []),
  ];
}
