import type { Format } from '#client/lib/i18n.tsx';
import type { StatusShape } from '#client/ui/status.tsx';
import type { TimelineItem } from '#client/ui/timeline.tsx';
import type { ServerView } from '#shared/contract/server-views.ts';
import type { LooseT, TFn } from '#shared/i18n/types.ts';
import { EXPIRING_MS } from '#shared/needs-credits.ts';

/** State of a server as shape and label. `nowMs`: the server's time. */
export function statusOf(
  server: Pick<ServerView, 'state' | 'expires_at'>,
  nowMs: number,
  t: TFn<'servers'>,
): { shape: StatusShape; label: string } {
  const { state, expires_at: expires } = server;
  const left = expires === null ? Infinity : Date.parse(expires) - nowMs;
  if (state === 'active' && left <= EXPIRING_MS)
    return { shape: 'expiring', label: t(left > 0 ? 'state.expiring' : 'state.overdue') };
  const shape = state === 'deleting' || state === 'deleted' ? 'off' : state;
  return { shape, label: t(`state.${state}`) };
}

interface Entry {
  readonly at: string;
  readonly code: string;
  readonly detail: string | null;
}
/** An event of a server, and who caused it; null: the system, the host, or nobody knows. */
export interface ServerEventEntry extends Entry {
  readonly id: string;
  readonly actor: string | null;
  /** Staff at work on the server did it. */
  readonly by_staff: boolean;
}
/** What the texts of log and activity derive from. */
export interface LogContext {
  readonly t: TFn<'servers'>;
  readonly loose: LooseT;
  readonly format: Format;
  readonly nowMs: number;
}

const EVENT_TONES: Readonly<Record<string, NonNullable<TimelineItem['tone']>>> = {
  ready: 'positive',
  resumed: 'positive',
  failed: 'danger',
  scheduleFailed: 'warning',
  suspended: 'danger',
  syncRefused: 'danger',
  deleting: 'warning',
  renewed: 'credit',
  autoRenewed: 'credit',
};
const STEP_TONES: Readonly<Record<string, NonNullable<TimelineItem['tone']>>> = {
  installed: 'positive',
  retry: 'warning',
  failed: 'danger',
  cancelled: 'warning',
};

/** Converts a server's event to a timeline item. `self`: the username of who reads it. */
export function toEventItem(
  entry: ServerEventEntry,
  { t, loose, format, nowMs }: LogContext,
  self: string | undefined,
): TimelineItem {
  const { code, detail, actor, by_staff: byStaff } = entry;
  const isDate = detail !== null && /^\d{4}-\d{2}-\d{2}T/.test(detail);
  const title = loose(`event.${code}`, isDate ? { date: format.date(detail) } : {}) || code;
  const about = detail === null || isDate ? '' : detailText(code, detail, t, loose);
  const by = byStaff ? t('byStaff') : actor === null ? '' : actor === self ? t('byYou') : t('by', { name: actor });
  const text = [about, by].filter(Boolean).join(' · ');
  const tone = EVENT_TONES[code];
  return {
    id: entry.id,
    title,
    time: format.when(entry.at, nowMs),
    ...(text ? { text } : {}),
    ...(tone ? { tone } : {}),
  };
}

/** The detail of an event: why it failed, which fields changed, what caused it, who is meant. */
function detailText(code: string, detail: string, t: TFn<'servers'>, loose: LooseT): string {
  if (code === 'failed') return failureText(detail, t, loose);
  if (code.startsWith('subuser')) return detail;
  if (code === 'updated')
    return detail
      .split(', ')
      .map((field) => loose(`field.${field}`) || field)
      .join(', ');
  return loose([`eventDetail.${code}${detail.charAt(0).toUpperCase()}${detail.slice(1)}`, `eventDetail.${detail}`]);
}

/** Converts a step of the queue's log to a timeline item. Steps have no id: their index is used. */
export function toStepItem(entry: Entry, index: number, { t, loose, format, nowMs }: LogContext): TimelineItem {
  const { code, detail } = entry;
  const text = code === 'failed' && detail !== null ? failureText(detail, t, loose) : '';
  const tone = STEP_TONES[code];
  return {
    id: `${index}-${code}`,
    title: loose(`step.${code}`) || code,
    time: format.when(entry.at, nowMs),
    ...(text ? { text } : {}),
    ...(tone ? { tone } : {}),
  };
}

/** The text of why a server failed. */
export function failureText(code: string | null, t: TFn<'servers'>, loose: LooseT): string {
  return (code === null ? '' : loose(`failure.${code}`)) || t('failure.other');
}
