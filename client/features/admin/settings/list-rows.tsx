import { useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { Button, IconButton } from '#client/ui/button.tsx';
import { useControl } from '#client/ui/field-context.ts';
import { TextInput } from '#client/ui/text-input.tsx';

export interface ListFieldProps {
  readonly initial: string;
  readonly label: string;
  readonly disabled: boolean;
  /** Between the entries: a line break, or a character on one line. */
  readonly separator: string;
}
/** The entries of a list on one line, by the rule of whoever reads it: apart by commas and blanks. */
const entriesOf = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

interface Entry {
  readonly id: number;
  readonly text: string;
}

/** The entries of a list, a field each. */
export function ListRows({ initial, label, disabled, separator }: ListFieldProps): ReactNode {
  const t = useT('staffSettings');
  const control = useControl({});
  const [entries, setEntries] = useState<readonly Entry[]>(() =>
    (separator === '\n' && initial !== '' ? initial.split('\n') : entriesOf(initial)).map((text, id) => ({ id, text })),
  );
  // What nobody touched stays as it is stored, however its entries are set apart.
  const [isChanged, setChanged] = useState(false);
  const hidden = useRef<HTMLInputElement>(null);
  const change = (next: readonly Entry[]): void => {
    setEntries(next);
    setChanged(true);
    // The form reads its fields when it hears of input: once the hidden one has the new text.
    setTimeout(() => hidden.current?.dispatchEvent(new Event('input', { bubbles: true })));
  };
  return (
    <div className="sp-set__list">
      <input
        type="hidden"
        ref={hidden}
        name={control.name}
        value={isChanged ? entries.map(({ text }) => text).join(separator) : initial}
        disabled={disabled}
      />
      {entries.map(({ id, text }, index) => (
        <div key={id} className="sp-set__entry">
          <TextInput
            mono
            id={`${control.id ?? ''}-${id}`}
            name=""
            aria-label={t('entry', { label, number: index + 1 })}
            defaultValue={text}
            disabled={disabled}
            onChange={(event) => {
              const typed = event.currentTarget.value;
              change(entries.map((each) => (each.id === id ? { id, text: typed } : each)));
            }}
          />
          {!disabled && (
            <IconButton
              icon="trash"
              size="sm"
              label={t('removeEntry', { number: index + 1 })}
              onClick={() => change(entries.filter((each) => each.id !== id))}
            />
          )}
        </div>
      ))}
      {!disabled && (
        <Button
          id={control.id}
          size="sm"
          icon="plus"
          aria-label={t('addEntryTo', { label })}
          onClick={() => change([...entries, { id: Math.max(-1, ...entries.map(({ id }) => id)) + 1, text: '' }])}
        >
          {t('addEntry')}
        </Button>
      )}
    </div>
  );
}
