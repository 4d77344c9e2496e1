import { useId, useRef, useState, type ReactNode } from 'react';
import { useFormat, useLooseT, useT, type Format } from '#client/lib/i18n.tsx';
import { useApi } from '#client/lib/use-api.ts';
import { Icon } from '#client/ui/icon.tsx';
import { placeBelow } from '#client/ui/place.ts';

type Row = { id: string; kind: string; data: Record<string, string | number>; at: string; read: boolean };
type State = { rows: readonly Row[] } | 'loading' | 'failed';

/** Notifications: a dot while some are unread, a list when opened; opening marks them as read. */
export function Bell({ unread }: { unread: number }): ReactNode {
  const id = useId();
  const t = useT('shell');
  const api = useApi();
  const button = useRef<HTMLButtonElement>(null);
  const [state, setState] = useState<State>('loading');
  const open = async () => {
    if (!api) return;
    try {
      const { notifications } = await api.notifications.list();
      setState({ rows: notifications });
      if (unread > 0) await api.notifications.markRead();
    } catch {
      setState('failed');
    }
  };
  return (
    <>
      <button ref={button} type="button" className="sp-btn sp-bell" data-variant="ghost" data-icon-only="" popoverTarget={id} aria-label={t('notifications', { count: unread })}>
        <Icon name="bell" />
        {unread > 0 && <i className="sp-dot" />}
      </button>
      <div
        id={id}
        popover="auto"
        className="sp-menu sp-notices"
        onToggle={(event) => {
          if (event.newState !== 'open') return;
          if (button.current) placeBelow(button.current, event.currentTarget);
          void open();
        }}
      >
        <h2 className="sp-notices__title">{t('notificationsTitle')}</h2>
        {state === 'loading' && <p className="sp-muted">{t('loading')}</p>}
        {state === 'failed' && <p className="sp-muted" role="alert">{t('notificationsFailed')}</p>}
        {typeof state === 'object' && <Notices rows={state.rows} />}
      </div>
    </>
  );
}

function Notices({ rows }: { rows: readonly Row[] }): ReactNode {
  const t = useT('shell');
  const text = useLooseT('shell');
  const format = useFormat();
  if (rows.length === 0) return <p className="sp-muted">{t('notificationsEmpty')}</p>;
  return (
    <ul className="sp-notices__list">
      {rows.map((row) => (
        <li key={row.id} data-unread={!row.read || undefined}>
          <span>{text([`notification.${row.kind}`, 'notification.other'], shown(row.data, format))}</span>
          <time className="sp-muted" dateTime={row.at}>{format.dateTime(row.at)}</time>
        </li>
      ))}
    </ul>
  );
}

/** Data of a notification as it is read: times become dates. */
function shown(data: Row['data'], format: Format): Row['data'] {
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T/.test(value) ? format.date(value) : value]),
  );
}
