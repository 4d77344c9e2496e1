import { useId, useState, type ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { NumberInput } from '#client/ui/number-input.tsx';
import { snapToField, type NumberField } from '#shared/ui-settings.ts';

interface RangeProps {
  readonly label: string;
  readonly field: NumberField;
  readonly value: number;
  readonly onChange: (value: number) => void;
  readonly unit?: string;
  readonly hint?: string;
  /** Words for the two ends. */
  readonly ends?: readonly [string, string];
  /** Reports a change only when the handle is released: for settings that would move the handle itself. */
  readonly onRelease?: boolean;
}

/** Every value of a field, ascending. The maximum is included even if no step leads to it. */
function stepsOf({ min, max, step }: NumberField): readonly number[] {
  const count = Math.floor((max - min) / step + 1e-6);
  const steps = Array.from({ length: count + 1 }, (_, index) => Number((min + index * step).toFixed(2)));
  return steps.at(-1) === max ? steps : [...steps, max];
}

/**
 * A slider over the values of a field, with its number to type. The slider counts indexes, because a native one cannot
 * reach a maximum that is off the steps.
 */
export function Range({ label, field, value, onChange, unit, hint, ends, onRelease = false }: RangeProps): ReactNode {
  const id = useId();
  const t = useT('customize');
  const { number } = useFormat();
  const steps = stepsOf(field);
  const [typed, setTyped] = useState<string | null>(null);
  const [dragged, setDragged] = useState<number | null>(null);
  const at = steps.indexOf(snapToField(value, field));
  const shown = steps[dragged ?? at] ?? field.value;
  const release = () => {
    if (dragged === null) return;
    onChange(shown);
    setDragged(null);
  };
  const type = (text: string) => {
    setTyped(text);
    const next = Number(text);
    if (text.trim() !== '' && next >= field.min && next <= field.max) onChange(snapToField(next, field));
  };
  return (
    <div className="sp-slider">
      <div className="sp-slider__top">
        <label className="sp-slider__label" htmlFor={id}>
          {label}
        </label>
        <NumberInput
          id={id}
          min={field.min}
          max={field.max}
          step={field.step}
          inputMode="decimal"
          value={typed ?? String(shown)}
          onChange={(event) => type(event.target.value)}
          onBlur={() => setTyped(null)}
          aria-describedby={`${id}-hint`}
          {...(unit === undefined ? {} : { unit })}
        />
      </div>
      <input
        type="range"
        className="sp-slider__range"
        aria-label={label}
        aria-valuetext={unit === undefined ? number(shown) : `${number(shown)} ${unit}`}
        min={0}
        max={steps.length - 1}
        value={dragged ?? at}
        onChange={(event) => {
          setTyped(null);
          const index = Number(event.target.value);
          if (onRelease) setDragged(index);
          else onChange(steps[index] ?? value);
        }}
        onPointerUp={release}
        onKeyUp={release}
        onBlur={release}
      />
      <div className="sp-slider__under" id={`${id}-hint`}>
        <span>{ends?.[0] ?? number(field.min)}</span>
        <span>{t('stepsOf', { step: number(field.step) })}</span>
        <span>{ends?.[1] ?? number(field.max)}</span>
      </div>
      {hint !== undefined && <p className="sp-meta">{hint}</p>}
    </div>
  );
}
