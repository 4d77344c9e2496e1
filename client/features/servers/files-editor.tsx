import { useEffect, useRef } from 'react';
import type { KeyboardEvent, ReactNode } from 'react';
import { useErrorText } from '#client/lib/error-text.ts';
import { useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { dialogs } from '#client/ui/dialogs.ts';
import { useUnsavedWarning } from '#client/ui/unsaved.ts';
import { useFileText } from './use-file-text.ts';

interface FileEditorProps {
  readonly id: string;
  /** The file, below the server's folder. */
  readonly path: string;
  /** There is no such file yet. */
  readonly isNew: boolean;
  readonly mayWrite: boolean;
  readonly onClose: () => void;
}

/** A text file of a server, to edit. What was changed meanwhile, by whomever, is never written over unasked. */
export function FileEditor({ id, path, isNew, mayWrite, onClose }: FileEditorProps): ReactNode {
  const t = useT('live');
  const errors = useErrorText();
  const { text, isReady, isChanged, refused, state, edit, save, reload, overwrite } = useFileText({ id, path, isNew });
  const field = useRef<HTMLTextAreaElement>(null);
  useUnsavedWarning(isChanged);
  useEffect(() => {
    if (isReady) field.current?.focus();
  }, [isReady]);
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
          {isReady && mayWrite && (
            <Button size="sm" variant="primary" icon="save" busy={state === 'busy'} onClick={() => void save()}>
              {t('files.save')}
            </Button>
          )}
        </div>
      </div>
      {refused === 'FILE_CHANGED' && (
        <Banner tone="warning" live>
          {t('files.changed')}
          <div className="sp-btn-row">
            <Button size="sm" icon="refresh" onClick={() => void reload()}>
              {t('files.reload')}
            </Button>
            <Button size="sm" onClick={() => void overwrite()}>
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
      {isReady && (
        <textarea
          ref={field}
          className="sp-files__text"
          aria-label={t('files.text', { name: path })}
          value={text}
          readOnly={!mayWrite}
          spellCheck={false}
          autoCapitalize="none"
          autoComplete="off"
          onKeyDown={(event: KeyboardEvent) => {
            if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            if (mayWrite) void save();
          }}
          onChange={(event) => edit(event.target.value)}
        />
      )}
    </div>
  );
}
