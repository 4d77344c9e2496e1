import { useState, type ComponentProps, type ReactNode } from 'react';
import { createFormat } from '#client/lib/format.ts';
import { useI18n, useT } from '#client/lib/i18n.tsx';
import { useControl, useRestoredValue } from './field-context.ts';

interface DateInputProps extends Omit<ComponentProps<'input'>, 'type' | 'className' | 'value'> {
  /** With a time of day (`2026-11-21T18:30`) instead of a day alone (`2026-11-21`). */
  time?: boolean;
}

/**
 * The native date control, with its value shown in the page's language: browsers format it in their own. The control
 * itself shows while it has the focus. Without scripts there is only the control.
 */
export function DateInput({ time = false, ...rest }: DateInputProps): ReactNode {
  const t = useT('ui');
  const { translator } = useI18n();
  const control = useControl(rest);
  const first = useRestoredValue(control.name) ?? rest.defaultValue;
  const [value, setValue] = useState(typeof first === 'string' ? first : '');
  // The value is wall time without a zone, formatted as it is. The control itself leaves out invalid dates.
  const format = createFormat(translator, 'UTC');
  const at = Date.parse(time ? `${value}Z` : `${value}T12:00:00Z`);
  const empty = Number.isNaN(at);
  const shown = empty ? t(time ? 'noTime' : 'noDate') : time ? format.dateTime(at) : format.date(at);
  return (
    <span className="sp-date">
      <input
        {...rest}
        {...control}
        defaultValue={first}
        type={time ? 'datetime-local' : 'date'}
        className="sp-input"
        onInput={(event) => setValue(event.currentTarget.value)}
      />
      <span className="sp-date__shown" data-empty={empty || undefined} aria-hidden="true">
        {shown}
      </span>
    </span>
  );
}
