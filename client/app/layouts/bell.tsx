import { useContext, useEffect, useEffectEvent, useId, useRef, useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import { useFormat, useLooseT, useT, type Format } from '#client/lib/i18n.tsx';
import { LiveContext } from '#client/lib/live.ts';
import { useApi } from '#client/lib/use-api.ts';
import { Button } from '#client/ui/button.tsx';
import { Icon } from '#client/ui/icon.tsx';
import { positionPopover } from '#client/ui/popover-position.ts';
import { SkeletonRows } from '#client/ui/skeleton.tsx';
import { href } from '#shared/routes/href.ts';

type Row = { id: string; kind: string; data: Record<string, string | number>; at: string; read: boolean };
type State = { readonly rows: readonly Row[] } | 'loading' | 'failed';

/** Notifications: a dot while some are unread, a list when opened, which marks them as read and stays up to date. */
export function Bell({ unread }: { unread: number }): ReactNode {
  const id = useId();
  const t = useT('shell');
  const ui = useT('ui');
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLElement>(null);
  const { state, open, load } = useNotifications();
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
        aria-labelledby={`${id}title`}
        tabIndex={-1}
        onToggle={(event) => {
          open(event.newState === 'open');
          if (event.newState !== 'open') return;
          positionPopover(list.current, button.current);
          list.current?.focus();
        }}
      >
        <h2 className="sp-notices__title" id={`${id}title`}>
          {t('notificationsTitle')}
        </h2>
        {state === 'loading' && <SkeletonRows rows={3} label={t('loading')} />}
        {state === 'failed' && (
          <div className="sp-notices__failed" role="alert">
            <p>{t('notificationsFailed')}</p>
            <Button size="sm" icon="refresh" onClick={load}>
              {ui('tryAgain')}
            </Button>
          </div>
        )}
        {typeof state === 'object' && <NotificationList rows={state.rows} leave={() => list.current?.hidePopover()} />}
      </section>
    </>
  );
}

/** The list while it is open: loaded when it opens and whenever the server reports a new one. */
function useNotifications() {
  const api = useApi();
  const source = useContext(LiveContext);
  const [state, setState] = useState<State>('loading');
  const isOpen = useRef(false);
  /** Those that were unread when the list opened: they stay marked until it closes. */
  const fresh = useRef(new Set<string>());
  /** Counts requests: only the response to the latest one is used. */
  const asked = useRef(0);
  const load = async (): Promise<void> => {
    if (!api) return;
    const own = (asked.current += 1);
    try {
      const answer = await api.notifications.list();
      if (own !== asked.current) return;
      for (const row of answer.notifications) if (!row.read) fresh.current.add(row.id);
      setState({ rows: answer.notifications.map((row) => ({ ...row, read: !fresh.current.has(row.id) })) });
      if (answer.unread > 0) await api.notifications.markRead();
    } catch {
      if (own === asked.current) setState('failed');
    }
  };
  const onNews = useEffectEvent(() => void (isOpen.current && load()));
  // An effect, because the stream of events lives outside React.
  useEffect(() => source?.subscribe((topic) => topic === 'notifications' && onNews()), [source]);
  return {
    state,
    load: () => {
      setState('loading');
      void load();
    },
    open: (opened: boolean) => {
      isOpen.current = opened;
      fresh.current.clear();
      if (opened) void load();
    },
  };
}

function NotificationList({ rows, leave }: { rows: readonly Row[]; leave: () => void }): ReactNode {
  const t = useT('shell');
  const text = useLooseT('shell');
  const format = useFormat();
  if (rows.length === 0) return <p className="sp-notices__empty">{t('notificationsEmpty')}</p>;
  return (
    <ul className="sp-notices__list">
      {rows.map((row) => {
        const words = text([`notification.${row.kind}`, 'notification.other'], formatData(row.data, format));
        const to = notificationHref(row);
        return (
          <li key={row.id} data-unread={!row.read || undefined}>
            {to === null ? (
              <span>{words}</span>
            ) : (
              <Link to={to} onClick={leave}>
                {words}
              </Link>
            )}
            <time className="sp-muted" dateTime={row.at}>
              {format.dateTime(row.at)}
            </time>
          </li>
        );
      })}
    </ul>
  );
}

/** The address a notification leads to, or null. */
function notificationHref({ kind, data }: Row): string | null {
  // About a panel: only those who may see panels are notified.
  if ('panel_id' in data) return href('admin.panels.list');
  if (kind === 'serversFailed') return `${href('admin.servers.list')}?state=failed`;
  if (kind === 'ordersToConfirm') return `${href('admin.payments.list')}?provider=manual&state=pending`;
  if (kind === 'rewardsToReview') return href('admin.heldRewards');
  if (kind === 'capacityFree') return href('server.create');
  if (typeof data.announcement === 'string') return href('announcement.view', { id: data.announcement });
  if (kind.startsWith('gift')) return `${href('account')}?tab=statement`;
  if (kind === 'tokenCreated') return `${href('account')}?tab=tokens`;
  if (kind === 'viewedByStaff') return `${href('account')}?tab=activity`;
  if (kind === 'exportReady' || kind.startsWith('deletion')) return `${href('account')}?tab=privacy`;
  if (kind === 'passwordChanged' || kind === 'newDevice') return `${href('account')}?tab=sessions`;
  if (kind.startsWith('passkey')) return `${href('account')}?tab=security`;
  if (/^(adjustment|credits)/.test(kind) || kind === 'purchaseRefunded') return `${href('account')}?tab=statement`;
  return typeof data.id === 'string' && 'server' in data && kind !== 'serverDeleted'
    ? href('server.view', { id: data.id })
    : null;
}

/** Formats a notification's data: times become dates, a price gets its unit. */
function formatData(data: Row['data'], format: Format): Row['data'] {
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, formatValue(key, value, format)]));
}

function formatValue(key: string, value: string | number, format: Format): string | number {
  if (typeof value === 'string') return /^\d{4}-\d{2}-\d{2}T/.test(value) ? format.date(value) : value;
  return key === 'cost' ? format.credits(value) : value;
}
