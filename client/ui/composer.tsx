import { useEffect, useState } from 'react';
import type { KeyboardEvent, ReactNode } from 'react';
import type { AttachedFiles } from '#client/lib/use-attachments.ts';
import { useFileDrop } from '#client/lib/use-file-drop.ts';
import { useHydrated, useScripted } from '#client/lib/use-hydrated.ts';
import { AttachButton, AttachedList } from './attachments.tsx';
import { Button } from './button.tsx';
import { Field } from './field.tsx';
import { Prose } from './prose.tsx';
import { Textarea } from './text-input.tsx';

/** How long after the last letter the preview is made anew. */
const PREVIEW_PAUSE_MS = 300;

interface ComposerProps {
  readonly label: string;
  readonly name: string;
  readonly max: number;
  readonly rows?: number;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hint?: ReactNode;
  /** Word of the button that shows how the text will look. */
  readonly previewLabel: string;
  /** HTML of a text; null while the page is not ready. */
  readonly preview: ((text: string) => Promise<string>) | null;
  /** Its files; absent: it has none. */
  readonly files?: AttachedFiles;
  /** Buttons that send it. */
  readonly children?: ReactNode;
}

/**
 * A field for a message in Markdown, with how it will look, its files (chosen, dropped or pasted), and its buttons;
 * Ctrl+Enter sends. Without scripts it is a plain field.
 */
export function Composer(props: ComposerProps): ReactNode {
  const { label, name, max, rows = 4, value, onChange, hint, previewLabel, preview, files, children } = props;
  const hydrated = useHydrated();
  const scripted = useScripted();
  const [isShown, show] = useState(false);
  const html = usePreview(isShown ? preview : null, value);
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (!files?.isBusy) event.currentTarget.form?.requestSubmit();
  };
  const { drop, onPaste } = useFileDrop(files?.add ?? null);
  return (
    <div className="sp-composer" {...drop}>
      <Field label={label} name={name} required={!files?.kept.length} {...(hint ? { hint } : {})}>
        <Textarea
          rows={rows}
          maxLength={max}
          {...(hydrated ? { value } : { defaultValue: value })}
          onChange={(event) => onChange(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          {...(onPaste ? { onPaste } : {})}
        />
      </Field>
      {files && <AttachedList files={files} />}
      {isShown && (
        <section className="sp-composer__preview" aria-label={previewLabel}>
          <Prose html={html} />
        </section>
      )}
      <div className="sp-composer__bar">
        <span className="sp-composer__tools" {...scripted}>
          <Button size="sm" variant="ghost" icon="eye" aria-pressed={isShown} onClick={() => show(!isShown)}>
            {previewLabel}
          </Button>
          {files && <AttachButton files={files} />}
        </span>
        {children}
      </div>
    </div>
  );
}

/** HTML of a text, a moment after its last change; '' while there is none. */
function usePreview(preview: ComposerProps['preview'], text: string): string {
  const [html, setHtml] = useState('');
  // The server renders it: an effect asks.
  useEffect(() => {
    if (preview === null) return undefined;
    let isCurrent = true;
    const timer = setTimeout(() => {
      preview(text).then(
        (made) => isCurrent && setHtml(made),
        // What it would look like is no loss: the text stays.
        () => undefined,
      );
    }, PREVIEW_PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [preview, text]);
  return html;
}
