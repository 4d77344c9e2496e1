import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { Icon } from './icon.tsx';
import { toasts } from './toasts.ts';

/** How long "Copied" is shown. */
const SHOWN_MS = 2000;

/** A piece of text that a click copies. `what` names it for assistive tools. */
export function CopyButton(props: { text: string; what: string; children?: ReactNode }): ReactNode {
  const { text, what, children } = props;
  const t = useT('ui');
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      toasts.show({ tone: 'danger', title: t('copyFailed') });
    }
  };
  return (
    <button type="button" className="sp-copy" data-copied={copied || undefined} onClick={() => void copy()}>
      {children ?? text}
      <Icon name={copied ? 'check' : 'copy'} />
      <span className="sp-sr">{copied ? t('copied') : t('copy', { what })}</span>
    </button>
  );
}
