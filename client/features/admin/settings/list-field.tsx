import { useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { useHydrated } from '#client/lib/use-hydrated.ts';
import { Button, IconButton } from '#client/ui/button.tsx';
import { useControl } from '#client/ui/field-context.ts';
import { Textarea, TextInput } from '#client/ui/text-input.tsx';

/** Longer lists are edited as text, an entry a line: so many fields serve nobody. */
const ROWS_MAX = 40;

interface Entry {
  readonly id: number;
  readonly text: string;
}

/** A list as rows, one entry each; without scripts, and if it is long, as text. In: the entries, one a line. */
export function ListField({
  initial,
  label,
  disabled,
}: {
  initial: string;
  label: string;
  disabled: boolean;
}): ReactNode {
  const hydrated = useHydrated();
  if (!hydrated || initial.split('\n').length > ROWS_MAX)
    return <Textarea mono rows={4} defaultValue={initial} disabled={disabled} spellCheck={false} />;
  return <Rows initial={initial} label={label} disabled={disabled} />;
}

function Rows({ initial, label, disabled }: { initial: string; label: string; disabled: boolean }): ReactNode {
  const t = useT('staffSettings');
  const control = useControl({});
  const [entries, setEntries] = useState<readonly Entry[]>(() =>
    (initial === '' ? [] : initial.split('\n')).map((text, id) => ({ id, text })),
  );
  const hidden = useRef<HTMLInputElement>(null);
  const change = (next: readonly Entry[]): void => {
    setEntries(next);
    // The form reads its fields when it hears of input: once the hidden one has the new text.
    setTimeout(() => hidden.current?.dispatchEvent(new Event('input', { bubbles: true })));
  };
  return (
    <div className="sp-set__list">
      <input
        type="hidden"
        ref={hidden}
        name={control.name}
        value={entries.map(({ text }) => text).join('\n')}
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
