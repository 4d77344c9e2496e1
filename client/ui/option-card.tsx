import type { ReactNode } from 'react';
import { useFormErrors } from './form-context.ts';

/** Radio cards side by side; put them into a `FieldGroup`. */
export function OptionCards(props: { columns?: 1 | 2 | 3; children: ReactNode }): ReactNode {
  return (
    <div className="sp-opts" data-columns={props.columns}>
      {props.children}
    </div>
  );
}

interface OptionCardProps {
  name: string;
  value: string;
  title: ReactNode;
  text?: ReactNode;
  picture?: ReactNode;
  /** A badge: how many are left, what is missing. */
  end?: ReactNode;
  disabled?: boolean;
  defaultChecked?: boolean;
  checked?: boolean;
  onChange?: (value: string) => void;
  required?: boolean;
}

/** One choice of several, as a card; the radio button fills it. */
export function OptionCard(props: OptionCardProps): ReactNode {
  const { name, value, title, text, picture, end, disabled, defaultChecked, checked, onChange, required } = props;
  const { values } = useFormErrors();
  const restored = values[name];
  return (
    <label className="sp-opt" data-picture={picture === undefined ? undefined : ''}>
      <input
        type="radio"
        name={name}
        value={value}
        disabled={disabled}
        required={required}
        onChange={() => onChange?.(value)}
        {...(checked === undefined
          ? { defaultChecked: restored === undefined ? defaultChecked : restored === value }
          : { checked })}
      />
      {picture}
      <span className="sp-opt__text">
        <span className="sp-opt__title">{title}</span>
        {text !== undefined && <span className="sp-opt__sub">{text}</span>}
      </span>
      {end}
    </label>
  );
}
