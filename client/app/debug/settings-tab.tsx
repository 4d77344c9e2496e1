import { useSyncExternalStore, type ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { journal, type JournalPart } from '#client/lib/journal.ts';
import { Button } from '#client/ui/button.tsx';
import { Switch } from '#client/ui/choice.tsx';
import { Segmented } from '#client/ui/segmented.tsx';
import { collectFacts } from './page-facts.ts';
import { usePageMetrics } from './use-page-metrics.ts';
import { CopyText, Scroller } from './parts.tsx';
import { reportText } from './report.ts';
import { fitSize, SIZE, type PanelStore } from './state.ts';
import type { Terminal } from './terminal.ts';
import type { DebugHost } from './toggle.ts';

const PARTS = [
  ['requests', 'network'],
  ['errors', 'errors'],
  ['lines', 'console'],
] as const satisfies readonly (readonly [JournalPart, string])[];

/** Where the panel is docked, what it records, and the report. */
export function SettingsTab({
  host,
  panel,
  terminal,
}: {
  host: DebugHost;
  panel: PanelStore;
  terminal: Terminal;
}): ReactNode {
  const t = useT('debug');
  const { dock, size } = useSyncExternalStore(panel.subscribe, panel.get);
  const recorded = useSyncExternalStore(journal.subscribe, journal.recorded);
  const figures = usePageMetrics();
  const clear = () => {
    for (const [part] of PARTS) journal.clear(part);
    terminal.clear();
  };
  return (
    <Scroller kind="cards" label={t('tab.settings')}>
      <section className="sp-debug__card sp-hide-phone">
        <h2>{t('dock')}</h2>
        <Segmented
          label={t('dock')}
          name="sp-debug-dock"
          value={dock}
          onChange={(value) => panel.change({ dock: value === 'right' ? 'right' : 'bottom' })}
          options={[
            { value: 'bottom', label: t('docks.bottom') },
            { value: 'right', label: t('docks.right') },
          ]}
        />
        <label className="sp-debug__size">
          <span>{t('size')}</span>
          <input
            className="sp-slider__range"
            type="range"
            min={SIZE.min}
            max={SIZE.max}
            step={SIZE.step}
            value={size}
            onChange={(event) => panel.change({ size: fitSize(Number(event.target.value)) })}
          />
          <output className="sp-num">{`${size} %`}</output>
        </label>
        <p className="sp-meta">{t('help')}</p>
      </section>
      <section className="sp-debug__card">
        <h2>{t('recording')}</h2>
        {PARTS.map(([part, tab]) => (
          <Switch
            key={part}
            label={t(`tab.${tab}`)}
            checked={recorded[part]}
            onChange={(event) => journal.record(part, event.target.checked)}
          />
        ))}
        <p className="sp-meta">{t('recordingText')}</p>
        <Button size="sm" icon="trash" onClick={clear}>
          {t('clearAll')}
        </Button>
      </section>
      <section className="sp-debug__card">
        <h2>{t('report')}</h2>
        <p className="sp-muted">{t('reportText')}</p>
        <CopyText text={() => reportText(collectFacts(host, t, figures), journal, t)}>{t('copyReport')}</CopyText>
      </section>
    </Scroller>
  );
}
