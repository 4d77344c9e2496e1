import type { ReactNode } from 'react';
import { useFormat, useLooseT, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Card } from '#client/ui/card.tsx';
import { DataTable, type Column } from '#client/ui/data-table.tsx';
import { Disclosure } from '#client/ui/disclosure.tsx';
import { Status } from '#client/ui/status.tsx';
import type { HealthView } from '#shared/contract/health.ts';
import { useSpanText } from '../parts/health-texts.ts';

type Job = HealthView['jobs'][number];

/**
 * What runs by itself: when it ran, how long it took, and how it went. Those that failed stand open, all behind a
 * click.
 */
export function JobsCard({ jobs }: { jobs: readonly Job[] }): ReactNode {
  const t = useT('health');
  const name = useJobName();
  const failed = jobs.filter(({ error }) => error !== null);
  return (
    <Card title={t('jobs')} count={jobs.length} text={t(failed.length === 0 ? 'jobsFine' : 'jobsText')} flush>
      {failed.length > 0 && <Jobs caption={t('jobs')} rows={failed} />}
      <div className="sp-health-jobs">
        <Disclosure label={t('jobsAll', { count: jobs.length })}>
          <Jobs
            caption={t('jobsAll', { count: jobs.length })}
            rows={jobs.toSorted((a, b) => name(a).localeCompare(name(b)))}
          />
        </Disclosure>
      </div>
    </Card>
  );
}

function Jobs({ caption, rows }: { caption: string; rows: readonly Job[] }): ReactNode {
  const name = useJobName();
  return (
    <DataTable
      phone="lines"
      caption={caption}
      columns={useColumns()}
      rows={rows}
      rowKey={(row) => row.name}
      rowName={name}
    />
  );
}

/** The name of a job; its code where it has none. */
function useJobName(): (job: Job) => string {
  const loose = useLooseT('health');
  return ({ name }) => loose(`task.${name.replaceAll('.', '_')}`) || name;
}

function useColumns(): readonly Column<Job>[] {
  const t = useT('health');
  const format = useFormat();
  const span = useSpanText();
  const name = useJobName();
  const nowMs = Date.parse(useShell().now);
  return [
    { key: 'job', label: t('job'), title: true, wrap: true, cell: name },
    {
      key: 'last',
      label: t('lastRun'),
      phone: 'lead',
      cell: ({ last_at: at }) => (at === null ? t('never') : <time dateTime={at}>{format.relative(at, nowMs)}</time>),
    },
    { key: 'took', label: t('took'), align: 'end', cell: ({ took_ms: ms }) => (ms === null ? '–' : span(ms)) },
    {
      key: 'next',
      label: t('next'),
      cell: ({ next_at: at }) =>
        Date.parse(at) <= nowMs ? t('due') : <time dateTime={at}>{format.relative(at, nowMs)}</time>,
    },
    { key: 'recent', label: t('recent'), cell: (row) => <Recent runs={row.recent} /> },
    { key: 'result', label: t('result'), wrap: true, cell: (row) => <Result job={row} /> },
  ];
}

/** The last runs, a bar each. */
function Recent({ runs }: { runs: readonly boolean[] }): ReactNode {
  const t = useT('health');
  if (runs.length === 0) return '–';
  return (
    <>
      <span className="sp-sr">{t('recentLabel', { ok: runs.filter(Boolean).length, all: runs.length })}</span>
      <span className="sp-health-runs" aria-hidden>
        {runs.map((wentWell, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- a run is its place
          <i key={at} data-failed={!wentWell || undefined} />
        ))}
      </span>
    </>
  );
}

function Result({ job }: { job: Job }): ReactNode {
  const t = useT('health');
  if (job.error !== null)
    return (
      <span className="sp-health-error">
        <Status shape="failed">{job.error}</Status>
      </span>
    );
  if (job.last_at === null) return <Status shape="off">{t('never')}</Status>;
  return job.took_ms === null ? (
    <Status shape="installing">{t('running')}</Status>
  ) : (
    <Status shape="active">{t('jobOk')}</Status>
  );
}
