import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { collectFacts } from './page-facts.ts';
import { usePageMetrics } from './use-page-metrics.ts';
import { Scroller } from './parts.tsx';
import type { DebugHost } from './toggle.ts';

/** Facts of this page: build, route, visitor, features, settings, and timings. */
export function AppTab({ host }: { host: DebugHost }): ReactNode {
  const t = useT('debug');
  const groups = collectFacts(host, t, usePageMetrics());
  return (
    <Scroller kind="cards" label={t('tab.app')}>
      {groups.map(({ id, facts }) => (
        <section key={id} className="sp-debug__card">
          <h2>{t(id)}</h2>
          <dl className="sp-debug__facts">
            {facts.map(({ label, value }) => (
              <div key={label}>
                <dt>{label}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Scroller>
  );
}
