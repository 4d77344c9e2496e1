import type { ReactNode } from 'react';
import { useErrorText } from '#client/lib/error-text.ts';
import type { FormFailure, FormResult } from '#client/lib/form-action.ts';
import { useFormProps, type FormFeedback } from '#client/lib/form-props.ts';
import { useFormat, useLooseT, useT, type Format } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { useNow } from '#client/lib/use-now.ts';
import { Badge } from '#client/ui/badge.tsx';
import { Banner } from '#client/ui/banner.tsx';
import type { Fact } from '#client/ui/card.tsx';
import { TextLink } from '#client/ui/link-button.tsx';
import type { StatusShape } from '#client/ui/status.tsx';
import type { TimelineItem } from '#client/ui/timeline.tsx';
import { can } from '#shared/can.ts';
import type { StaffServerView } from '#shared/contract/staff-servers.ts';
import { href } from '#shared/routes/staff-href.ts';
import type { QueueState, ServerState } from '#shared/schemas/server.ts';

/** The kinds of resource of a server, in display order. */
export const SERVER_KINDS = ['memory', 'disk', 'cpu', 'ports', 'databases', 'backups'] as const;

export const SERVER_SHAPES: Readonly<Record<ServerState, StatusShape>> = {
  queued: 'queued',
  installing: 'installing',
  active: 'active',
  suspended: 'suspended',
  deleting: 'off',
  deleted: 'off',
  failed: 'failed',
};
export const QUEUE_SHAPES: Readonly<Record<QueueState, StatusShape>> = {
  queued: 'queued',
  building: 'installing',
  completed: 'active',
  failed: 'failed',
  cancelled: 'off',
};

/** An amount of a kind with its unit. */
export function amountText(kind: (typeof SERVER_KINDS)[number], amount: number, format: Format): string {
  if (kind === 'memory' || kind === 'disk') return format.memory(amount);
  return kind === 'cpu' ? format.percent(amount / 100) : format.number(amount);
}

/** A server's resources as facts. */
export function useAmounts(resources: StaffServerView['resources']): readonly Fact[] {
  const t = useT('staffServers');
  const format = useFormat();
  return SERVER_KINDS.map((kind) => ({ label: t(`kind.${kind}`), value: amountText(kind, resources[kind], format) }));
}

/** A user, with a link for those who may open it, and whether it is banned. */
export function Owner({ owner }: { owner: StaffServerView['owner'] }): ReactNode {
  const t = useT('staffServers');
  const { permissions } = useShell().session;
  return (
    <>
      {can(permissions, 'admin.users.edit') ? (
        <TextLink to={href('admin.users.edit', { id: owner.id })}>{owner.username}</TextLink>
      ) : (
        owner.username
      )}
      {owner.status !== 'active' && (
        <>
          {' '}
          <Badge tone="warning">{t(`ownerState.${owner.status}`)}</Badge>
        </>
      )}
    </>
  );
}

/** A server's name, with a link for those who may open it. */
export function ServerName({ server }: { server: { readonly id: string; readonly name: string } }): ReactNode {
  const { permissions } = useShell().session;
  return can(permissions, 'admin.servers.list') ? (
    <TextLink to={href('admin.servers.view', { id: server.id })}>{server.name}</TextLink>
  ) : (
    <>{server.name}</>
  );
}

/** How long ago a time was, or an en dash. */
export function Moment({ at }: { at: string | null }): ReactNode {
  const format = useFormat();
  const now = useNow(60_000);
  if (at === null) return <span className="sp-muted">–</span>;
  return (
    <time dateTime={at} title={format.dateTime(at)}>
      {format.when(at, now)}
    </time>
  );
}

/** Refusals about the owner, whose general text addresses the owner. */
const ABOUT_OWNER = /^(?:NOT_ENOUGH_[A-Z]+|ACCOUNT_BANNED|ACCOUNT_UNVERIFIED|VIP_ONLY)$/;

