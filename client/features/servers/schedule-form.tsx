import { useState } from 'react';
import type { ReactNode } from 'react';
import { useErrorText } from '#client/lib/error-text.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button, IconButton } from '#client/ui/button.tsx';
import { Checkbox, Switch } from '#client/ui/choice.tsx';
import { Dialog } from '#client/ui/dialog.tsx';
import { Field, FieldGroup } from '#client/ui/field.tsx';
import { NumberInput } from '#client/ui/number-input.tsx';
import { Select } from '#client/ui/select.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import type { ServerSchedule } from '#shared/contract/server-schedules.ts';
import {
  LAST_DAY,
  MOST_SCHEDULE_STEPS,
  SCHEDULE_ACTIONS,
  SCHEDULE_COMMAND,
  SCHEDULE_EVERY,
  SCHEDULE_HOURS,
  SCHEDULE_MINUTES,
  SCHEDULE_NAME,
  type ScheduleInput,
} from '#shared/schemas/server-schedules.ts';
import { SECOND } from '#shared/time.ts';
import { checkDraft, draftOf, type ScheduleDraft, type StepDraft } from './schedule-draft.ts';
import { weekdayName } from './schedule-words.ts';

interface FormProps {
  /** Null: a new one. */
  readonly schedule: ServerSchedule | null;
  /** Code of what saving was refused with. */
  readonly refused: string | null;
  readonly onClose: () => void;
  readonly onSave: (input: ScheduleInput) => Promise<void>;
}
interface PartProps {
  readonly draft: ScheduleDraft;
  readonly change: (changed: Partial<ScheduleDraft>) => void;
  /** The error of a field, in words; undefined: none. */
  readonly errorOf: (field: string) => string | undefined;
}

/** Makes a schedule, or changes one. */
export function ScheduleForm({ schedule, refused, onClose, onSave }: FormProps): ReactNode {
  const t = useT('live');
  const ui = useT('ui');
  const errors = useErrorText();
  const format = useFormat();
  const [draft, setDraft] = useState(() => draftOf(schedule));
  const [isBusy, setBusy] = useState(false);
  const [tried, setTried] = useState(false);
  const { input, faults } = checkDraft(draft);
  const change = (changed: Partial<ScheduleDraft>): void => setDraft((before) => ({ ...before, ...changed }));
  const errorOf = (field: string): string | undefined => {
    const code = tried ? faults[field]?.[0] : undefined;
    if (code === undefined) return undefined;
    return field === 'steps' ? t('schedules.oneBackup') : errors.field(code);
  };
  const save = async (): Promise<void> => {
    setTried(true);
    if (!input) return;
    setBusy(true);
    await onSave(input);
    setBusy(false);
  };
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={schedule ? t('schedules.editTitle', { name: schedule.name }) : t('schedules.newTitle')}
      foot={
        <>
          <Button variant="ghost" onClick={onClose}>
            {ui('cancel')}
          </Button>
          <Button variant="primary" busy={isBusy} onClick={() => void save()}>
            {t('schedules.save')}
          </Button>
        </>
      }
    >
      <form
        className="sp-schedule-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        {refused !== null && tried && !isBusy && (
          <Banner tone="danger" live>
            {errors.code(refused)}
          </Banner>
        )}
        <Field label={t('schedules.name')} error={errorOf('name')} required>
          <TextInput
            value={draft.name}
            maxLength={SCHEDULE_NAME}
            data-autofocus=""
            onChange={(event) => change({ name: event.target.value })}
          />
        </Field>
        <Timing draft={draft} change={change} errorOf={errorOf} />
        <p className="sp-meta">{t('schedules.zone', { zone: format.timeZone })}</p>
        <Steps draft={draft} change={change} errorOf={errorOf} />
        <Switch
          label={t('schedules.onlyOnline')}
          checked={draft.onlyOnline}
          onChange={(event) => change({ onlyOnline: event.target.checked })}
        />
      </form>
    </Dialog>
  );
}

const optionsOf = <T extends string | number>(values: readonly T[], label: (value: T) => string) =>
  values.map((value) => ({ value: String(value), label: label(value) }));
const WEEK = [1, 2, 3, 4, 5, 6, 7];
const DAYS_OF_MONTH = [...Array.from({ length: 28 }, (_, at) => at + 1), LAST_DAY];

/** When it comes round. */
function Timing(props: PartProps): ReactNode {
  const t = useT('live');
  const { draft, change, errorOf } = props;
  return (
    <div className="sp-schedule-form__row">
      <Field label={t('schedules.repeats')}>
        <Select
          value={draft.every}
          options={optionsOf(SCHEDULE_EVERY, (every) => t(`schedules.every.${every}`))}
          onChange={({ target }) =>
            change({ every: SCHEDULE_EVERY.find((each) => each === target.value) ?? draft.every })
          }
        />
      </Field>
      {draft.every === 'minutes' && (
        <Field label={t('schedules.interval')}>
          <Select
            value={String(draft.minutes)}
            options={optionsOf(SCHEDULE_MINUTES, (count) => t('schedules.minutesCount', { count }))}
            onChange={(event) => change({ minutes: Number(event.target.value) })}
          />
        </Field>
      )}
      {draft.every === 'hours' && (
        <>
          <Field label={t('schedules.interval')}>
            <Select
              value={String(draft.hours)}
              options={optionsOf(SCHEDULE_HOURS, (count) => t('schedules.hoursCount', { count }))}
              onChange={(event) => change({ hours: Number(event.target.value) })}
            />
          </Field>
          <Field label={t('schedules.minute')} error={errorOf('timing.minute')}>
            <NumberInput
              value={draft.minute}
              min={0}
              max={59}
              onChange={(event) => change({ minute: event.target.value })}
            />
          </Field>
        </>
      )}
      {draft.every === 'month' && <DayOfMonth {...props} />}
      {(draft.every === 'day' || draft.every === 'week' || draft.every === 'month') && (
        <Field label={t('schedules.time')} error={errorOf('timing.time')}>
          <TextInput type="time" value={draft.time} onChange={(event) => change({ time: event.target.value })} />
        </Field>
      )}
      {draft.every === 'week' && <Weekdays {...props} />}
    </div>
  );
}

