import type { ReactNode } from 'react';
import { useFetcher } from 'react-router';
import type { ActionFunctionArgs } from 'react-router';
import * as z from 'zod/mini';
import { apiOf } from '#client/lib/api-context.ts';
import { useErrorText } from '#client/lib/error-text.ts';
import { submitForm } from '#client/lib/form-action.ts';
import type { FormResult } from '#client/lib/form-action.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Button } from '#client/ui/button.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import type { WaitView } from '#shared/contract/server-views.ts';
import { waitInput } from '#shared/schemas/server.ts';
import { DAY, HOUR } from '#shared/time.ts';

/** Whether a form of the page is about the waiting list. */
export function isWaitIntent(intent: unknown): intent is 'wait' | 'leaveWaitingList' {
  return intent === 'wait' || intent === 'leaveWaitingList';
}

/** Joins or leaves the waiting list of a location. */
export function waitAction(args: ActionFunctionArgs, intent: 'wait' | 'leaveWaitingList') {
  const api = apiOf(args).servers;
  if (intent === 'wait') {
    return submitForm(args.request, waitInput, async (body) => {
      await api.joinWaitingList({ body });
      return { intent };
    });
  }
  return submitForm(args.request, z.strictObject({ location_id: waitInput.shape.location_id }), async (body) => {
    await api.leaveWaitingList({ params: { id: body.location_id } });
    return { intent };
  });
}

/** What the requested server needs. */
interface WaitRequest {
  readonly egg_id: string;
  readonly memory: number;
  readonly disk: number;
  readonly ports: number;
}
/** A location whose waiting list is shown. */
interface WaitingLocation {
  readonly id: string;
  readonly name: string;
  /** How many wait, and the estimated seconds for a newcomer; null if unknown here. */
  readonly waiting: number | null;
  readonly estimate_s: number | null;
  readonly wait: WaitView | null;
}

interface WaitProps {
  lines: readonly WaitingLocation[];
  /** Null while nothing is chosen to wait for. */
  wanted: WaitRequest | null;
  /** Id of the form that the buttons belong to: they may be inside another form. */
  formId: string;
}

/** The waiting lists of sold-out locations, with the user's own position. */
export function WaitList({ lines, wanted, formId }: WaitProps): ReactNode {
  return (
    <List>
      {lines.map((line) => (
        <Row key={line.id} line={line} wanted={wanted} formId={formId} />
      ))}
    </List>
  );
}

function Row({
  line,
  wanted,
  formId,
}: {
  line: WaitingLocation;
  wanted: WaitRequest | null;
  formId: string;
}): ReactNode {
  const t = useT('live');
  const format = useFormat();
  const { wait, name } = line;
  const isWaiting = wait !== null && wait.notified_at === null;
  const action = isWaiting ? t('waitLeave') : wait ? t('waitAgain') : t('waitJoin');
  const button = (
    <Button
      type="submit"
      form={isWaiting ? leaveId(formId) : formId}
      size="sm"
      name="location_id"
      value={line.id}
      disabled={!isWaiting && wanted === null}
      aria-label={t('waitFor', { action, location: name })}
    >
      {action}
    </Button>
  );
  const icon = wait?.notified_at
    ? ({ icon: 'bell', tone: 'positive' } as const)
    : isWaiting
      ? ({ icon: 'hourglass', tone: 'accent' } as const)
      : ({ icon: 'hourglass' } as const);
  return <ListItem {...icon} title={name} text={waitText(line, t, format)} end={button} />;
}

/** The state of a waiting list, as one sentence. */
function waitText(
  { wait, waiting, estimate_s: newcomer }: WaitingLocation,
  t: ReturnType<typeof useT<'live'>>,
  format: ReturnType<typeof useFormat>,
): string {
  if (wait?.notified_at) return t('waitNotified', { time: format.dateTime(wait.notified_at) });
  const estimate = wait ? wait.estimate_s : newcomer;
  const time = estimate === null ? t('waitUnknown') : t('waitAbout', { time: formatWaitEstimate(estimate, format) });
  const position = wait
    ? wait.position === null
      ? null
      : t('waitPosition', { position: format.number(wait.position) })
    : waiting === null
      ? null
      : waiting === 0
        ? t('waitersNone')
        : t('waiters', { count: waiting });
  return [position, time].filter(Boolean).join(', ');
}

/**
 * The form behind the buttons of a waiting list. It stands beside the page's own form, so that joining does not submit
 * that one, and the buttons work without scripts.
 */
export function WaitForm({ formId, wanted }: { formId: string; wanted: WaitRequest | null }): ReactNode {
  const errors = useErrorText();
  const fetcher = useFetcher<FormResult<unknown>>();
  const refused = fetcher.state === 'idle' && fetcher.data?.ok === false ? fetcher.data.code : null;
  return (
    <>
      <fetcher.Form method="post" id={leaveId(formId)}>
        <input type="hidden" name="_intent" value="leaveWaitingList" />
      </fetcher.Form>
      <fetcher.Form method="post" id={formId}>
        <input type="hidden" name="_intent" value="wait" />
        {wanted !== null &&
          Object.entries(wanted).map(([name, value]) => <input key={name} type="hidden" name={name} value={value} />)}
      </fetcher.Form>
      {refused !== null && (
        <p className="sp-field__error" role="alert">
          {errors.code(refused)}
        </p>
      )}
    </>
  );
}

const leaveId = (formId: string): string => `${formId}-leave`;

/** Formats an estimate of the wait for capacity, in hours, from two days on in days. In: seconds. */
function formatWaitEstimate(seconds: number, format: ReturnType<typeof useFormat>): string {
  const step = seconds < (2 * DAY) / 1000 ? HOUR : DAY;
  return format.duration(Math.max(1, Math.round((seconds * 1000) / step)) * step);
}
