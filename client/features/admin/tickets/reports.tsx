import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Card } from '#client/ui/card.tsx';
import { DataTable, type Column } from '#client/ui/data-table.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { Icon } from '#client/ui/icon.tsx';
import { TextLink } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { SegmentedLinks } from '#client/ui/segmented.tsx';
import { StatTile, Stats } from '#client/ui/stat.tsx';
import type { TicketReportRow } from '#shared/contract/ticket-reports.ts';
import { href } from '#shared/routes/staff-href.ts';
import { TICKET_REPORT_DAYS } from '#shared/tickets.ts';
import { UUID } from './query.ts';
import { ReportCharts, useReportWords } from './report-charts.tsx';

/** Figures of the days that the address asks for (`?days=`), also of one department or one person alone. */
export async function loader(args: LoaderFunctionArgs) {
  const params = new URL(args.request.url).searchParams;
  const days = TICKET_REPORT_DAYS.find((each) => each === params.get('days')) ?? '30';
  const part = PARTS.find((each) => UUID.test(params.get(each) ?? ''));
  const query: Asked = { days, ...(part ? { [part]: params.get(part) ?? '' } : {}) };
  return { ...(await apiOf(args).adminTicketReports.get({ query })), asked: query };
}
export type ReportData = Awaited<ReturnType<typeof loader>>;

const PARTS = ['department', 'person'] as const;
/** What an address asks for: days, and whose tickets. */
interface Asked extends Partial<Record<(typeof PARTS)[number], string>> {
  readonly days: (typeof TICKET_REPORT_DAYS)[number];
}
const addressOf = (asked: Asked): string =>
  `${href('admin.tickets.reports')}?${new URLSearchParams({ ...asked }).toString()}`;

/** /mc-admin/tickets/reports (behaviour 7.3) */
export default function TicketReportsScreen(): ReactNode {
  const t = useT('ticketReports');
  const data = useLoaderData<typeof loader>();
  return (
    <Page>
      <PageHead
        title={t('title')}
        text={t('text')}
        crumbs={useCrumbs()}
        actions={
          <a
            className="sp-btn"
            data-variant="ghost"
            href={`/api/admin/tickets/reports/export.csv?days=${data.asked.days}`}
            download
          >
            <Icon name="download" />
            {t('export')}
          </a>
        }
      />
      <div className="sp-economy sp-stack">
        <SegmentedLinks
          label={t('range')}
          items={TICKET_REPORT_DAYS.map((days) => ({
            to: addressOf({ ...data.asked, days }),
            label: t('days', { count: Number(days) }),
            current: days === data.asked.days,
          }))}
        />
        <PartShown data={data} />
        <KeyFigures data={data} />
        <ReportCharts data={data} />
        <Figures title={t('byDepartment')} part="department" rows={data.departments} asked={data.asked} />
        <Figures title={t('byPerson')} part="person" rows={data.staff} asked={data.asked} />
      </div>
    </Page>
  );
}

function KeyFigures({ data: { all } }: { data: ReportData }): ReactNode {
  const t = useT('ticketReports');
  const format = useFormat();
  const words = useReportWords();
  return (
    <Card flush>
      <Stats>
        <StatTile
          label={t('opened')}
          value={format.number(all.opened)}
          note={`${t('resolved')} ${format.number(all.resolved)}`}
        />
        <StatTile label={t('firstAnswer')} value={words.time(all.answer_ms)} />
        <StatTile label={t('resolution')} value={words.time(all.resolve_ms)} />
        <StatTile label={t('satisfied')} value={words.share(all)} note={t('ratings', { count: all.rated })} />
      </Stats>
    </Card>
  );
}

function useNameOf(): (row: TicketReportRow) => string {
  const t = useT('ticketReports');
  return ({ id, name }) => name ?? t(id === '' ? 'nobody' : 'gone');
}

/** Whose figures these are, where they are not those of all. */
function PartShown({ data: { asked, departments, staff } }: { data: ReportData }): ReactNode {
  const t = useT('ticketReports');
  const nameOf = useNameOf();
  const { days, department, person } = asked;
  const id = department ?? person;
  if (id === undefined) return null;
  const row = (department === undefined ? staff : departments).find((each) => each.id === id);
  return (
    <Banner icon="filter" action={<TextLink to={addressOf({ days })}>{t('showAll')}</TextLink>}>
      {t('only', { name: row ? nameOf(row) : t('gone') })}
    </Banner>
  );
}

interface FiguresProps {
  readonly title: string;
  readonly part: (typeof PARTS)[number];
  readonly rows: readonly TicketReportRow[];
  readonly asked: Asked;
}

/** Departments or people; a name leads to its own charts. */
function Figures({ title, part, rows, asked }: FiguresProps): ReactNode {
  const t = useT('ticketReports');
  const format = useFormat();
  const words = useReportWords();
  const nameOf = useNameOf();
  const count = (key: 'opened' | 'answered' | 'resolved'): Column<TicketReportRow> => ({
    key,
    label: t(key),
    align: 'end',
    cell: (row) => format.number(row[key]),
  });
  const name = (row: TicketReportRow): ReactNode =>
    row.id === '' ? (
      nameOf(row)
    ) : (
      <TextLink to={addressOf({ days: asked.days, [part]: row.id })}>{nameOf(row)}</TextLink>
    );
  return (
    <Card title={title} flush>
      <DataTable
        caption={title}
        rows={rows}
        rowKey={(row) => row.id}
        rowName={nameOf}
        columns={[
          { key: 'name', label: t(part), title: true, cell: name },
          count('opened'),
          count('answered'),
          count('resolved'),
          { key: 'first', label: t('firstAnswer'), align: 'end', cell: (row) => words.time(row.answer_ms) },
          { key: 'resolve', label: t('resolution'), align: 'end', cell: (row) => words.time(row.resolve_ms) },
          { key: 'rated', label: t('satisfied'), align: 'end', cell: (row) => words.share(row) },
        ]}
        state={<EmptyState as="h3" title={t('none')} text={t('noneText')} />}
      />
    </Card>
  );
}
