import { useContext, useEffect, useEffectEvent, useId, useRef, useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import { useFormat, useLooseT, useT, type Format } from '#client/lib/i18n.tsx';
import { LiveContext } from '#client/lib/live.ts';
import { useApi } from '#client/lib/use-api.ts';
import { Button } from '#client/ui/button.tsx';
import { SkeletonRows } from '#client/ui/skeleton.tsx';
import { notificationPath } from '#shared/notification-path.ts';
import { groupOfKind, NOTIFICATION_GROUPS } from '#shared/notifications.ts';
import { href } from '#shared/routes/href.ts';

type Row = { id: string; kind: string; data: Record<string, string | number>; at: string; read: boolean };
type State = { readonly rows: readonly Row[] } | 'loading' | 'failed';

/** Rows of a group that are seen at once; the others unfold. */
const SEEN = 4;

/** What the bell shows while it is open. `leave`: closes it; `focus`: has it take the focus again. */
export default function BellPanel({ leave, focus }: { leave: () => void; focus: () => void }): ReactNode {
  const t = useT('shell');
  const ui = useT('ui');
  const { state, load, markRead } = useNotifications();
  return (
    <>
      <div className="sp-notices__head">
        <h2 className="sp-notices__title">{t('notificationsTitle')}</h2>
        {typeof state === 'object' && state.rows.some(({ read }) => !read) && (
          <Button
            size="sm"
            variant="ghost"
            icon="check"
            onClick={() => {
              // The button goes with what is unread.
              focus();
              void markRead();
            }}
          >
            {t('notificationsReadAll')}
          </Button>
        )}
      </div>
      {state === 'loading' && <SkeletonRows rows={3} label={t('loading')} />}
      {state === 'failed' && (
        <div className="sp-notices__failed" role="alert">
          <p>{t('notificationsFailed')}</p>
          <Button size="sm" icon="refresh" onClick={load}>
            {ui('tryAgain')}
          </Button>
        </div>
      )}
      {typeof state === 'object' && (
        <GroupedList
          rows={state.rows}
          follow={(row) => {
            leave();
            if (!row.read) void markRead(row.id);
          }}
        />
      )}
      <Link className="sp-notices__settings" to={`${href('account')}?tab=notifications`} onClick={leave}>
        {t('notificationsSettings')}
      </Link>
    </>
  );
}

/** The list: loaded at once and whenever the server reports a new one. */
function useNotifications() {
  const api = useApi();
  const source = useContext(LiveContext);
  const [state, setState] = useState<State>('loading');
  /** Counts requests: only the response to the latest one is used. */
  const asked = useRef(0);
  const load = async (): Promise<void> => {
    if (!api) return;
    const own = (asked.current += 1);
    try {
      const answer = await api.notifications.list();
      if (own === asked.current) setState({ rows: answer.notifications });
    } catch {
      if (own === asked.current) setState('failed');
    }
  };
  const onNews = useEffectEvent(() => void load());
  // An effect, because the stream of events lives outside React.
  useEffect(() => {
    queueMicrotask(() => onNews());
    return source?.subscribe((topic) => topic === 'notifications' && onNews());
  }, [source]);
  /** Marks one as read, or all of them. What failed is unread again when the list is next loaded. */
  const markRead = async (id?: string): Promise<void> => {
    setState((now) =>
      typeof now === 'object'
        ? { rows: now.rows.map((row) => (id === undefined || row.id === id ? { ...row, read: true } : row)) }
        : now,
    );
    try {
      await (id === undefined ? api?.notifications.markAllRead() : api?.notifications.markRead({ params: { id } }));
    } catch {
      await load();
    }
  };
  return {
    state,
    markRead,
    load: () => {
      setState('loading');
      void load();
    },
  };
}

/** Notifications under the headings of what they are about, that with the newest first. */
function GroupedList({ rows, follow }: { rows: readonly Row[]; follow: (row: Row) => void }): ReactNode {
  const t = useT('shell');
  const id = useId();
  if (rows.length === 0) return <p className="sp-notices__empty">{t('notificationsEmpty')}</p>;
  const groups = Map.groupBy(rows, ({ kind }) => groupOfKind(kind));
  const order = [...groups.keys()];
  return NOTIFICATION_GROUPS.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)).map((group) => {
    const own = groups.get(group) ?? [];
    if (own.length === 0) return null;
    return (
      <section key={group} className="sp-notices__group" aria-labelledby={`${id}${group}`}>
        <h3 id={`${id}${group}`}>{t(`noticeGroup.${group}`)}</h3>
        <NotificationList rows={own.slice(0, SEEN)} follow={follow} />
        {own.length > SEEN && (
          <details>
            <summary>{t('notificationsMore', { count: own.length - SEEN })}</summary>
            <NotificationList rows={own.slice(SEEN)} follow={follow} />
          </details>
        )}
      </section>
    );
  });
}

function NotificationList({ rows, follow }: { rows: readonly Row[]; follow: (row: Row) => void }): ReactNode {
  const text = useLooseT('shell');
  const format = useFormat();
  return (
    <ul className="sp-notices__list">
      {rows.map((row) => {
        const words = text([`notification.${row.kind}`, 'notification.other'], formatData(row.data, format));
        const to = notificationPath(row.kind, row.data);
        return (
          <li key={row.id} data-unread={!row.read || undefined}>
            {to === null ? (
              <span>{words}</span>
            ) : (
              <Link to={to} onClick={() => follow(row)}>
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

/** Formats a notification's data: times become dates, a price gets its unit. */
function formatData(data: Row['data'], format: Format): Row['data'] {
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, formatValue(key, value, format)]));
}

function formatValue(key: string, value: string | number, format: Format): string | number {
  if (typeof value === 'string') return /^\d{4}-\d{2}-\d{2}T/.test(value) ? format.date(value) : value;
  return key === 'cost' ? format.credits(value) : value;
}
