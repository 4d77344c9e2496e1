import type { ReactNode } from 'react';
import { createFormat } from '#client/lib/format.ts';
import { useFormat, useI18n, useLocale, useT } from '#client/lib/i18n.tsx';
import { axisText } from '#client/ui/axis.ts';
import { Card } from '#client/ui/card.tsx';
import { FlowChart, LineChart } from '#client/ui/chart.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { HOUR, MINUTE } from '#shared/time.ts';
import type { ReportData } from './reports.tsx';

/** Times and shares in words; a dash where there is nothing to say. */
export function useReportWords() {
  const format = useFormat();
  return {
    time: (ms: number | null): string =>
      ms === null ? '–' : format.duration(Math.max(MINUTE, Math.round(ms / MINUTE) * MINUTE)),
    share: ({ rated, satisfied }: { rated: number; satisfied: number }): string =>
      rated === 0 ? '–' : format.percent(satisfied / rated),
  };
}

/** Day by day: what was opened and resolved, how content users were, and how long answers and resolutions took. */
export function ReportCharts({ data }: { data: ReportData }): ReactNode {
  const t = useT('ticketReports');
  const { all } = data;
  if (all.opened === 0 && all.resolved === 0 && all.rated === 0)
    return (
      <Card title={t('flow')}>
        <EmptyState art="log" title={t('none')} text={t('noneText')} />
      </Card>
    );
  return (
    <div className="sp-halves" data-stretch>
      <Flow data={data} />
      <Satisfaction data={data} />
      <Times
        title={t('answerTimes')}
        text={t('answerTimesText')}
        data={data}
        values={data.answer_ms}
        all={all.answer_ms}
      />
      <Times
        title={t('resolveTimes')}
        text={t('resolveTimesText')}
        data={data}
        values={data.resolve_ms}
        all={all.resolve_ms}
      />
    </div>
  );
}

function useAxis({ days }: ReportData) {
  const t = useT('ticketReports');
  const { translator } = useI18n();
  const text = axisText(useLocale());
  const dayText = (index: number): string => createFormat(translator, 'UTC').date(`${days[index] ?? ''}T12:00:00Z`);
  return { axis: { days, text, stepLabel: t('step') }, dayText };
}

function Flow({ data }: { data: ReportData }): ReactNode {
  const t = useT('ticketReports');
  const format = useFormat();
  const { axis, dayText } = useAxis(data);
  const { opened, resolved, all } = data;
  return (
    <Card title={t('flow')} text={t('flowText')}>
      <FlowChart
        {...axis}
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

function Satisfaction({ data }: { data: ReportData }): ReactNode {
  const t = useT('ticketReports');
  const format = useFormat();
  const words = useReportWords();
  const { axis, dayText } = useAxis(data);
  const of = (index: number) => ({ rated: data.rated[index] ?? 0, satisfied: data.satisfied[index] ?? 0 });
  return (
    <Card title={t('satisfied')} text={t('satisfiedText')}>
      <LineChart
        {...axis}
        tone="accent"
        text={{ ...axis.text, number: format.percent }}
        ticks={[0, 0.25, 0.5, 0.75, 1]}
        values={data.days.map((_, index) => (of(index).rated === 0 ? null : of(index).satisfied / of(index).rated))}
        label={t('satisfiedLabel', { share: words.share(data.all), count: data.all.rated })}
        read={(index) =>
          of(index).rated === 0
            ? t('noneRead', { day: dayText(index) })
            : t('satisfiedRead', { day: dayText(index), share: words.share(of(index)), count: of(index).rated })
        }
      />
    </Card>
  );
}

interface TimesProps {
  readonly title: string;
  readonly text: string;
  readonly data: ReportData;
  /** The middle time of each day (ms); null: there is none. */
  readonly values: readonly (number | null)[];
  readonly all: number | null;
}

function Times({ title, text, data, values, all }: TimesProps): ReactNode {
  const t = useT('ticketReports');
  const format = useFormat();
  const words = useReportWords();
  const { axis, dayText } = useAxis(data);
  return (
    <Card title={title} text={text}>
      <LineChart
        {...axis}
        tone="accent"
        text={{ ...axis.text, number: (ms) => (ms === 0 ? format.number(0) : format.duration(ms)) }}
        ticks={timeTicks(Math.max(0, ...values.map((ms) => ms ?? 0)))}
        values={values}
        label={t('timesLabel', { what: title, time: words.time(all) })}
        read={(index) => {
          const ms = values[index] ?? null;
          return ms === null
            ? t('noneRead', { day: dayText(index) })
            : t('timesRead', { day: dayText(index), time: words.time(ms) });
        }}
      />
    </Card>
  );
}

/** Steps of a scale of times, each of one unit and short to read. */
const STEPS = [5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR];

/** Ticks of a scale of times up to the longest one (ms): at most six. */
export function timeTicks(longest: number): number[] {
  let step = STEPS.find((each) => each * 4 >= longest);
  // From here on whole days.
  for (let days = 1; step === undefined; days *= 2) if (24 * HOUR * days * 4 >= longest) step = 24 * HOUR * days;
  const size = step;
  return [0, 1, 2, 3, 4].map((place) => place * size);
}
