import { useId, useState } from 'react';
import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { FieldError } from './field.tsx';
import { useFormErrors } from './form-context.ts';
import { Icon } from './icon.tsx';
import type { IconName } from './icons.ts';
import { NumberInput } from './number-input.tsx';

interface AmountProps {
  label: string;
  name: string;
  min: number;
  max: number;
  step?: number;
  icon?: IconName;
  unit?: string;
  defaultValue?: number;
  /** Controlled, with `onChange`. */
  value?: number;
  onChange?: (value: number) => void;
  /** Under the control, on the left. */
  hint?: ReactNode;
  /** Under the control, on the right: what is left. */
  end?: ReactNode;
  disabled?: boolean;
}

/** Clamps a number to its bounds and rounds it to its step, counted from the minimum. */
export function snapToStep(value: number, min: number, max: number, step: number): number {
  if (!Number.isFinite(value)) return min;
  const onStep = min + Math.round((value - min) / step) * step;
  const top = min + Math.floor((max - min) / step) * step;
  return Math.min(Math.max(onStep, min), Math.max(top, min));
}

/** The control's number, controlled or not; what is being typed may be out of bounds. */
function useAmount(props: AmountProps): [string, (text: string) => void] {
  const { values } = useFormErrors();
  const [own, setOwn] = useState(values[props.name] ?? String(props.defaultValue ?? props.min));
  const [typed, setTyped] = useState<string | null>(null);
  const current = props.value === undefined ? own : String(props.value);
  // Half-typed text stays as long as it stands for the current number.
  const shown = typed !== null && (props.value === undefined || Number(typed) === props.value) ? typed : current;
  const change = (text: string): void => {
    setTyped(text);
    setOwn(text);
    const value = Number(text);
    if (text.trim() !== '' && Number.isFinite(value)) props.onChange?.(value);
  };
  return [shown, change];
}

interface Described {
  id: string;
  error: string | undefined;
  describedBy: string | undefined;
}

function useDescription(props: AmountProps): Described {
  const own = useId();
  const form = useFormErrors();
  const id = form.formId ? `${form.formId}-${props.name}` : own;
  const code = form.errors[props.name];
  const error = code ? form.translate(code, props.name) : undefined;
  const parts = [error && `${id}-error`, (props.hint ?? props.end) !== undefined && `${id}-hint`];
  return { id, error, describedBy: parts.filter(Boolean).join(' ') || undefined };
}

/** A number with a slider: drag roughly, type exactly. Without scripts there is only the number. */
export function Slider(props: AmountProps): ReactNode {
  const { label, name, min, max, step = 1, icon, unit, disabled } = props;
  const { id, error, describedBy } = useDescription(props);
  const [text, change] = useAmount(props);
  return (
    <div className="sp-slider">
      <div className="sp-slider__top">
        <label className="sp-slider__label" htmlFor={id}>
          {icon && <Icon name={icon} />}
          {label}
        </label>
        <NumberInput
          id={id}
          name={name}
          min={min}
          max={max}
          step={step}
          disabled={disabled}
          value={text}
          onChange={(event) => change(event.target.value)}
          aria-describedby={describedBy}
          aria-invalid={error ? true : undefined}
          {...(unit === undefined ? {} : { unit })}
        />
      </div>
      <input
        type="range"
        className="sp-slider__range"
        aria-label={label}
        aria-valuetext={unit === undefined ? undefined : `${text} ${unit}`}
        min={min}
        max={max}
        step={step}
        disabled={disabled}
        value={snapToStep(Number(text), min, max, step)}
        onChange={(event) => change(event.target.value)}
      />
      <FieldFoot id={id} error={error} hint={props.hint} end={props.end} />
    </div>
  );
}

/** A small whole number with minus and plus buttons. */
export function Counter(props: AmountProps): ReactNode {
  const { label, name, min, max, step = 1, icon, disabled } = props;
  const t = useT('ui');
  const { id, error, describedBy } = useDescription(props);
  const [text, change] = useAmount(props);
  const value = snapToStep(Number(text), min, max, step);
  const move = (by: number): void => change(String(snapToStep(value + by, min, max, step)));
  return (
    <div className="sp-counter">
      <label className="sp-slider__label" htmlFor={id}>
        {icon && <Icon name={icon} />}
        {label}
      </label>
      <div className="sp-counter__row">
        <Step
          icon="minus"
          label={`${label}: ${t('decrease')}`}
          off={disabled === true || value <= min}
          move={() => move(-step)}
        />
        <input
          id={id}
          name={name}
          className="sp-input"
          type="number"
          inputMode="numeric"
          min={min}
          max={max}
          step={step}
          disabled={disabled}
          value={text}
          onChange={(event) => change(event.target.value)}
          aria-describedby={describedBy}
          aria-invalid={error ? true : undefined}
        />
        <Step
          icon="plus"
          label={`${label}: ${t('increase')}`}
          off={disabled === true || value >= max}
          move={() => move(step)}
        />
      </div>
      <FieldFoot id={id} error={error} hint={props.hint} end={props.end} />
    </div>
  );
}

function Step(props: { icon: 'minus' | 'plus'; label: string; off: boolean; move: () => void }): ReactNode {
  return (
    <button
      type="button"
      className="sp-btn"
      data-variant="secondary"
      data-size="sm"
      data-icon-only=""
      aria-label={props.label}
      disabled={props.off}
      onClick={props.move}
    >
      <Icon name={props.icon} size="sm" />
    </button>
  );
}

function FieldFoot(props: { id: string; error: string | undefined; hint: ReactNode; end: ReactNode }): ReactNode {
  const { id, error, hint, end } = props;
  return (
    <>
      {error && <FieldError id={`${id}-error`} text={error} />}
      {(hint ?? end) !== undefined && (
        <div className="sp-slider__under" id={`${id}-hint`}>
          <span>{hint}</span>
          <span className="sp-slider__end">{end}</span>
        </div>
      )}
    </>
  );
}
