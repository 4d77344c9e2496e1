import { useState } from 'react';
import type { ReactNode } from 'react';
import { useBytesText } from '#client/lib/bytes-text.ts';
import { useErrorText } from '#client/lib/error-text.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { axisText } from '#client/ui/axis.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Card } from '#client/ui/card.tsx';
import { LineChart, spread } from '#client/ui/chart.tsx';
import { DataTable, type Column } from '#client/ui/data-table.tsx';
import { Disclosure } from '#client/ui/disclosure.tsx';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { Segmented } from '#client/ui/segmented.tsx';
import type { ServerView } from '#shared/contract/server-views.ts';
import {
  byteTicks,
  labelledHours,
  MEASURED_MS,
  toAxisHours,
  toUsageDays,
  USAGE_KINDS,
  type AxisHour,
  type UsageHistory,
  type UsageKind,
} from './usage-hours.ts';
import { useServerList } from './use-server-list.ts';

/** What a server that runs here used in the last days, by hour. */
export function UsageCard({ server }: { server: Pick<ServerView, 'id'> }): ReactNode {
  const t = useT('live');
  const format = useFormat();
  const errors = useErrorText();
  const { now, elapsedMs } = useShell();
  const [kind, setKind] = useState<UsageKind>('memory');
  const { list, refused } = useServerList({
    id: server.id,
    read: async (api, id) => ({
      ...(await api.servers.usageHistory({ params: { id } })),
      atMs: Date.parse(now) + elapsedMs(),
    }),
    isMoving: () => false,
  });
  const names = useKindNames();
  const isEmpty = list?.hours.length === 0;
  return (
    <Card
      title={list === null ? t('history.title') : t('history.titleDays', { count: list.days })}
      text={t('history.text', { every: format.duration(MEASURED_MS) })}
    >
      {refused !== null && (
        <Banner tone="danger" live>
          {errors.code(refused)}
        </Banner>
      )}
      {isEmpty && <EmptyState art="activity" title={t('history.none')} text={t('history.noneText')} />}
      {list !== null && !isEmpty && (
        <div className="sp-usage">
          <Segmented
            label={t('history.kind')}
            name="usage-kind"
            options={USAGE_KINDS.map((value) => ({ value, label: names[value] }))}
            value={kind}
            onChange={(value) => setKind(USAGE_KINDS.find((each) => each === value) ?? kind)}
          />
          <UsageChart history={list} axis={toAxisHours(list.hours, list.atMs)} kind={kind} />
          <UsageTable history={list} kind={kind} />
        </div>
      )}
      <noscript>{t('history.noScripts')}</noscript>
    </Card>
  );
}

function useKindNames(): Readonly<Record<UsageKind, string>> {
  const t = useT('live');
  const kinds = useT('servers');
  return {
    memory: kinds('kind.memory'),
    cpu: kinds('kind.cpu'),
    disk: kinds('kind.disk'),
    received: t('history.received'),
    sent: t('history.sent'),
  };
}

/** A figure of a kind with its unit. */
function useFigureText(kind: UsageKind): (figure: number) => string {
  const t = useT('live');
  const format = useFormat();
  const bytes = useBytesText();
  if (kind === 'cpu') return (figure) => format.percent(figure / 100, 1);
  if (kind === 'memory' || kind === 'disk') return bytes;
  return (figure) => t('perSecond', { amount: bytes(figure) });
}

interface UsageOf {
  readonly history: UsageHistory;
  readonly kind: UsageKind;
}

function UsageChart({ history, axis, kind }: UsageOf & { axis: readonly AxisHour[] }): ReactNode {
  const t = useT('live');
  const format = useFormat();
  const figure = useFigureText(kind);
  const names = useKindNames();
  const { isShort, at } = labelledHours(axis, format.date);
  const most = Math.max(...history.hours.map(({ highest }) => highest[kind]));
  const read = (index: number): string => {
    const hour = axis[index];
    const time = format.dateTime(hour?.at ?? 0);
    if (!hour?.used) return t('history.readOff', { time });
    return t('history.read', {
      time,
      average: figure(hour.used.average[kind]),
      highest: figure(hour.used.highest[kind]),
    });
  };
  return (
    <LineChart
      // Another kind begins at its newest hour again.
      key={kind}
      tone="accent"
      days={axis.map((hour) => hour.at)}
      values={axis.map(({ used }) => used && used.average[kind])}
      highest={axis.map(({ used }) => used && used.highest[kind])}
      {...(kind === 'cpu' ? {} : { ticks: byteTicks(most) })}
      labelled={spread(at)}
      text={{ number: figure, day: isShort ? format.time : axisText(format.locale, format.timeZone).day }}
      read={read}
      label={t('history.label', { kind: names[kind], count: history.days, highest: figure(most) })}
      stepLabel={t('history.step')}
    />
  );
}

function UsageTable({ history, kind }: UsageOf): ReactNode {
  const t = useT('live');
  const format = useFormat();
  const figure = useFigureText(kind);
  const names = useKindNames();
  const rows = toUsageDays(history.hours, kind, format.date);
  const columns: Column<(typeof rows)[number]>[] = [
    { key: 'day', label: t('history.day'), title: true, cell: ({ day }) => day },
    {
      key: 'hours',
      label: t('history.hours'),
      align: 'end',
      phone: 'labelled',
      cell: ({ hours }) => format.number(hours),
    },
    {
      key: 'average',
      label: t('history.average'),
      align: 'end',
      phone: 'lead',
      cell: ({ average }) => figure(average),
    },
    {
      key: 'highest',
      label: t('history.highest'),
      align: 'end',
      phone: 'labelled',
      cell: ({ highest }) => figure(highest),
    },
  ];
  return (
    <Disclosure label={t('history.asTable')}>
      <DataTable
        caption={t('history.byDay', { kind: names[kind] })}
        rows={rows}
        rowKey={({ day }) => day}
        rowName={({ day }) => day}
        columns={columns}
        phone="lines"
      />
    </Disclosure>
  );
}
