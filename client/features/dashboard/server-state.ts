import type { Format } from '#client/lib/i18n.tsx';
import type { BarTone } from '#client/ui/bar.tsx';
import type { StatusShape } from '#client/ui/status.tsx';
import type { ServerView } from '#shared/contract/server-views.ts';
import type { TFn } from '#shared/i18n/types.ts';
import { EXPIRING_MS } from '#shared/needs-credits.ts';
import { DAY } from '#shared/time.ts';

/** How a server's state is shown in a row. */
interface RowState {
  readonly shape: StatusShape;
  readonly label: string;
  /** At the end of the state's line: a date, progress, or position. */
  readonly end: string | null;
  /** Paid time left, grace left or progress, from 0 to 1. */
  readonly bar: { readonly value: number; readonly tone: BarTone } | null;
  /** A remark, if the server has no address to show. */
  readonly note: string | null;
}

/** What the texts derive from: the page's time (UTC ms), lengths of a paid and of a grace period (days). */
export interface StateContext {
  readonly t: TFn<'dashboard'>;
  readonly format: Format;
  readonly nowMs: number;
  readonly renewDays: number;
  readonly graceDays: number;
}

/** Derives state, shape, bar and texts of a server's row. */
export function toRowState(server: ServerView, words: StateContext): RowState {
  switch (server.state) {
    case 'active':
      return activeState(server, words);
    case 'suspended':
      return suspendedState(server, words);
    case 'installing':
      return installingState(server, words);
    case 'queued':
      return queuedState(server, words);
    case 'failed':
      return plain('failed', words.t('state.failed'), words.t('failedText'));
    default:
      return plain(
        'off',
        words.t(`state.${server.state}`),
        server.state === 'deleting' ? words.t('deletingText') : null,
      );
  }
}

function plain(shape: StatusShape, label: string, note: string | null): RowState {
  return { shape, label, end: null, bar: null, note };
}

function activeState(server: ServerView, { t, format, nowMs, renewDays }: StateContext): RowState {
  if (server.expires_at === null) return { ...plain('active', t('state.active'), null), end: t('noEnd') };
  const left = Date.parse(server.expires_at) - nowMs;
  const value = left / (renewDays * DAY);
  if (left > EXPIRING_MS) {
    const end = t('until', { date: format.date(server.expires_at) });
    return { shape: 'active', label: t('state.active'), end, bar: { value, tone: 'quiet' }, note: null };
  }
  if (left <= 0) {
    const until = server.suspends_at === null ? null : Date.parse(server.suspends_at) - nowMs;
    const end = until === null || until <= 0 ? null : t('suspendedIn', { time: format.duration(until) });
    return { shape: 'expiring', label: t('state.overdue'), end, bar: { value: 0, tone: 'warning' }, note: null };
  }
  const end = t('left', { time: format.duration(left) });
  return { shape: 'expiring', label: t('state.expiring'), end, bar: { value, tone: 'warning' }, note: null };
}

function suspendedState(server: ServerView, { t, format, nowMs, graceDays }: StateContext): RowState {
  const label = t('state.suspended');
  if (server.suspend_reason !== 'expired') return plain('suspended', label, t('suspendedText'));
  const note = server.expires_at === null ? null : t('unpaidSince', { date: format.date(server.expires_at) });
  if (server.deletes_at === null) return plain('suspended', label, note);
  const left = Date.parse(server.deletes_at) - nowMs;
  const end = t('deletedIn', { time: format.duration(left) });
  const bar = graceDays > 0 ? { value: left / (graceDays * DAY), tone: 'danger' as const } : null;
  return { shape: 'suspended', label, end, bar, note };
}

function installingState(server: ServerView, { t, format }: StateContext): RowState {
  if (server.queue?.waiting)
    return plain('installing', t('state.installing'), t(`waitingFor.${server.queue.waiting.cause}`));
  const share = (server.progress ?? 0) / 100;
  const end = server.progress === null ? null : format.percent(share);
  return {
    shape: 'installing',
    label: t('state.installing'),
    end,
    bar: { value: share, tone: 'accent' },
    note: t('installingText'),
  };
}

function queuedState(server: ServerView, { t, format }: StateContext): RowState {
  if (server.queue?.waiting) return plain('queued', t('state.queued'), t(`waitingFor.${server.queue.waiting.cause}`));
  const position = server.queue?.position ?? null;
  const end = position === null ? null : t('position', { n: format.number(position) });
  return { shape: 'queued', label: t('state.queued'), end, bar: { value: 0, tone: 'accent' }, note: t('queuedText') };
}
