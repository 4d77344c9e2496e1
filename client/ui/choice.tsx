import { useId } from 'react';
import type { ComponentProps, ReactNode } from 'react';
import { useControl, useRestoredTick } from './field-context.ts';

interface ChoiceProps extends Omit<ComponentProps<'input'>, 'type' | 'size' | 'className' | 'children'> {
  children: ReactNode;
  hint?: ReactNode;
}

/** A checkbox with its label. `indeterminate` is set through a ref by those who need it. */
export function Checkbox({ children, hint, ...rest }: ChoiceProps): ReactNode {
  return <TickBox type="checkbox" hint={hint} {...rest} label={children} />;
}

/** A radio button with its label; several share a `name`. */
export function Radio({ children, hint, ...rest }: ChoiceProps): ReactNode {
  return <TickBox type="radio" hint={hint} {...rest} label={children} />;
}

function TickBox(props: Omit<ChoiceProps, 'children'> & { type: 'checkbox' | 'radio'; label: ReactNode }): ReactNode {
  const { type, label, hint, ...rest } = props;
  const control = useControl(rest);
  const restored = useRestoredTick(control.name, rest);
  const hintId = useId();
  return (
    <label className="sp-check">
      <input
        {...rest}
        {...control}
        {...('checked' in rest ? {} : { defaultChecked: restored ?? rest.defaultChecked })}
        id={rest.id}
        type={type}
        aria-describedby={hint ? hintId : control['aria-describedby']}
      />
      <span>
        {label}
        {hint && (
          <span className="sp-check__hint" id={hintId}>
            {hint}
          </span>
        )}
      </span>
    </label>
  );
}

interface SwitchProps extends Omit<ComponentProps<'input'>, 'type' | 'size' | 'className' | 'role'> {
  label: ReactNode;
  hint?: ReactNode;
}

/** A native checkbox with the role of a switch, so no `aria-checked` is needed. */
const SWITCH = { type: 'checkbox', role: 'switch' } as const;

/** An on/off setting: label on the left, switch on the right. Submitted like a checkbox. */
export function Switch({ label, hint, ...rest }: SwitchProps): ReactNode {
  const own = useId();
  const id = rest.id ?? own;
  const restored = useRestoredTick(rest.name, rest);
  return (
    <div className="sp-switch">
      <div className="sp-switch__text">
        <label htmlFor={id}>{label}</label>
        {hint && <p id={`${id}-hint`}>{hint}</p>}
      </div>
      <input
        {...rest}
        {...('checked' in rest ? {} : { defaultChecked: restored ?? rest.defaultChecked })}
        id={id}
        {...SWITCH}
        className="sp-switch__input"
        aria-describedby={hint ? `${id}-hint` : rest['aria-describedby']}
      />
    </div>
  );
}