function DayOfMonth({ draft, change }: PartProps): ReactNode {
  const t = useT('live');
  return (
    <Field label={t('schedules.day')}>
      <Select
        value={String(draft.day)}
        options={optionsOf(DAYS_OF_MONTH, (day) => (day === LAST_DAY ? t('schedules.monthEnd') : String(day)))}
        onChange={(event) => change({ day: Number(event.target.value) })}
      />
    </Field>
  );
}

function Weekdays({ draft, change, errorOf }: PartProps): ReactNode {
  const t = useT('live');
  const format = useFormat();
  const error = errorOf('timing.days');
  return (
    <div className="sp-schedule-form__whole">
      <FieldGroup label={t('schedules.days')} {...(error === undefined ? {} : { error })}>
        <div className="sp-schedule-form__days">
          {WEEK.map((day) => (
            <Checkbox
              key={day}
              checked={draft.days.includes(day)}
              onChange={({ target }) =>
                change({ days: target.checked ? [...draft.days, day] : draft.days.filter((each) => each !== day) })
              }
            >
              {weekdayName(day, format, 'short')}
            </Checkbox>
          ))}
        </div>
      </FieldGroup>
    </div>
  );
}

/** Pauses that are offered, seconds; one that a program chose stays. */
const PAUSES = [0, 5, 10, 30, 60, 120, 300, 600, 900, 1800, 3600];

/** What it does, step by step. */
function Steps({ draft, change, errorOf }: PartProps): ReactNode {
  const t = useT('live');
  const set = (at: number, changed: Partial<StepDraft>): void =>
    change({ steps: draft.steps.map((step, each) => (each === at ? { ...step, ...changed } : step)) });
  const error = errorOf('steps');
  return (
    <FieldGroup label={t('schedules.steps')} {...(error === undefined ? {} : { error })}>
      <ol className="sp-schedule-form__steps">
        {draft.steps.map((step, at) => (
          <li key={step.key}>
            <Step
              step={step}
              at={at}
              error={errorOf(`steps.${at}.command`)}
              onChange={(changed) => set(at, changed)}
              onRemove={
                draft.steps.length === 1
                  ? null
                  : () => change({ steps: draft.steps.filter((each) => each.key !== step.key) })
              }
            />
          </li>
        ))}
      </ol>
      {draft.steps.length < MOST_SCHEDULE_STEPS && (
        <Button
          size="sm"
          icon="plus"
          onClick={() =>
            change({ steps: [...draft.steps, { key: crypto.randomUUID(), action: 'start', command: '', pause: 0 }] })
          }
        >
          {t('schedules.addStep')}
        </Button>
      )}
    </FieldGroup>
  );
}

function Step(props: {
  readonly step: StepDraft;
  readonly at: number;
  readonly error: string | undefined;
  readonly onChange: (changed: Partial<StepDraft>) => void;
  /** Null: it is the only one. */
  readonly onRemove: (() => void) | null;
}): ReactNode {
  const { step, at, error, onChange, onRemove } = props;
  const t = useT('live');
  const format = useFormat();
  const pauses = PAUSES.includes(step.pause) ? PAUSES : [...PAUSES, step.pause].toSorted((a, b) => a - b);
  return (
    <div className="sp-schedule-form__step">
      <Field label={t('schedules.step', { number: String(at + 1) })}>
        <Select
          value={step.action}
          options={optionsOf(SCHEDULE_ACTIONS, (action) => t(`schedules.action.${action}`))}
          onChange={({ target }) =>
            onChange({ action: SCHEDULE_ACTIONS.find((each) => each === target.value) ?? step.action })
          }
        />
      </Field>
      {at > 0 && (
        <Field label={t('schedules.pause')}>
          <Select
            value={String(step.pause)}
            options={optionsOf(pauses, (pause) =>
              pause === 0 ? t('schedules.noPause') : format.duration(pause * SECOND),
            )}
            onChange={(event) => onChange({ pause: Number(event.target.value) })}
          />
        </Field>
      )}
      {onRemove && (
        <IconButton icon="trash" label={t('schedules.removeStep', { number: String(at + 1) })} onClick={onRemove} />
      )}
      {step.action === 'command' && (
        <div className="sp-schedule-form__whole">
          <Field label={t('schedules.command')} error={error} required>
            <TextInput
              value={step.command}
              maxLength={SCHEDULE_COMMAND}
              spellCheck={false}
              autoCapitalize="none"
              autoComplete="off"
              onChange={(event) => onChange({ command: event.target.value })}
            />
          </Field>
        </div>
      )}
    </div>
  );
}
