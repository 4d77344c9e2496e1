import { useState } from 'react';
import type { ReactNode } from 'react';
import { useErrorText } from '#client/lib/error-text.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useNow } from '#client/lib/use-now.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { dialogs } from '#client/ui/dialogs.ts';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { Icon } from '#client/ui/icon.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import { Menu } from '#client/ui/menu.tsx';
import { SwitchInput } from '#client/ui/switch-input.tsx';
import type { ServerSchedule } from '#shared/contract/server-schedules.ts';
import type { ServerView } from '#shared/contract/server-views.ts';
import { GOOD_OUTCOMES } from '#shared/schemas/server-schedules.ts';
import { ScheduleForm } from './schedule-form.tsx';
import { conditionText, runTexts, stepText } from './schedule-words.ts';
import { useSchedules } from './use-schedules.ts';

/** What is done by itself with a server that runs here, and when. */
export function ServerSchedules({ server }: { server: ServerView }): ReactNode {
  const t = useT('live');
  const errors = useErrorText();
  const { list, refused, run } = useSchedules(server.id);
  const [edited, setEdited] = useState<ServerSchedule | 'new' | null>(null);
  const count = list?.schedules.length ?? 0;
  return (
    <Card
      title={t('schedules.title')}
      flush
      aside={
        list !== null && (
          <div className="sp-btn-row">
            {count > 0 && <span className="sp-meta">{t('schedules.used', { used: count, limit: list.limit })}</span>}
            <Button size="sm" icon="plus" disabled={count >= list.limit} onClick={() => setEdited('new')}>
              {t('schedules.add')}
            </Button>
          </div>
        )
      }
    >
      {refused !== null && edited === null && (
        <Banner tone="danger" live>
          {errors.code(refused)}
        </Banner>
      )}
      {count === 0 && list !== null && (
        <EmptyState art="clock" title={t('schedules.none')} text={t('schedules.noneText')} />
      )}
      {count > 0 && (
        <List label={t('schedules.title')}>
          {list?.schedules.map((schedule) => (
            <Row key={schedule.id} id={server.id} schedule={schedule} run={run} onEdit={() => setEdited(schedule)} />
          ))}
        </List>
      )}
      {edited !== null && (
        <ScheduleForm
          schedule={edited === 'new' ? null : edited}
          refused={refused}
          onClose={() => setEdited(null)}
          onSave={async (body) => {
            const params = { id: server.id, schedule: edited === 'new' ? crypto.randomUUID() : edited.id };
            if (await run((api) => api.serverSchedules.save({ params, body }))) setEdited(null);
          }}
        />
      )}
      <noscript>{t('schedules.noScripts')}</noscript>
    </Card>
  );
}

function Row(props: {
  readonly id: string;
  readonly schedule: ServerSchedule;
  readonly run: ReturnType<typeof useSchedules>['run'];
  readonly onEdit: () => void;
}): ReactNode {
  const { id, schedule, run, onEdit } = props;
  const t = useT('live');
  const format = useFormat();
  const nowMs = useNow();
  const { name, enabled, only_online: onlyOnline, timing, steps, last } = schedule;
  const params = { id, schedule: schedule.id };
  const isFaulty = last !== null && !GOOD_OUTCOMES.includes(last.outcome);
  const turn = (isOn: boolean) =>
    run((api) =>
      api.serverSchedules.save({ params, body: { name, only_online: onlyOnline, timing, steps, enabled: isOn } }),
    );
  const remove = async (): Promise<void> => {
    const sure = await dialogs.confirm({
      title: t('schedules.deleteTitle', { name }),
      text: t('schedules.deleteText'),
      ok: t('schedules.delete'),
      tone: 'danger',
    });
    if (sure) await run((api) => api.serverSchedules.remove({ params }));
  };
  return (
    <ListItem
      icon="clock"
      {...(isFaulty ? { tone: 'warning' as const } : {})}
      title={name}
      text={
        <span className="sp-schedule">
          <span>{conditionText(schedule, t, format)}</span>
          <span className="sp-schedule__steps">
            {steps.map((step, at) => (
              // oxlint-disable-next-line react/no-array-index-key -- steps have no other name than their place
              <span key={at}>
                {at > 0 && <Icon name="chevron-right" size="sm" />}
                {stepText(step, t, format)}
              </span>
            ))}
          </span>
          <output>{runTexts(schedule, t, format, nowMs).join(' · ')}</output>
        </span>
      }
      end={
        <>
          <SwitchInput
            checked={enabled}
            aria-label={t('schedules.toggle', { name })}
            onChange={(event) => void turn(event.target.checked)}
          />
          <Menu
            size="sm"
            label={t('schedules.actions', { name })}
            items={[
              {
                id: 'run',
                label: t('schedules.run'),
                icon: 'play',
                disabled: schedule.running,
                onSelect: () => void run((api) => api.serverSchedules.run({ params })),
              },
              { id: 'edit', label: t('schedules.edit'), icon: 'pencil', onSelect: onEdit },
              {
                id: 'delete',
                label: t('schedules.delete'),
                icon: 'trash',
                tone: 'danger',
                onSelect: () => void remove(),
              },
            ]}
          />
        </>
      }
    />
  );
}
