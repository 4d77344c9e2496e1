import { useEffect, useRef, useState } from 'react';
import type { KeyboardEvent, ReactNode } from 'react';
import { useErrorText } from '#client/lib/error-text.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useApi } from '#client/lib/use-api.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { dialogs } from '#client/ui/dialogs.ts';
import { useUnsavedWarning } from '#client/ui/unsaved.ts';
import { refusalOf } from './use-folder.ts';

/** A text as it is stored: its version, and whether its lines end as on Windows, which a field for text forgets. */
interface Stored {
  readonly text: string;
  readonly version: string | null;
  readonly hasReturns: boolean;
}
const NEW: Stored = { text: '', version: null, hasReturns: false };

interface FileEditorProps {
  readonly id: string;
  /** The file, below the server's folder. */
  readonly path: string;
  /** There is no such file yet. */
  readonly isNew: boolean;
  readonly onClose: () => void;
}

/** A text file of a server, to edit. What somebody else, or the server, changed meanwhile is never written over unasked. */
export function FileEditor({ id, path, isNew, onClose }: FileEditorProps): ReactNode {
  const t = useT('live');
  const errors = useErrorText();
  const api = useApi();
  const [stored, setStored] = useState<Stored | null>(isNew ? NEW : null);
  const [text, setText] = useState('');
  const [refused, setRefused] = useState<string | null>(null);
  const [state, setState] = useState<'open' | 'busy' | 'saved'>('open');
  const field = useRef<HTMLTextAreaElement>(null);
  const isChanged = stored !== null && (text !== stored.text || stored.version === null);
  useUnsavedWarning(isChanged);

  const read = async (): Promise<Stored | null> => {
    if (!api) return null;
    const found = await api.serverFiles.open({ params: { id }, query: { path } });
    const hasReturns = found.text.includes('\r\n');
    return { text: found.text.replaceAll('\r\n', '\n'), version: found.version, hasReturns };
  };
  const load = async (): Promise<void> => {
    setRefused(null);
    try {
      const found = await read();
      setStored(found);
      setText(found?.text ?? '');
    } catch (error) {
      setRefused(refusalOf(error));
    }
  };
  // An effect, because the file is outside React.
  useEffect(() => {
    if (!isNew) void load();
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- another file is another editor
  }, []);
  const isReady = stored !== null;
  useEffect(() => {
    if (isReady) field.current?.focus();
  }, [isReady]);

  const save = async (over: Stored | null): Promise<void> => {
    if (!api || !over || state === 'busy') return;
    setState('busy');
    setRefused(null);
    try {
      const body = new TextEncoder().encode(over.hasReturns ? text.replaceAll('\n', '\r\n') : text);
      const query = { path, ...(over.version === null ? {} : { version: over.version }) };
      const { version } = await api.serverFiles.save({ params: { id }, query, body });
      setStored({ ...over, text, version });
      setState('saved');
    } catch (error) {
      setRefused(refusalOf(error));
      setState('open');
    }
  };
  const close = async (): Promise<void> => {
    const sure =
      !isChanged ||
      text === '' ||
      (await dialogs.confirm({
        title: t('files.discardTitle'),
        text: t('files.discardText', { name: path }),
        ok: t('files.discard'),
        cancel: t('files.keep'),
        tone: 'danger',
      }));
    if (sure) onClose();
  };
  return (
    <div className="sp-files__editor">
      <div className="sp-files__bar">
        <p className="sp-files__path">
          <code>{path}</code>
        </p>
        <div className="sp-btn-row">
          <Button size="sm" variant="ghost" icon="arrow-left" onClick={() => void close()}>
            {t('files.back')}
          </Button>
          {stored && (
            <Button size="sm" variant="primary" icon="save" busy={state === 'busy'} onClick={() => void save(stored)}>
              {t('files.save')}
            </Button>
          )}
        </div>
      </div>
      {refused === 'FILE_CHANGED' && (
        <Banner tone="warning" live>
          {t('files.changed')}
          <div className="sp-btn-row">
            <Button size="sm" icon="refresh" onClick={() => void load()}>
              {t('files.reload')}
            </Button>
            <Button
              size="sm"
              onClick={async () => {
                try {
                  await save(await read());
                } catch (error) {
                  setRefused(refusalOf(error));
                }
              }}
            >
              {t('files.overwrite')}
            </Button>
          </div>
        </Banner>
      )}
      {refused !== null && refused !== 'FILE_CHANGED' && (
        <Banner tone="danger" live>
          {errors.code(refused)}
        </Banner>
      )}
      {state === 'saved' && !isChanged && (
        <Banner tone="positive" live>
          {t('files.saved')}
        </Banner>
      )}
      {stored && (
        <textarea
          ref={field}
          className="sp-files__text"
          aria-label={t('files.text', { name: path })}
          value={text}
          spellCheck={false}
          autoCapitalize="none"
          autoComplete="off"
          onKeyDown={(event: KeyboardEvent) => {
            if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            void save(stored);
          }}
          onChange={(event) => {
            setText(event.target.value);
            if (state === 'saved') setState('open');
          }}
        />
      )}
    </div>
  );
}
