import '#client/ui/icons-app.ts';
import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { useNow } from '#client/lib/use-now.ts';
import { useRefresh } from '#client/lib/use-refresh.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Card } from '#client/ui/card.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import { Page, PageHead } from '#client/ui/page.tsx';
import { Status, type StatusShape } from '#client/ui/status.tsx';
import type { StatusView } from '#shared/contract/plugins.ts';

type State = StatusView['state'];
const SHAPES: Readonly<Record<State, StatusShape>> = { up: 'active', partial: 'expiring', down: 'failed' };
const TONES = { up: 'positive', partial: 'warning', down: 'danger' } as const;
/** How often an open page asks again. */
const REFRESH_MS = 60_000;
/** Downtimes that are shown. */
const SHOWN = 10;

/** How the host is; 404 where the plugin is off. */
export const loader = (args: LoaderFunctionArgs) => apiOf(args).statusPage.get({});

/** /plugin/status (behaviour 8.8): for everybody, with an account or without */
export default function StatusScreen(): ReactNode {
  const t = useT('statusPage');
  const format = useFormat();
  const nowMs = useNow(60_000);
  const { settings } = useShell();
  const { state, note, at, panels, downtimes, uptime } = useLoaderData<typeof loader>();
  useRefresh(REFRESH_MS, true);
  return (
    <Page narrow>
      <PageHead
        title={t('title', { name: String(settings.app_name ?? '') })}
        text={t('asOf', { time: format.when(at, nowMs) })}
      />
      <Banner tone={TONES[state]}>{t(`all.${state}`)}</Banner>
      {note !== '' && (
        <Card title={t('note')}>
          <p className="sp-status-page__note">{note}</p>
        </Card>
      )}
      {panels !== null && panels.length > 0 && (
        <Card title={t('panels')} text={t('panelsText')} flush>
          <ul className="sp-status-page">
            {panels.map((panel) => (
              <PanelRow key={panel.name} panel={panel} />
            ))}
          </ul>
        </Card>
      )}
      <Card title={t('uptime')} text={t('uptimeText', { share: format.percent(uptime, 2) })} flush>
        {downtimes.length === 0 ? (
          <p className="sp-status-page__none">{t('noDowntimes')}</p>
        ) : (
          <List label={t('uptime')}>
            {downtimes.slice(0, SHOWN).map(({ from, until }) => (
              <ListItem
                key={from}
                title={format.dateTime(from)}
                text={t('lasted', { time: format.duration(Date.parse(until) - Date.parse(from)) })}
              />
            ))}
          </List>
        )}
      </Card>
    </Page>
  );
}

function PanelRow({ panel }: { panel: NonNullable<StatusView['panels']>[number] }): ReactNode {
  const t = useT('statusPage');
  const known = panel.hours.filter((hour) => hour !== null);
  const bad = known.filter((hour) => hour !== 'up').length;
  return (
    <li className="sp-status-page__row">
      <span className="sp-status-page__name">{panel.name || t('ownPanel')}</span>
      <Status shape={SHAPES[panel.state]}>{t(`state.${panel.state}`)}</Status>
      {known.length > 0 && (
        <>
          <span className="sp-sr">{t('dayLabel', { count: bad })}</span>
          <div className="sp-status-page__bars" aria-hidden>
            {panel.hours.map((hour, index) => (
              // oxlint-disable-next-line react/no-array-index-key -- a bar is its place
              <i key={index} data-state={hour ?? 'none'} />
            ))}
          </div>
        </>
      )}
    </li>
  );
}
