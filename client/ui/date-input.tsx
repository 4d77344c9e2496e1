import { useState, type ComponentProps, type ReactNode } from 'react';
import { createFormat } from '#client/lib/format.ts';
import { useI18n, useT } from '#client/lib/i18n.tsx';
import { useControl, useRestoredValue } from './field-context.ts';

interface DateInputProps extends Omit<ComponentProps<'input'>, 'type' | 'className' | 'value'> {
  /** With a time of day (`2026-11-21T18:30`) instead of a day alone (`2026-11-21`). */
  time?: boolean;
}

/**
 * The browser's own control for a day, whose value stands there in the page's language: browsers write it in their own,
 * whatever the page says. While it has the focus the control shows itself, so that it is typed into as everywhere.
 * Without scripts there is only the control.
 */
export function DateInput({ time = false, ...rest }: DateInputProps): ReactNode {
  const t = useT('ui');
  const { translator } = useI18n();
  const control = useControl(rest);
  const first = useRestoredValue(control.name) ?? rest.defaultValue;
  const [value, setValue] = useState(typeof first === 'string' ? first : '');
  // What was typed is a time on a wall, without a zone: it is written as it is. What is no date, the control leaves out
  // as well.
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
