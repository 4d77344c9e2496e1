import { useId, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { useHydrated } from '#client/lib/use-hydrated.ts';
import { Field } from './field.tsx';
import { TextInput } from './text-input.tsx';

interface TimeZoneFieldProps {
  label: string;
  name: string;
  hint: string;
  /** An IANA name; empty: the installation's. */
  defaultValue: string;
  /** The zone that counts while the field is empty. */
  ownZone: string;
  /** Text of the button that enters the device's zone; absent: it is not proposed. */
  suggest?: (zone: string) => string;
}

/**
 * A time zone by its IANA name, typed or picked from the zones the browser knows; without scripts it is typed. The
 * browser's own list: it differs from that of the server, and would make every page longer.
 */
export function TimeZoneField(props: TimeZoneFieldProps): ReactNode {
  const { label, name, hint, defaultValue, ownZone, suggest } = props;
  const list = useId();
  const hydrated = useHydrated();
  const input = useRef<HTMLInputElement>(null);
  const [chosen, setChosen] = useState(defaultValue);
  // Some hundred zones: only for who chooses one.
  const [isListed, showList] = useState(false);
  const device = hydrated ? new Intl.DateTimeFormat().resolvedOptions().timeZone : null;
  const enterDevice = (zone: string): void => {
    if (!input.current) return;
    input.current.value = zone;
    // The form notices an unsaved change by it.
    input.current.dispatchEvent(new Event('input', { bubbles: true }));
    input.current.focus();
  };
  return (
    <Field
      label={label}
      name={name}
      hint={hint}
      // In the label's row: nothing moves when the browser has said where its user is.
      aside={
        suggest &&
        device !== null &&
        device !== (chosen.trim() || ownZone) && (
          <button type="button" className="sp-link sp-field__suggest" onClick={() => enterDevice(device)}>
            {suggest(device)}
          </button>
        )
      }
    >
      <TextInput
        ref={input}
        list={isListed ? list : undefined}
        onFocus={() => showList(true)}
        placeholder={ownZone}
        defaultValue={defaultValue}
        maxLength={60}
        autoComplete="off"
        spellCheck={false}
        onInput={(event) => setChosen(event.currentTarget.value)}
      />
      {isListed && (
        <datalist id={list}>
          {Intl.supportedValuesOf('timeZone').map((zone) => (
            <option key={zone}>{zone}</option>
          ))}
        </datalist>
      )}
    </Field>
  );
}
