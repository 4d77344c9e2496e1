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
import { EmptyState } from '#client/ui/empty-state.tsx';
import { LinkButton, TextLink } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { can } from '#shared/can.ts';
import { LOCALE_INFO } from '#shared/i18n/locales.ts';
import { href } from '#shared/routes/staff-href.ts';
import { MAIL_GROUP_OF, MAIL_GROUPS } from './groups.ts';
import { useTemplateName } from './parts.tsx';

/** The product's mails. */
export async function loader(args: LoaderFunctionArgs) {
  const api = apiOf(args);
  const [product, own] = await Promise.all([api.adminMailTemplates.list({}), api.adminOwnMails.list()]);
  return { rows: product.rows, own: own.rows };
}
type Data = Awaited<ReturnType<typeof loader>>;
type Row = Data['rows'][number];
type OwnRow = Data['own'][number];

/** /mc-admin/mail-templates (behaviour 8.5) */
export default function MailTemplatesScreen(): ReactNode {
  const t = useT('staffMails');
  const nameOf = useTemplateName();
  const { rows, own } = useLoaderData<typeof loader>();
  const { permissions } = useShell().session;
  const columns = useColumns(permissions);
  const done = new URLSearchParams(useLocation().search).get('done');
  return (
    <Page>
      <PageHead
        title={t('templatesTitle')}
        text={t('templatesText')}
        crumbs={useCrumbs()}
        actions={
          <>
            {can(permissions, 'admin.mails.list') && (
              <LinkButton to={href('admin.mails.list')} variant="ghost" icon="send">
                {t('outboxTitle')}
              </LinkButton>
            )}
            {can(permissions, 'admin.mail.templates.create') && (
              <LinkButton to={href('admin.ownMails.create')} variant="primary" icon="plus">
                {t('ownCreate')}
              </LinkButton>
            )}
          </>
        }
      />
      {(done === 'reset' || done === 'delete') && (
        <Banner tone="positive" live>
          {t(done === 'reset' ? 'resetDone' : 'ownDeleted')}
        </Banner>
      )}
      <Card title={t('ownTitle')} text={t('ownText')} flush>
        <DataTable
          phone="lines"
          caption={t('ownTitle')}
          columns={useOwnColumns(permissions)}
          rows={own}
          rowKey={({ id }) => id}
          rowName={({ name }) => name}
          state={<EmptyState art="mail" title={t('ownNone')} text={t('ownNoneText')} />}
        />
      </Card>
      <Card title={t('productTitle')} text={t('productText')} flush>
        {MAIL_GROUPS.map((group) => (
          <div key={group} className="sp-mailgroup">
            <h3 className="sp-card__h3">{t(`group.${group}`)}</h3>
            <DataTable
              phone="lines"
              caption={t(`group.${group}`)}
              columns={columns}
              rows={rows.filter(({ id }) => MAIL_GROUP_OF[id] === group)}
              rowKey={({ id }) => id}
              rowName={({ id }) => nameOf(id)}
            />
          </div>
        ))}
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

/** The host's own mails: to be written, sent, deleted. */
function useOwnColumns(permissions: readonly string[]): readonly Column<OwnRow>[] {
  const t = useT('staffMails');
  const format = useFormat();
  const opens = can(permissions, 'admin.mail.templates.edit');
  const sends = opens && can(permissions, 'admin.users.edit');
  const deletes = can(permissions, 'admin.mail.templates.delete');
  return [
    {
      key: 'name',
      label: t('ownName'),
      title: true,
      wrap: true,
      cell: ({ id, name, kind, locales }) => (
        <span className="sp-mailrow">
          {opens ? <TextLink to={href('admin.ownMails.edit', { id })}>{name}</TextLink> : name}
          <small>{[t(`kind.${kind}`), ...locales.map((locale) => LOCALE_INFO[locale].name)].join(' · ')}</small>
        </span>
      ),
    },
    {
      key: 'sent',
      label: t('columnSent'),
      cell: ({ sent_at: at, is_sending: isSending }) =>
        isSending ? (
          <Badge tone="info">{t('campaign.sending')}</Badge>
        ) : at === null ? (
          <span className="sp-muted">{t('neverSent')}</span>
        ) : (
          <time dateTime={at}>{format.dateTime(at)}</time>
        ),
    },
    ...(sends || deletes
      ? [
          {
            key: 'commands',
            label: t('commands'),
            align: 'end' as const,
            cell: ({ id, name }: OwnRow) => (
              <span className="sp-mailrow__badges sp-mailrow__commands">
                {sends && (
                  <LinkButton
                    to={href('admin.ownMails.send', { id })}
                    size="sm"
                    variant="ghost"
                    icon="send"
                    aria-label={`${t('ownSend')}: ${name}`}
                  >
                    {t('ownSend')}
                  </LinkButton>
                )}
                {deletes && (
                  <LinkButton
                    to={href('admin.ownMails.delete', { id })}
                    size="sm"
                    variant="ghost"
                    icon="trash"
                    aria-label={t('ownDeleteTitle', { name })}
                  >
                    {t('ownDelete')}
                  </LinkButton>
                )}
              </span>
            ),
          },
        ]
      : []),
  ];
}
