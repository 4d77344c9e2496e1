import { useId, useRef, useState, type ComponentType, type ReactNode } from 'react';
import { loadChunk } from '#client/app/chunk.ts';
import { useT } from '#client/lib/i18n.tsx';
import { Button } from '#client/ui/button.tsx';
import { Icon } from '#client/ui/icon.tsx';
import { positionPopover } from '#client/ui/popover-position.ts';
import { SkeletonRows } from '#client/ui/skeleton.tsx';

type Panel = ComponentType<{ leave: () => void; focus: () => void }>;

/** Notifications: a dot while some are unread. What it shows when opened is loaded then (bell-panel.tsx). */
export function Bell({ unread }: { unread: number }): ReactNode {
  const id = useId();
  const t = useT('shell');
  const ui = useT('ui');
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [Panel, setPanel] = useState<Panel | 'failed' | null>(null);
  const load = async (): Promise<void> => {
    try {
      const { default: loaded } = await loadChunk(() => import('./bell-panel.tsx'));
      setPanel(() => loaded);
    } catch {
      setPanel('failed');
    }
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className="sp-btn sp-bell"
        data-variant="ghost"
        data-icon-only=""
        popoverTarget={id}
        aria-label={t('notifications', { count: unread })}
      >
        <Icon name="bell" />
        {unread > 0 && <i className="sp-dot" />}
      </button>
      <section
        ref={list}
        id={id}
        popover="auto"
        className="sp-menu sp-notices"
        aria-label={t('notificationsTitle')}
        tabIndex={-1}
        onToggle={(event) => {
          setOpen(event.newState === 'open');
          if (event.newState !== 'open') return;
          if (typeof Panel !== 'function') void load();
          positionPopover(list.current, button.current);
          list.current?.focus();
        }}
      >
        {Panel === null && <SkeletonRows rows={3} label={t('loading')} />}
        {Panel === 'failed' && (
          <div className="sp-notices__failed" role="alert">
            <p>{t('notificationsFailed')}</p>
            <Button size="sm" icon="refresh" onClick={() => void load()}>
              {ui('tryAgain')}
            </Button>
          </div>
        )}
        {isOpen && typeof Panel === 'function' && (
          <Panel leave={() => list.current?.hidePopover()} focus={() => list.current?.focus()} />
        )}
      </section>
    </>
  );
}
