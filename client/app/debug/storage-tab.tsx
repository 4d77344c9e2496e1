import { useEffect, useState, type KeyboardEvent, type ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { Button, IconButton } from '#client/ui/button.tsx';
import { Segmented } from '#client/ui/segmented.tsx';
import { STORAGE_AREAS, openStorageArea, formatEntry, type StorageAreaName } from './storage-areas.ts';
import { EmptyTab, Scroller } from './parts.tsx';

type PendingChange = { readonly what: 'edit' | 'remove'; readonly name: string } | { readonly what: 'add' } | null;

/** The browser storage of this page, to read and edit. */
export function StorageTab(): ReactNode {
  const t = useT('debug');
  const [name, setName] = useState<StorageAreaName>('local');
  const [pendingChange, setPendingChange] = useState<PendingChange>(null);
  const [, setRead] = useState(0);
  const rereadEntries = () => setRead((times) => times + 1);
  // An effect, because other tabs write too.
  useEffect(() => {
    const onStorage = () => setRead((times) => times + 1);
    addEventListener('storage', onStorage);
    return () => removeEventListener('storage', onStorage);
  }, []);
  const area = openStorageArea(name);
  const entries = area.entries();
  const done = () => setPendingChange(null);
  const save = (entry: string, value: string) => {
    area.set(entry, value);
    done();
  };
  return (
    <div className="sp-debug__list">
      <div className="sp-debug__tools">
        <Segmented
          label={t('area')}
          name="sp-debug-area"
          value={name}
          options={STORAGE_AREAS.map((value) => ({ value, label: t(`areas.${value}`) }))}
          onChange={(value) => {
            setName(STORAGE_AREAS.find((each) => each === value) ?? 'local');
            done();
          }}
        />
        <Button size="sm" variant="ghost" icon="refresh" onClick={rereadEntries}>
          {t('refresh')}
        </Button>
        <Button size="sm" variant="ghost" icon="plus" onClick={() => setPendingChange({ what: 'add' })}>
          {t('add')}
        </Button>
      </div>
      <Scroller label={t(`areas.${name}`)}>
        {name === 'cookies' && <p className="sp-meta">{t('cookieHint')}</p>}
        {pendingChange?.what === 'add' && <Editor label={t('addEntry')} onSave={save} onCancel={done} />}
        {entries.length === 0 && pendingChange === null && <EmptyTab title={t('empty')} />}
        <ul className="sp-debug__entries">
          {entries.map(([entry, value]) => (
            <li key={entry}>
              {pendingChange !== null && pendingChange.what !== 'add' && pendingChange.name === entry ? (
                pendingChange.what === 'edit' ? (
                  <Editor label={t('edit', { name: entry })} name={entry} value={value} onSave={save} onCancel={done} />
                ) : (
                  <ConfirmRemoval
                    name={entry}
                    onNo={done}
                    onYes={() => {
                      area.remove(entry);
                      done();
                    }}
                  />
                )
              ) : (
                <>
                  <span>{entry}</span>
                  <code>{formatEntry(entry, value)}</code>
                  <IconButton
                    size="sm"
                    icon="pencil"
                    label={t('edit', { name: entry })}
                    onClick={() => setPendingChange({ what: 'edit', name: entry })}
                  />
                  <IconButton
                    size="sm"
                    icon="trash"
                    label={t('remove', { name: entry })}
                    onClick={() => setPendingChange({ what: 'remove', name: entry })}
                  />
                </>
              )}
            </li>
          ))}
        </ul>
      </Scroller>
    </div>
  );
}

/** Esc cancels the edit and leaves the panel open. */
const onEscape = (cancel: () => void) => (event: KeyboardEvent) => {
  if (event.key !== 'Escape') return;
  event.preventDefault();
  event.stopPropagation();
  cancel();
};

/** Takes the focus when mounted, because the button that was pressed is gone. */
const focusOnMount = (element: HTMLElement | null) => element?.focus();

function ConfirmRemoval({ name, onYes, onNo }: { name: string; onYes: () => void; onNo: () => void }): ReactNode {
  const t = useT('debug');
  return (
    <span className="sp-debug__sure" role="alertdialog" aria-label={t('removeAsk', { name })}>
      <span>{t('removeAsk', { name })}</span>
      <Button ref={focusOnMount} size="sm" onClick={onNo} onKeyDown={onEscape(onNo)}>
        {t('cancel')}
      </Button>
      <Button size="sm" variant="danger" onClick={onYes} onKeyDown={onEscape(onNo)}>
        {t('removeYes')}
      </Button>
    </span>
  );
}

function Editor(props: {
  label: string;
  name?: string;
  value?: string;
  onSave: (name: string, value: string) => void;
  onCancel: () => void;
}): ReactNode {
  const { label, name: given, value: before = '', onSave, onCancel } = props;
  const t = useT('debug');
  const [name, setName] = useState(given ?? '');
  const [value, setValue] = useState(before);
  return (
    <form
      className="sp-debug__editor"
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== '') onSave(name.trim(), value);
      }}
    >
      {given === undefined && (
        <input
          ref={focusOnMount}
          onKeyDown={onEscape(onCancel)}
          className="sp-input"
          data-mono=""
          aria-label={t('name')}
          placeholder={t('name')}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      )}
      {given !== undefined && <span>{given}</span>}
      <textarea
        onKeyDown={onEscape(onCancel)}
        ref={given === undefined ? null : focusOnMount}
        className="sp-input"
        data-mono=""
        rows={3}
        spellCheck={false}
        aria-label={t('value')}
        placeholder={t('value')}
        value={value}
        onChange={(event) => setValue(event.target.value)}
      />
      <span className="sp-btn-row">
        <Button type="submit" size="sm" variant="primary" disabled={name.trim() === ''}>
          {t('save')}
        </Button>
        <Button size="sm" onClick={onCancel}>
          {t('cancel')}
        </Button>
      </span>
    </form>
  );
}
