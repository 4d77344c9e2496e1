import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { uiSettings, useWrittenSettings } from '#client/lib/ui-settings-store.ts';
import { Switch } from '#client/ui/choice.tsx';
import { UI_FIELDS } from '#shared/ui-settings.ts';
import { Range } from './range.tsx';

const LOADING = ['caching', 'assetCompression', 'lazyLoading', 'imageOptimization', 'preloading'] as const;

/** The third tab: how often scripts draw, what is fetched and kept, whether things move. */
export function PerformanceTab(): ReactNode {
  const t = useT('customize');
  const { performance } = useWrittenSettings().settings;
  return (
    <>
      <section className="sp-cz__section" aria-label={t('frameRate')}>
        <Range
          label={t('frameRate')}
          field={UI_FIELDS.performance.frameRateLimit}
          value={performance.frameRateLimit}
          onChange={(frameRateLimit) => uiSettings.update({ performance: { frameRateLimit } })}
          unit={t('fps')}
          hint={t('frameRateHint')}
        />
      </section>
      <section className="sp-cz__section" aria-label={t('loading')}>
        <h3>{t('loading')}</h3>
        {LOADING.map((name) => (
          <Switch
            key={name}
            label={t(name)}
            hint={t(`hint.${name}`)}
            checked={performance[name]}
            onChange={(event) => uiSettings.update({ performance: { [name]: event.target.checked } })}
          />
        ))}
      </section>
      <section className="sp-cz__section" aria-label={t('motion')}>
        <h3>{t('motion')}</h3>
        <Switch
          label={t('reduceMotion')}
          hint={t('reduceMotionHint')}
          checked={performance.reduceMotion}
          onChange={(event) => uiSettings.update({ performance: { reduceMotion: event.target.checked } })}
        />
      </section>
    </>
  );
}