/** Texts of refusals for staff, about the owner in the third person. */
export function useStaffErrors(): { code: (code: string) => string; field: (code: string, field: string) => string } {
  const loose = useLooseT('staffServers');
  const general = useErrorText();
  return {
    code: (code) => (ABOUT_OWNER.test(code) ? loose(`refused.${code}`) : '') || general.code(code),
    field: (code, field) => {
      if (field === 'owner' && code === 'UNKNOWN') return loose('ownerUnknown');
      if (code === 'NOT_ENOUGH') return loose('ownerNotEnough');
      return general.field(code);
    },
  };
}

/** The same for a form with field errors. */
export function useStaffForm(
  answer: FormResult<unknown> | undefined,
): Omit<FormFeedback, 'translateError'> & { translateError: (code: string, field: string) => string } {
  const props = useFormProps(answer);
  const text = useStaffErrors();
  const code = answer && !answer.ok && ABOUT_OWNER.test(answer.code) ? text.code(answer.code) : props.problem;
  return { ...props, problem: code, translateError: text.field };
}

/** The banner of a refusal. */
export function RefusalBanner({ answer }: { answer: FormFailure }): ReactNode {
  const text = useStaffErrors();
  return (
    <Banner tone="danger" live>
      {text.code(answer.code)}
    </Banner>
  );
}

interface Entry {
  readonly id: string;
  readonly at: string;
  readonly code: string;
  readonly detail: string | null;
  /** Of events: the player who did it, and whether staff at work on the server did. */
  readonly actor?: string | null;
  readonly by_staff?: boolean;
}
const TONES: Readonly<Record<string, NonNullable<TimelineItem['tone']>>> = {
  ready: 'positive',
  resumed: 'positive',
  installed: 'positive',
  failed: 'danger',
  suspended: 'danger',
  syncRefused: 'danger',
  retry: 'warning',
  cancelled: 'warning',
  deleting: 'warning',
};

/** Words of steps and events (namespace `servers`). An event's detail that is a date stands in its title. */
export function useStepText(): {
  step: (code: string) => string;
  detail: (entry: Pick<Entry, 'code' | 'detail'>) => string;
  item: (entry: Entry, of: 'step' | 'event') => TimelineItem;
} {
  const loose = useLooseT('servers');
  const own = useLooseT('staffServers');
  const format = useFormat();
  // Staff texts speak about the owner, where the owner's texts address them.
  const step = (code: string): string => own(`step.${code}`) || loose(`step.${code}`) || code;
  const detail = ({ code, detail: text }: Pick<Entry, 'code' | 'detail'>): string => {
    if (text === null || /^\d{4}-\d{2}-\d{2}T/.test(text)) return '';
    if (code === 'failed') return own(`failure.${text}`) || loose(`failure.${text}`) || text;
    if (code === 'repaired')
      return text
        .split(', ')
        .map((each) => own(`difference.${each}`) || each)
        .join(', ');
    if (code === 'updated')
      return text
        .split(', ')
        .map((each) => loose(`field.${each}`) || each)
        .join(', ');
    return own([`lastError.${text}`, `reason.${text}`]) || text;
  };
  const item = (entry: Entry, of: 'step' | 'event'): TimelineItem => {
    const date =
      entry.detail !== null && /^\d{4}-\d{2}-\d{2}T/.test(entry.detail) ? { date: format.date(entry.detail) } : {};
    const actor = entry.actor ?? null;
    const by = entry.by_staff ? loose('byStaff') : actor !== null && loose('by', { name: actor });
    const text = [detail(entry), by].filter(Boolean).join(' · ');
    const tone = TONES[entry.code];
    const title = of === 'step' ? step(entry.code) : loose(`event.${entry.code}`, date) || entry.code;
    return {
      id: entry.id,
      title,
      time: <time dateTime={entry.at}>{format.dateTime(entry.at)}</time>,
      ...(text ? { text } : {}),
      ...(tone ? { tone } : {}),
    };
  };
  return { step, detail, item };
}
