import { useId, useRef, useState } from 'react';
import type { ReactNode, Ref } from 'react';
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
  const hydrated = useHydrated();
  const input = useRef<HTMLInputElement>(null);
  const [chosen, setChosen] = useState(defaultValue);
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
      <TimeZoneInput ref={input} placeholder={ownZone} defaultValue={defaultValue} onChosen={setChosen} />
    </Field>
  );
}

interface TimeZoneInputProps {
  ref?: Ref<HTMLInputElement>;
  /** An IANA name. */
  defaultValue: string;
  placeholder?: string;
  disabled?: boolean;
  /** Hears what is typed or picked. */
  onChosen?: (zone: string) => void;
}

/** The control of a time zone by itself, to stand in a `Field` of the caller's. */
export function TimeZoneInput({ onChosen, ...props }: TimeZoneInputProps): ReactNode {
  const list = useId();
  // Some hundred zones: only for who chooses one.
  const [isListed, showList] = useState(false);
  return (
    <>
      <TextInput
        {...props}
        list={isListed ? list : undefined}
        onFocus={() => showList(true)}
        maxLength={60}
        autoComplete="off"
        spellCheck={false}
        onInput={(event) => onChosen?.(event.currentTarget.value)}
      />
      {isListed && (
        <datalist id={list}>
          {Intl.supportedValuesOf('timeZone').map((zone) => (
            <option key={zone}>{zone}</option>
          ))}
        </datalist>
      )}
    </>
  );
}
