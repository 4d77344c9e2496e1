import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useUnitText } from '#client/lib/unit-text.ts';
import { Counter, Slider } from '#client/ui/slider.tsx';
import { SERVER_MINIMUM } from '#shared/constants.ts';
import { sliderStep } from './create-form.ts';
import { KIND_ICONS, SERVER_KINDS, amountText } from './parts.tsx';
import type { Amounts, ServerKind } from './parts.tsx';

interface ResourceFieldsProps {
  amounts: Amounts;
  bounds: (kind: ServerKind) => { min: number; max: number };
  onChange: (kind: ServerKind, amount: number) => void;
  /** Name of the software that asks for more than the product's minimum. */
  software?: string;
}

/** The six amounts of a server: three with sliders, three with minus and plus, each with its minimum and what is left. */
export function ResourceFields({ amounts, bounds, onChange, software }: ResourceFieldsProps): ReactNode {
  const t = useT('servers');
  const format = useFormat();
  const unitOf = useUnitText();
  const least = (kind: 'memory' | 'disk' | 'cpu', min: number): string => {
    const amount = amountText(kind, min, format);
    if (software !== undefined && min > SERVER_MINIMUM[kind]) return t('needs', { software, amount });
    return kind === 'cpu' ? t('oneCore') : t('atLeast', { amount });
  };
  return (
    <>
      {(['memory', 'disk', 'cpu'] as const).map((kind) => {
        const { min, max } = bounds(kind);
        return (
          <Slider
            key={kind}
            label={t(`kind.${kind}`)}
            name={kind}
            icon={KIND_ICONS[kind]}
            unit={unitOf(kind)}
            min={min}
            max={Math.max(min, max)}
            step={sliderStep(kind, min, max)}
            value={amounts[kind]}
            onChange={(amount) => onChange(kind, amount)}
            disabled={max < min}
            hint={least(kind, min)}
            end={t('left', { amount: amountText(kind, Math.max(0, max - amounts[kind]), format) })}
          />
        );
      })}
      <div className="sp-counts">
        {SERVER_KINDS.slice(3).map((kind) => {
          const { min, max } = bounds(kind);
          return (
            <Counter
              key={kind}
              label={t(`kind.${kind}`)}
              name={kind}
              icon={KIND_ICONS[kind]}
              min={min}
              max={Math.max(min, max)}
              value={amounts[kind]}
              onChange={(amount) => onChange(kind, amount)}
              hint={max > 0 ? t('left', { amount: format.number(max) }) : t('noneLeft')}
            />
          );
        })}
      </div>
    </>
  );
}
