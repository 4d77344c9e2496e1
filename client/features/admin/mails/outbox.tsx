import type { ReactNode } from 'react';
import { useLoaderData, useLocation, useNavigation } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { isFiltered, readList } from '#client/lib/url-state.ts';
import { useListState } from '#client/lib/use-list-state.ts';
import { useNow } from '#client/lib/use-now.ts';
import { Badge } from '#client/ui/badge.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Card } from '#client/ui/card.tsx';
import { CursorPager } from '#client/ui/cursor-pager.tsx';
import { DataTable, type Column } from '#client/ui/data-table.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { FilterBar, type Filter } from '#client/ui/filter-bar.tsx';
import { TextLink } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { StatTile, Stats } from '#client/ui/stat.tsx';
import { Status } from '#client/ui/status.tsx';
import type { OutboxRow } from '#shared/contract/mails.ts';
import { MAIL_STATES, MAIL_TEMPLATES } from '#shared/mails.ts';
import { href } from '#shared/routes/href.ts';
import { MAIL_SHAPES, OUTBOX_LIST, useTemplateName } from './parts.ts';

/** A page of the outbox, as the address narrows it. */
export async function loader(args: LoaderFunctionArgs) {
  const { filters, q, cursor } = readList(new URL(args.request.url).search, OUTBOX_LIST);
  const query = {
    state: MAIL_STATES.find((each) => each === filters.state),
    ...(filters.template ? { template: filters.template.slice(0, 100) } : {}),
    ...(q ? { q: q.slice(0, 100) } : {}),
    ...(cursor && 'before' in cursor ? { before: cursor.before } : {}),
  };
  return { ...(await apiOf(args).adminMails.list({ query })), isFirst: cursor === undefined };
}

/** /mc-admin/mails: every e-mail, and what became of it (behaviour 8.5) */
export default function OutboxScreen(): ReactNode {
  const t = useT('staffMails');
  const data = useLoaderData<typeof loader>();
  const { state, hrefOf } = useListState(OUTBOX_LIST);
  const { pathname } = useLocation();
  const navigation = useNavigation();
  const { counts } = data;
  const failed = counts.failed + counts.unknown;
  return (
    <Page>
      <PageHead title={t('outboxTitle')} text={t('outboxText')} crumbs={useCrumbs()} />
      {!data.sends_mail && <Banner tone="warning">{t('noServer')}</Banner>}
      <Card flush>
        <Stats>
          <StatTile label={t('figureWaiting')} value={counts.waiting} note={t('figureDays')} />
          <StatTile label={t('figureSent')} value={counts.sent} note={t('figureDays')} />
          <StatTile label={t('figureFailed')} value={counts.failed} note={t('figureDays')} />
          {(data.sends_mail || failed > 0) && (
            <StatTile label={t('figureUnknown')} value={counts.unknown} note={t('figureDays')} />
          )}
          {counts.kept > 0 && <StatTile label={t('figureKept')} value={counts.kept} note={t('figureDays')} />}
        </Stats>
        <FilterBar spec={OUTBOX_LIST} state={state} hrefOf={hrefOf} searchLabel={t('search')} filters={useFilters()} />
        <DataTable
          phone="lines"
          caption={t('outboxTitle')}
          columns={useColumns()}
          rows={data.rows}
          rowKey={({ id }) => id}
          rowName={({ subject, address }) => subject ?? address}
          state={
            isFiltered(state) ? (
              <EmptyState as="h2" art="search" title={t('noMatch')} text={t('noMatchText')} />
            ) : (
              <EmptyState as="h2" art="mail" title={t('empty')} text={t('emptyText')} />
            )
          }
          busy={navigation.state === 'loading' && navigation.location.pathname === pathname}
        />
        <CursorPager
          words="time"
          first={data.isFirst ? null : hrefOf({ cursor: null })}
          previous={null}
          next={data.older === null ? null : hrefOf({ cursor: { before: data.older } })}
        />
      </Card>
    </Page>
  );
}

function useFilters(): readonly Filter[] {
  const t = useT('staffMails');
  const nameOf = useTemplateName();
  return [
    {
      name: 'state',
      label: t('stateLabel'),
      options: MAIL_STATES.map((value) => ({ value, label: t(`state.${value}`) })),
    },
    {
      name: 'template',
      label: t('templateLabel'),
      options: MAIL_TEMPLATES.map((value) => ({ value, label: nameOf(value) })),
    },
  ];
}

function useColumns(): readonly Column<OutboxRow>[] {
  const t = useT('staffMails');
  const format = useFormat();
  const now = useNow(60_000);
  const nameOf = useTemplateName();
  return [
    {
      key: 'subject',
      label: t('columnSubject'),
      title: true,
      wrap: true,
      cell: ({ id, subject, template }) => (
        <span className="sp-mailrow">
          <TextLink to={href('admin.mails.view', { id })}>{subject ?? t('hidden')}</TextLink>
          <small>{nameOf(template)}</small>
        </span>
      ),
    },
    {
      key: 'to',
      label: t('columnTo'),
      wrap: true,
      cell: ({ address, username }) => (
        <span className="sp-mailrow">
          <span>{address}</span>
          {username !== null && <small>{username}</small>}
        </span>
      ),
    },
    {
      key: 'state',
      label: t('columnState'),
      cell: ({ state, attempts, bounced }) => (
        <span className="sp-mailrow">
          <Status shape={MAIL_SHAPES[state]}>{t(`state.${state}`)}</Status>
          {bounced ? (
            <Badge tone="danger">{t('bounced')}</Badge>
          ) : (
            attempts > 1 && <small>{t('attempts', { count: attempts })}</small>
          )}
        </span>
      ),
    },
    {
      key: 'error',
      label: t('columnServer'),
      wrap: true,
      hideOnPhone: true,
      cell: ({ error }) => (error === null ? null : <small className="sp-mailrow__words">{error}</small>),
    },
    {
      key: 'created',
      label: t('columnAt'),
      cell: ({ created_at: at }) => <time dateTime={at}>{format.when(at, now)}</time>,
    },
  ];
}
