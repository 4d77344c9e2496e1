import type { ReactNode } from 'react';
import { Link, useLoaderData } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useLive } from '#client/lib/live.ts';
import { useShell } from '#client/lib/shell-context.ts';
import { TICKET_SHAPES } from '#client/lib/ticket-text.ts';
import { useNow } from '#client/lib/use-now.ts';
import { Badge } from '#client/ui/badge.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { CursorPager } from '#client/ui/cursor-pager.tsx';
import { DataTable, type Column } from '#client/ui/data-table.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { Field } from '#client/ui/field.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { Select } from '#client/ui/select.tsx';
import { Status } from '#client/ui/status.tsx';
import { Tabs } from '#client/ui/tabs.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { can } from '#shared/can.ts';
import { PAST_CURSOR } from '#shared/past-cursor.ts';
import { href } from '#shared/routes/href.ts';
import { TICKET_VIEWS, type TicketView } from '#shared/tickets.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A page of one list of the inbox; the address says which (`?view=`, `department=`, `q=`, `after=`). */
export async function loader(args: LoaderFunctionArgs) {
  const params = new URL(args.request.url).searchParams;
  const view = TICKET_VIEWS.find((each) => each === params.get('view')) ?? 'inbox';
  const q = (params.get('q') ?? '').slice(0, 100);
  const department = UUID.test(params.get('department') ?? '') ? (params.get('department') ?? '') : '';
  const after = PAST_CURSOR.test(params.get('after') ?? '') ? (params.get('after') ?? '') : '';
  const listed = await apiOf(args).adminTickets.list({
    query: {
      view,
      ...(q === '' ? {} : { q }),
      ...(department === '' ? {} : { department }),
      ...(after === '' ? {} : { after }),
    },
  });
  return { ...listed, view, q, department, isFirst: after === '' };
}
type Data = Awaited<ReturnType<typeof loader>>;
type Row = Data['rows'][number];

/** The address of a list. */
function addressOf(view: TicketView, { q = '', department = '', after = '' }): string {
  const params = new URLSearchParams();
  if (view !== 'inbox') params.set('view', view);
  if (q !== '') params.set('q', q);
  if (department !== '') params.set('department', department);
  if (after !== '') params.set('after', after);
  const search = params.toString();
  return search === '' ? href('admin.tickets.list') : `${href('admin.tickets.list')}?${search}`;
}

/** /mc-admin/tickets (behaviour 7.3) */
export default function StaffTicketsScreen(): ReactNode {
  const t = useT('staffTickets');
  const data = useLoaderData<typeof loader>();
  const { view, q, department, counts, rows, more, isFirst } = data;
  useLive(['tickets']);
  const columns = useColumns();
  return (
    <Page>
      <PageHead title={t('title')} text={t('text')} crumbs={useCrumbs()} />
      <Card flush>
        <Tabs
          label={t('views')}
          items={TICKET_VIEWS.map((each) => ({
            to: addressOf(each, { department }),
            label: (
              <>
                {t(`view.${each}`)}
                {each !== 'closed' && counts[each] > 0 && <Count value={counts[each]} />}
              </>
            ),
            current: each === view,
          }))}
        />
        <Filters data={data} />
        <DataTable
          phone="lines"
          caption={t(`view.${view}`)}
          columns={columns}
          rows={rows}
          rowKey={(row) => row.id}
          rowName={(row) => row.subject}
          state={
            q !== '' || department !== '' ? (
              <EmptyState as="h2" art="search" title={t('noMatch')} text={t('noMatchText')} />
            ) : (
              <EmptyState as="h2" art="circle-check" title={t(`empty.${view}`)} text={t('emptyText')} />
            )
          }
        />
      </Card>
      <CursorPager
        words="list"
        first={isFirst ? null : addressOf(view, { q, department })}
        previous={null}
        next={more === null ? null : addressOf(view, { q, department, after: more })}
      />
    </Page>
  );
}

/** How many there are, counted up to a thousand. */
function Count({ value }: { value: number }): ReactNode {
  const format = useFormat();
  return (
    <>
      {' '}
      <Badge>{value >= 1000 ? `${format.number(999)}+` : format.number(value)}</Badge>
    </>
  );
}

/** A number or a username, and a department. */
function Filters({ data: { view, q, department, departments } }: { data: Data }): ReactNode {
  const t = useT('staffTickets');
  return (
    <search>
      <form className="sp-filterbar" action={href('admin.tickets.list')}>
        {view !== 'inbox' && <input type="hidden" name="view" value={view} />}
        <Field label={t('search')} name="q" hideLabel>
          <TextInput type="search" icon="search" name="q" placeholder={t('search')} defaultValue={q} key={q} />
        </Field>
        {departments.length > 1 && (
          <Field label={t('department')} name="department" hideLabel>
            <Select
              name="department"
              placeholder={t('allDepartments')}
              defaultValue={department}
              key={department}
              options={departments.map(({ id, name }) => ({ value: id, label: name }))}
            />
          </Field>
        )}
        <Button type="submit">{t('find')}</Button>
      </form>
    </search>
  );
}

function useColumns(): readonly Column<Row>[] {
  const t = useT('staffTickets');
  const words = useT('tickets');
  const format = useFormat();
  const nowMs = useNow(60_000);
  const opens = can(useShell().session.permissions, 'admin.tickets.view');
  return [
    {
      key: 'subject',
      label: t('subject'),
      phone: 'lead',
      wrap: true,
      cell: ({ id, subject }) =>
        opens ? (
          <Link className="sp-link" to={href('admin.tickets.view', { id })}>
            {subject}
          </Link>
        ) : (
          subject
        ),
    },
    { key: 'number', label: t('number'), cell: ({ number }) => words('number', { number: String(number) }) },
    { key: 'user', label: t('user'), cell: ({ username }) => username ?? words('gone') },
    { key: 'department', label: t('department'), cell: ({ department }) => department ?? '–', hideOnPhone: true },
    {
      key: 'priority',
      label: t('priority'),
      cell: ({ priority }) =>
        priority === 'high' || priority === 'urgent' ? (
          <Badge tone={priority === 'urgent' ? 'danger' : 'warning'}>{words(`priority.${priority}`)}</Badge>
        ) : (
          words(`priority.${priority}`)
        ),
    },
    {
      key: 'assignee',
      label: t('assignee'),
      cell: ({ assignee }) => (assignee === null ? t('nobody') : (assignee.username ?? words('gone'))),
      hideOnPhone: true,
    },
    {
      key: 'status',
      label: t('status'),
      cell: ({ status }) => <Status shape={TICKET_SHAPES[status]}>{words(`staffStatus.${status}`)}</Status>,
    },
    {
      key: 'since',
      label: t('since'),
      align: 'end',
      cell: ({ since }) => <time dateTime={since}>{format.relative(since, nowMs)}</time>,
    },
  ];
}
