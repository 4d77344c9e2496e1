import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { Button, IconButton } from './button.tsx';
import { Coin } from './credit-amount.tsx';
import { Icon } from './icon.tsx';
import { toasts } from './toasts.ts';
import type { Toast, Toasts } from './toasts.ts';

const NONE: readonly Toast[] = [];
const none = (): readonly Toast[] => NONE;

/** The corner in which toasts appear, as a live region. One per page. */
export function ToastRegion({ store = toasts }: { store?: Toasts }): ReactNode {
  const t = useT('ui');
  const list = useSyncExternalStore(store.subscribe, store.current, none);
  return (
    <section className="sp-toasts" aria-label={t('notifications')} aria-live="polite" aria-relevant="additions">
      {list.map((toast) => (
        <Message key={toast.id} toast={toast} dismiss={() => store.dismiss(toast.id)} />
      ))}
    </section>
  );
}

const ICONS = { positive: 'check', danger: 'alert', info: 'info' } as const;

function Message({ toast, dismiss }: { toast: Toast; dismiss: () => void }): ReactNode {
  const t = useT('ui');
  const [paused, setPaused] = useState(false);
  const { displayMs, tone = 'info', action } = toast;
  const gone = useRef(dismiss);
  useEffect(() => {
    gone.current = dismiss;
  });
  useEffect(() => {
    if (paused || displayMs === 0) return;
    const timer = setTimeout(() => gone.current(), displayMs);
    return () => clearTimeout(timer);
  }, [paused, displayMs]);
  return (
    <div
      className="sp-toast"
      data-tone={tone}
      role={tone === 'danger' ? 'alert' : 'status'}
      onPointerEnter={() => setPaused(true)}
      onPointerLeave={() => setPaused(false)}
      onFocus={() => setPaused(true)}
      onBlur={() => setPaused(false)}
    >
      {tone === 'credit' ? <Coin /> : <Icon name={ICONS[tone]} />}
      <div className="sp-toast__body">
        <b>{toast.title}</b>
        {toast.text !== undefined && <span>{toast.text}</span>}
      </div>
      {action && (
        <Button
          size="sm"
          onClick={() => {
            dismiss();
            action.run();
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton icon="x" size="sm" label={t('dismiss')} onClick={dismiss} />
    </div>
  );
}
