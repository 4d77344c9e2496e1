import { useState, useSyncExternalStore, type ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { prefersReducedMotion } from '#client/lib/motion.ts';
import { uiSettings, useWrittenSettings } from '#client/lib/ui-settings-store.ts';
import { Button } from '#client/ui/button.tsx';
import { Segmented } from '#client/ui/segmented.tsx';
import {
  PAGE_TRANSITIONS,
  PART_ANIMATIONS,
  UI_FIELDS,
  type PageTransition,
  type UiSettings,
} from '#shared/ui-settings.ts';
import { Range } from './range.tsx';

/** Parts of the shell with settings of their own. */
export const PARTS = ['dropdown', 'sidebar', 'topNav', 'notifications'] as const;
export type Part = (typeof PARTS)[number];
type PartAnimation = UiSettings[Part]['animation'];

/** The first tab: how pages change and how parts appear, each played as it is chosen. */
export function TransitionsTab(): ReactNode {
  const t = useT('customize');
  const { number } = useFormat();
  const { transitionSpeed } = useWrittenSettings().settings.performance;
  const field = UI_FIELDS.performance.transitionSpeed;
  const { transition: chosen } = useWrittenSettings();
  // Every choice, also of the current value, plays the animation again.
  const [played, setPlayed] = useState(0);
  const choose = (kind: PageTransition) => {
    uiSettings.setTransition(kind);
    setPlayed((count) => count + 1);
  };
  return (
    <>
      <section className="sp-cz__section" aria-label={t('betweenPages')}>
        <h3>{t('betweenPages')}</h3>
        <fieldset className="sp-cz__kinds">
          <legend className="sp-sr">{t('pageTransition')}</legend>
          {PAGE_TRANSITIONS.map((kind) => (
            <label key={kind} className="sp-cz__kind" data-transition={kind}>
              <input
                type="radio"
                name="cz-transition"
                value={kind}
                checked={kind === chosen}
                onChange={() => choose(kind)}
              />
              <Sketch />
              {t(`transition.${kind}`)}
            </label>
          ))}
        </fieldset>
        <Range
          label={t('speed')}
          field={field}
          value={transitionSpeed}
          onChange={(next) => uiSettings.update({ performance: { transitionSpeed: next } })}
          ends={[t('slow', { value: number(field.min) }), t('fast', { value: number(field.max) })]}
        />
        <div className="sp-cz__preview">
          <p className="sp-meta">
            {t('preview', { name: t(`transition.${chosen}`), ms: number(Math.round(1000 / transitionSpeed)) })}
          </p>
          <div className="sp-cz__stage" data-transition={chosen} aria-hidden="true">
            <Sheet key={`old-${chosen}-${played}`} old />
            <Sheet key={`new-${chosen}-${played}`} />
          </div>
          <Button size="sm" icon="refresh" onClick={() => setPlayed((count) => count + 1)}>
            {t('playAgain')}
          </Button>
          <ReducedMotionNote />
        </div>
      </section>
      <PartAnimations />
    </>
  );
}

function PartAnimations(): ReactNode {
  const t = useT('customize');
  const { settings } = useWrittenSettings();
  const [played, setPlayed] = useState(0);
  const styles = new Set(PARTS.map((part) => settings[part].animation));
  const [common] = styles.size === 1 ? styles : [undefined];
  return (
    <section className="sp-cz__section" aria-label={t('partsOfPage')}>
      <h3>{t('partsOfPage')}</h3>
      <p className="sp-meta">{t('partsHint')}</p>
      <AnimationChoice
        name="cz-animation-all"
        label={t('partsOfPage')}
        value={common ?? ''}
        onChoose={(animation) => {
          uiSettings.update({
            dropdown: { animation },
            sidebar: { animation },
            topNav: { animation },
            notifications: { animation },
          });
          setPlayed((count) => count + 1);
        }}
      />
      <div className="sp-cz__preview" aria-hidden="true">
        <div
          className="sp-cz__sample"
          key={`${common}-${played}`}
          data-part="dropdown"
          data-animation={common}
          data-play=""
        >
          <span className="sp-cz__line" />
          <span className="sp-cz__line" data-short="" />
        </div>
      </div>
    </section>
  );
}

/** The four component animations side by side. */
export function AnimationChoice(props: {
  name: string;
  label: string;
  value: string;
  onChoose: (animation: PartAnimation) => void;
}): ReactNode {
  const t = useT('customize');
  const { name, label, value, onChoose } = props;
  return (
    <Segmented
      label={label}
      name={name}
      value={value}
      options={PART_ANIMATIONS.map((each) => ({ value: each, label: t(`style.${each}`) }))}
      onChange={(chosen) => {
        const animation = PART_ANIMATIONS.find((each) => each === chosen);
        if (animation) onChoose(animation);
      }}
    />
  );
}

const neverChanges = () => () => undefined;

/** Explains why nothing plays, with reduced motion. */
function ReducedMotionNote(): ReactNode {
  const t = useT('customize');
  const { reduceMotion } = useWrittenSettings().settings.performance;
  const still = useSyncExternalStore(neverChanges, prefersReducedMotion, () => false);
  return still || reduceMotion ? <p className="sp-meta">{t('stillness')}</p> : null;
}

/** Two pages, one over the other; the upper one moves on hover. */
function Sketch(): ReactNode {
  return (
    <svg viewBox="0 0 40 28" aria-hidden="true">
      <rect className="sp-cz__old" x="8" y="5" width="24" height="18" rx="2" />
      <rect className="sp-cz__new" x="8" y="5" width="24" height="18" rx="2" />
    </svg>
  );
}

function Sheet({ old = false }: { old?: boolean }): ReactNode {
  return (
    <div className="sp-cz__sheet" data-old={old || undefined}>
      <span className="sp-cz__line" data-title="" />
      <span className="sp-cz__line" />
      <span className="sp-cz__line" data-short="" />
    </div>
  );
}
