import type { ReactNode } from 'react';
import { Link } from 'react-router';

/** One of a few choices in a row. */
interface SegmentOption {
  value: string;
  label: ReactNode;
}

/** A few choices side by side, as radio buttons. */
export function Segmented(props: {
  label: string;
  name: string;
  options: readonly SegmentOption[];
  defaultValue?: string;
  value?: string;
  onChange?: (value: string) => void;
}): ReactNode {
  const { label, name, options, defaultValue, value, onChange } = props;
  return (
    <fieldset className="sp-seg">
      <legend className="sp-sr">{label}</legend>
      {options.map((option) => (
        <label className="sp-seg__item" key={option.value}>
          <input
            type="radio"
            name={name}
            value={option.value}
            onChange={() => onChange?.(option.value)}
            {...(value === undefined
              ? { defaultChecked: defaultValue === option.value }
              : { checked: value === option.value })}
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  );
}

/** The same look for links, where the choice is part of the address. */
export function SegmentedLinks(props: {
  label: string;
  items: readonly { to: string; label: ReactNode; count?: ReactNode; current: boolean }[];
}): ReactNode {
  return (
    <nav className="sp-seg" aria-label={props.label}>
      {props.items.map((item) => (
        <Link
          className="sp-seg__item"
          key={item.to}
          to={item.to}
          preventScrollReset
          aria-current={item.current ? 'true' : undefined}
        >
          {item.label}
          {item.count !== undefined && <span className="sp-meta">{item.count}</span>}
        </Link>
      ))}
    </nav>
  );
}
