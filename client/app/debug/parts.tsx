import { useState, type ReactNode } from 'react';
import { useLang, useI18n, useT } from '#client/lib/i18n.tsx';
import { Button } from '#client/ui/button.tsx';
import { prettyBody } from './values.ts';

/** A body in monospace, JSON indented and coloured. */
export function BodyText({ text }: { text: string }): ReactNode {
  const t = useT('debug');
  if (text === '') return <p className="sp-meta">{t('noBody')}</p>;
  return (
    <pre className="sp-debug__pre">
      {prettyBody(text).map(({ text: piece, kind }, index) =>
        kind === 'plain' ? (
          piece
        ) : (
          <span key={`${index}`} data-kind={kind}>
            {piece}
          </span>
        ),
      )}
    </pre>
  );
}

/** Copies a text. If the browser does not allow it, shows the text for manual selection. */
export function CopyText({ text, children }: { text: () => string; children?: ReactNode }): ReactNode {
  const t = useT('debug');
  const [state, setState] = useState<'ready' | 'copied' | 'failed'>('ready');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text());
      setState('copied');
    } catch {
      setState('failed');
    }
  };
  return (
    <span className="sp-debug__copy">
      <Button
        size="sm"
        variant="ghost"
        icon={state === 'copied' ? 'check' : 'copy'}
        onClick={() => void copy()}
        onBlur={() => setState((now) => (now === 'copied' ? 'ready' : now))}
      >
        {children ?? t('copy')}
      </Button>
      <output className={state === 'failed' ? 'sp-meta' : 'sp-sr'}>
        {state === 'ready' ? '' : t(state === 'copied' ? 'copied' : 'copyFailed')}
      </output>
      {state === 'failed' && (
        <textarea
          className="sp-input"
          data-mono=""
          readOnly
          rows={6}
          aria-label={t('report')}
          value={text()}
          onFocus={(event) => event.currentTarget.select()}
        />
      )}
    </span>
  );
}

/** What scrolls must be focusable, and then it needs a name. */
const REACHABLE = { role: 'group', tabIndex: 0 } as const;

/** A part of the panel that scrolls. */
export function Scroller({
  label,
  kind = 'plain',
  children,
}: {
  label: string;
  kind?: 'plain' | 'cards';
  children: ReactNode;
}): ReactNode {
  return (
    <div {...REACHABLE} className="sp-debug__scroll" aria-label={label}>
      {kind === 'cards' ? <div className="sp-debug__cards">{children}</div> : children}
    </div>
  );
}

/** The empty state of a tab. */
export function EmptyTab({ title, text }: { title: string; text?: string }): ReactNode {
  return (
    <div className="sp-debug__nothing">
      <p className="sp-strong">{title}</p>
      {text !== undefined && <p className="sp-muted">{text}</p>}
    </div>
  );
}

/** A moment of the page as time of day with seconds. In: milliseconds since the page loaded. */
export function useTimeOfDay(): (atMs: number) => string {
  const { timeZone } = useI18n();
  const lang = useLang();
  const format = new Intl.DateTimeFormat(lang, {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZone,
  });
  return (atMs) => format.format(performance.timeOrigin + atMs);
}
