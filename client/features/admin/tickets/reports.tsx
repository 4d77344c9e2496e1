import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { createFormat } from '#client/lib/format.ts';
import { useFormat, useI18n, useLocale, useT } from '#client/lib/i18n.tsx';
import { Card } from '#client/ui/card.tsx';
import { DataTable, type Column } from '#client/ui/data-table.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { Icon } from '#client/ui/icon.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { SegmentedLinks } from '#client/ui/segmented.tsx';
import { StatTile, Stats } from '#client/ui/stat.tsx';
import type { TicketReportRow } from '#shared/contract/ticket-reports.ts';
import { href } from '#shared/routes/staff-href.ts';
import { TICKET_REPORT_DAYS } from '#shared/tickets.ts';
import { axisText } from '#client/ui/axis.ts';
import { FlowChart } from '#client/ui/chart.tsx';

/** Figures of the days that the address asks for (`?days=`). */
export async function loader(args: LoaderFunctionArgs) {
  const asked = new URL(args.request.url).searchParams.get('days');
  const days = TICKET_REPORT_DAYS.find((each) => each === asked) ?? '30';
  return { ...(await apiOf(args).adminTicketReports.get({ query: { days } })), asked: days };
}
type Data = Awaited<ReturnType<typeof loader>>;

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
            href={`/api/admin/tickets/reports/export.csv?days=${data.asked}`}
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
            to: `${href('admin.tickets.reports')}?days=${days}`,
            label: t('days', { count: Number(days) }),
            current: days === data.asked,
          }))}
        />
        <KeyFigures data={data} />
        <Flow data={data} />
        <Figures title={t('byDepartment')} label={t('department')} rows={data.departments} />
        <Figures title={t('byPerson')} label={t('person')} rows={data.staff} />
      </div>
    </Page>
  );
}

/** Times and shares in words; a dash where there is nothing to say. */
function useWords() {
  const format = useFormat();
  return {
    time: (ms: number | null): string =>
      ms === null ? '–' : format.duration(Math.max(60_000, Math.round(ms / 60_000) * 60_000)),
    share: ({ rated, satisfied }: { rated: number; satisfied: number }): string =>
      rated === 0 ? '–' : format.percent(satisfied / rated),
  };
}

function KeyFigures({ data: { all } }: { data: Data }): ReactNode {
  const t = useT('ticketReports');
  const format = useFormat();
  const words = useWords();
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

/** What was opened and resolved each day. */
function Flow({ data }: { data: Data }): ReactNode {
  const t = useT('ticketReports');
  const { translator } = useI18n();
  const format = useFormat();
  const text = axisText(useLocale());
  const { days, opened, resolved, all } = data;
  if (all.opened === 0 && all.resolved === 0)
    return (
      <Card title={t('flow')}>
        <EmptyState art="log" title={t('none')} text={t('noneText')} />
      </Card>
    );
  const dayText = (index: number) => createFormat(translator, 'UTC').date(`${days[index] ?? ''}T12:00:00Z`);
  return (
    <Card title={t('flow')} text={t('flowText')}>
      <FlowChart
        days={days}
        text={text}
        stepLabel={t('step')}
        label={t('flowLabel', { opened: format.number(all.opened), resolved: format.number(all.resolved) })}
        series={[{ key: 'tickets', n: 0, minted: opened, burnt: resolved }]}
        read={(index) =>
          t('flowRead', {
            day: dayText(index),
            opened: format.number(opened[index] ?? 0),
            resolved: format.number(resolved[index] ?? 0),
          })
        }
      />
    </Card>
  );
}

function Figures(props: { title: string; label: string; rows: readonly TicketReportRow[] }): ReactNode {
  const { title, label, rows } = props;
  const t = useT('ticketReports');
  const format = useFormat();
  const words = useWords();
  const nameOf = ({ id, name }: TicketReportRow): string => name ?? t(id === '' ? 'nobody' : 'gone');
  const count = (key: 'opened' | 'answered' | 'resolved'): Column<TicketReportRow> => ({
    key,
    label: t(key),
    align: 'end',
    cell: (row) => format.number(row[key]),
  });
  return (
    <Card title={title} flush>
      <DataTable
        caption={title}
        rows={rows}
        rowKey={(row) => row.id}
        rowName={nameOf}
        columns={[
          { key: 'name', label, title: true, cell: nameOf },
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
