import type { ReactNode } from 'react';
import { useFormat, useLooseT, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { useNow } from '#client/lib/use-now.ts';
import { Card } from '#client/ui/card.tsx';
import { Icon } from '#client/ui/icon.tsx';
import { Timeline } from '#client/ui/timeline.tsx';
import { toEventItem } from './server-text.ts';
import type { ServerEventEntry } from './server-text.ts';

/** Number of events shown; older ones are collapsed. */
const LATEST = 8;

/** What happened to a server, and who did it. */
export function ActivityCard({ activity }: { activity: readonly ServerEventEntry[] }): ReactNode {
  const t = useT('servers');
  const words = { t, loose: useLooseT('servers'), format: useFormat(), nowMs: useNow() };
  const self = useShell().session.user?.username;
  const items = activity.map((entry) => toEventItem(entry, words, self));
  const older = items.slice(LATEST);
  return (
    <Card title={t('activity')}>
      {items.length === 0 ? (
        <p className="sp-lead">{t('activityEmpty')}</p>
      ) : (
        <Timeline label={t('activity')} items={items.slice(0, LATEST)} />
      )}
      {older.length > 0 && (
        <details className="sp-older">
          <summary>
            <Icon name="chevron-right" size="sm" />
            {t('activityAll', { count: older.length })}
          </summary>
          <Timeline items={older} />
        </details>
      )}
    </Card>
  );
}
