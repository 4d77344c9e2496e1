import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { useScripted } from '#client/lib/use-hydrated.ts';
import { Button } from '#client/ui/button.tsx';
import { useRestoredValue } from '#client/ui/field-context.ts';
import { Textarea } from '#client/ui/text-input.tsx';
import type { SettingKey } from '#shared/settings.ts';

interface CodeFieldProps {
  readonly settingKey: SettingKey;
  readonly text: string;
  readonly label: string;
  readonly disabled: boolean;
}

/** Code: a plain field, over which an editor with colours opens; it is loaded when somebody opens it. */
export function CodeField({ settingKey: key, text, label, disabled }: CodeFieldProps): ReactNode {
  const t = useT('staffSettings');
  const scripted = useScripted();
  const restored = useRestoredValue(key);
  const field = useRef<HTMLTextAreaElement>(null);
  const place = useRef<HTMLDivElement>(null);
  const close = useRef<(() => void) | null>(null);
  const [state, setState] = useState<'plain' | 'loading' | 'open'>('plain');
  // An effect, because the editor lives outside React.
  useEffect(() => () => close.current?.(), []);
  const open = async (): Promise<void> => {
    setState('loading');
    try {
      const { openCodeEditor } = await import('./code-editor.ts');
      if (!place.current || !field.current) return;
      close.current = openCodeEditor(place.current, {
        code: field.current.value,
        language: key === 'custom_css' ? 'css' : 'javascript',
        label,
        onChange: (code) => {
          if (!field.current) return;
          field.current.value = code;
          field.current.dispatchEvent(new Event('input', { bubbles: true }));
        },
      });
      setState('open');
    } catch {
      // Without a network the plain field stays.
      setState('plain');
    }
  };
  const leave = (): void => {
    close.current?.();
    close.current = null;
    setState('plain');
  };
  return (
    <div className="sp-set__code" data-state={state}>
      <Textarea mono ref={field} rows={8} defaultValue={restored ?? text} disabled={disabled} spellCheck={false} />
      <div className="sp-set__editor" ref={place} />
      {!disabled && (
        <div {...scripted}>
          {state === 'open' ? (
            <Button size="sm" icon="x" onClick={leave}>
              {t('editorClose')}
            </Button>
          ) : (
            <Button size="sm" icon="sliders" busy={state === 'loading'} onClick={() => void open()}>
              {t('editorOpen')}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
