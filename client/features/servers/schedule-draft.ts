import type { FieldErrors } from '#shared/errors.ts';
import type { ServerSchedule } from '#shared/contract/server-schedules.ts';
import {
  scheduleInput,
  type SCHEDULE_EVERY,
  type ScheduleAction,
  type ScheduleInput,
} from '#shared/schemas/server-schedules.ts';
import { fieldErrors } from '#shared/validation.ts';

export interface StepDraft {
  /** Its own, while steps are added and removed. */
  readonly key: string;
  readonly action: ScheduleAction;
  readonly command: string;
  /** Seconds. */
  readonly pause: number;
}
/** A schedule while it is edited: what each kind of timing needs stays, whichever is chosen. */
export interface ScheduleDraft {
  readonly name: string;
  readonly enabled: boolean;
  readonly onlyOnline: boolean;
  readonly every: (typeof SCHEDULE_EVERY)[number];
  readonly minutes: number;
  readonly hours: number;
  /** As it is written into the field. */
  readonly minute: string;
  readonly time: string;
  readonly days: readonly number[];
  readonly day: number;
  readonly steps: readonly StepDraft[];
}

const NEW: ScheduleDraft = {
  name: '',
  enabled: true,
  onlyOnline: false,
  every: 'day',
  minutes: 30,
  hours: 6,
  minute: '0',
  time: '04:00',
  days: [1],
  day: 1,
  steps: [{ key: 'first', action: 'restart', command: '', pause: 0 }],
};

/** What the form begins with. In: the schedule that is changed; null: a new one. */
export function draftOf(schedule: ServerSchedule | null): ScheduleDraft {
  if (!schedule) return NEW;
  const { name, enabled, only_online: onlyOnline, timing, steps } = schedule;
  return {
    ...NEW,
    ...timing,
    minute: timing.every === 'hours' ? String(timing.minute) : NEW.minute,
    name,
    enabled,
    onlyOnline,
    steps: steps.map(({ action, command, pause_s: pause }, at) => ({ key: String(at), action, command, pause })),
  };
}

function timingOf({ every, minutes, hours, minute, time, days, day }: ScheduleDraft): unknown {
  switch (every) {
    case 'minutes':
      return { every, minutes };
    case 'hours':
      return { every, hours, minute: minute === '' ? null : Number(minute) };
    case 'day':
      return { every, time };
    case 'week':
      return { every, days, time };
    case 'month':
      return { every, day, time };
  }
}

/** What is saved of a draft; null where something is wrong, with a code for each field that it is about. */
export function checkDraft(draft: ScheduleDraft): {
  readonly input: ScheduleInput | null;
  readonly faults: FieldErrors;
} {
  const steps = draft.steps.map(({ action, command, pause }, at) => ({
    action,
    command: action === 'command' ? command : '',
    pause_s: at === 0 ? 0 : pause,
  }));
  const { name, enabled, onlyOnline } = draft;
  const result = scheduleInput.safeParse({ name, enabled, only_online: onlyOnline, timing: timingOf(draft), steps });
  if (result.success) return { input: result.data, faults: {} };
  return { input: null, faults: fieldErrors(result.error) };
}
