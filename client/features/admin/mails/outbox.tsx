import { useState } from 'react';
import type { ReactNode } from 'react';
import { useLoaderData, useLocation, useNavigation, useSubmit } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { useErrorText } from '#client/lib/error-text.ts';
import { toFormFailure, type FormResult } from '#client/lib/form-action.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { isFiltered, readList } from '#client/lib/url-state.ts';
import { useListState } from '#client/lib/use-list-state.ts';
import { useNow } from '#client/lib/use-now.ts';
import { Badge } from '#client/ui/badge.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { CursorPager } from '#client/ui/cursor-pager.tsx';
import { DataTable, type Column } from '#client/ui/data-table.tsx';
import { dialogs } from '#client/ui/dialogs.ts';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { FilterBar, type Filter } from '#client/ui/filter-bar.tsx';
import { TextLink } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { StatTile, Stats } from '#client/ui/stat.tsx';
import { Status } from '#client/ui/status.tsx';
import { BulkBar } from '#client/ui/table-selection.tsx';
import { can } from '#shared/can.ts';
import type { OutboxRow } from '#shared/contract/mails.ts';
import { MAIL_STATES, MAIL_TEMPLATES, OWN_TEMPLATES } from '#shared/mails.ts';
import { href } from '#shared/routes/staff-href.ts';
import { hiddenTextOf, MAIL_SHAPES, OUTBOX_LIST, useTemplateName } from './parts.tsx';

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

interface Resent {
  readonly done: number;
  readonly refused: number;
}

/** Sends the chosen mails again. */
export async function action(args: ActionFunctionArgs): Promise<FormResult<Resent>> {
  const form = await args.request.formData();
  const ids = form.getAll('id').map(String);
  try {
    const { done, refused } = await apiOf(args).adminMails.resendMany({ body: { ids } });
    return { ok: true, result: { done, refused }, at: ids.join() };
  } catch (error) {
    return toFormFailure(error, form);
  }
}

/** /mc-admin/mails: every e-mail, and what became of it (behaviour 8.5) */
export default function OutboxScreen(): ReactNode {
  const t = useT('staffMails');
  const data = useLoaderData<typeof loader>();
  const { state, hrefOf } = useListState(OUTBOX_LIST);
  const { pathname } = useLocation();
  const navigation = useNavigation();
  const { counts } = data;
  const submit = useSubmit();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const selection = { selected, change: setSelected };
  const { permissions } = useShell().session;
  const mayResend = data.sends_mail && can(permissions, 'admin.mails.edit');
  const resend = async (): Promise<void> => {
    const count = selected.size;
    const ask = { title: t('resendMany', { count }), text: t('resendManyText'), ok: t('resend') };
    if (!(await dialogs.confirm(ask))) return;
    const form = new FormData();
    for (const id of selected) form.append('id', id);
    setSelected(new Set());
    await submit(form, { method: 'post', preventScrollReset: true });
  };
  const failed = counts.failed + counts.unknown;
  return (
    <Page>
      <PageHead title={t('outboxTitle')} text={t('outboxText')} crumbs={useCrumbs()} />
      <Outcome />
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
          {...(mayResend ? { selection } : {})}
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
      {mayResend && (
        <BulkBar selection={selection}>
          <Button size="sm" variant="ghost" icon="send" onClick={() => void resend()}>
            {t('resend')}
          </Button>
        </BulkBar>
      )}
    </Page>
  );
}

/** What became of the mails that were to be sent again. */
function Outcome(): ReactNode {
  const t = useT('staffMails');
  const text = useErrorText();
  const answer = useActionAnswer<FormResult<Resent>>();
  if (!answer) return null;
  if (!answer.ok) {
    return (
      <Banner tone="danger" live>
        {text.code(answer.code)}
      </Banner>
    );
  }
  const { done, refused } = answer.result;
  return (
    <Banner tone={refused > 0 ? 'warning' : 'positive'} live>
      {t('resentMany', { count: done })}
      {refused > 0 && ` ${t('refusedMany', { count: refused })}`}
    </Banner>
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
      options: [...MAIL_TEMPLATES, ...Object.values(OWN_TEMPLATES)].map((value) => ({ value, label: nameOf(value) })),
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
          <TextLink to={href('admin.mails.view', { id })}>{subject ?? t(hiddenTextOf(template))}</TextLink>
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
