import type { ReactNode } from 'react';
import type { FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useUnitText } from '#client/lib/unit-text.ts';
import { useShell } from '#client/lib/shell-context.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Checkbox } from '#client/ui/choice.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { NumberInput } from '#client/ui/number-input.tsx';
import { Select } from '#client/ui/select.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { TimeZoneField } from '#client/ui/time-zone-field.tsx';
import { RESOURCE_KINDS } from '#shared/constants.ts';
import { LOCALE_INFO, LOCALES } from '#shared/i18n/locales.ts';
import { LIMIT_MAX } from '#shared/schemas/staff-user.ts';
import { resourceText } from './parts.tsx';
import type { StaffAnswer } from './staff-answer.ts';
import type { UserData } from './edit.tsx';

const DONE = {
  saveProfile: 'profileSaved',
  saveUsername: 'usernameSaved',
  saveEmail: 'emailSaved',
  saveLimits: 'limitsSaved',
} as const;

interface FormProps {
  user: UserData;
  answer: FormResult<null> | undefined;
}

/** Name, username, address and limits of the user, to be changed. */
export function ProfileTab({ user, answer }: { user: UserData; answer: StaffAnswer | undefined }): ReactNode {
  const t = useT('userDetails');
  const staff = useT('staffUsers');
  const of = (intent: keyof typeof DONE) => (answer?.intent === intent ? answer.result : undefined);
  if (!user.manageable) return <Banner>{staff('notManageable')}</Banner>;
  const done = (Object.keys(DONE) as (keyof typeof DONE)[]).find((intent) => of(intent)?.ok);
  return (
    <>
      {done && (
        <Banner tone="positive" live>
          {t(DONE[done])}
        </Banner>
      )}
      <div className="sp-split">
        <div className="sp-stack">
          <NameForm user={user} answer={of('saveProfile')} />
          <UsernameForm user={user} answer={of('saveUsername')} />
          <EmailForm user={user} answer={of('saveEmail')} />
        </div>
        <LimitsForm user={user} answer={of('saveLimits')} />
      </div>
    </>
  );
}

function NameForm({ user, answer }: FormProps): ReactNode {
  const t = useT('userDetails');
  const account = useT('account');
  const shown = useFormProps(answer, ['first_name', 'last_name', 'locale', 'time_zone']);
  const ownZone = String(useShell().settings.app_timezone);
  const labels = {
    first_name: account('firstName'),
    last_name: account('lastName'),
    locale: account('language'),
    time_zone: account('timeZone'),
  };
  return (
    <Card title={t('profile')} text={t('profileText')}>
      <Form {...shown} labels={labels} noValidate preventScrollReset>
        <input type="hidden" name="_intent" value="saveProfile" />
        <Field label={labels.first_name} name="first_name" required>
          <TextInput autoComplete="off" maxLength={64} defaultValue={user.first_name} />
        </Field>
        <Field label={labels.last_name} name="last_name" required>
          <TextInput autoComplete="off" maxLength={64} defaultValue={user.last_name} />
        </Field>
        <Field label={labels.locale} name="locale" required>
          <Select
            options={LOCALES.map((value) => ({ value, label: LOCALE_INFO[value].name }))}
            defaultValue={user.locale}
          />
        </Field>
        <TimeZoneField
          label={labels.time_zone}
          name="time_zone"
          hint={t('timeZoneHint', { zone: ownZone })}
          defaultValue={user.time_zone ?? ''}
          ownZone={ownZone}
        />
        <div className="sp-btn-row">
          <Button type="submit" variant="primary">
            {t('save')}
          </Button>
        </div>
      </Form>
    </Card>
  );
}

function UsernameForm({ user, answer }: FormProps): ReactNode {
  const t = useT('userDetails');
  const shown = useFormProps(answer, ['username']);
  const labels = { username: t('username') };
  return (
    <Card title={t('username')} text={t('usernameText')} key={user.username}>
      <Form {...shown} labels={labels} noValidate preventScrollReset>
        <input type="hidden" name="_intent" value="saveUsername" />
        <Field label={labels.username} name="username" required>
          <TextInput autoComplete="off" maxLength={32} spellCheck={false} defaultValue={user.username} />
        </Field>
        <div className="sp-btn-row">
          <Button type="submit" variant="primary">
            {t('save')}
          </Button>
        </div>
      </Form>
    </Card>
  );
}

function EmailForm({ user, answer }: FormProps): ReactNode {
  const t = useT('userDetails');
  const shown = useFormProps(answer, ['email']);
  const labels = { email: t('email') };
  return (
    <Card title={t('email')} text={t('emailText')} key={user.email}>
      <Form {...shown} labels={labels} noValidate preventScrollReset>
        <input type="hidden" name="_intent" value="saveEmail" />
        <Field label={labels.email} name="email" required>
          <TextInput type="email" autoComplete="off" maxLength={191} defaultValue={user.email} />
        </Field>
        <Checkbox name="confirmed" hint={t('emailConfirmedHint')}>
          {t('emailConfirmed')}
        </Checkbox>
        <div className="sp-btn-row">
          <Button type="submit" variant="primary">
            {t('save')}
          </Button>
        </div>
      </Form>
    </Card>
  );
}

/** The limits, with what is in use of each. What the form was opened with is sent along. */
function LimitsForm({ user, answer }: FormProps): ReactNode {
  const t = useT('userDetails');
  const users = useT('users');
  const format = useFormat();
  const unitOf = useUnitText();
  const shown = useFormProps(answer, RESOURCE_KINDS);
  const labels = Object.fromEntries(RESOURCE_KINDS.map((kind) => [kind, users(`resource.${kind}`)]));
  return (
    <Card title={users('limits')} text={t('limitsText')}>
      <Form {...shown} labels={labels} noValidate preventScrollReset>
        <input type="hidden" name="_intent" value="saveLimits" />
        {RESOURCE_KINDS.map((kind) => (
          <input key={kind} type="hidden" name={`seen_${kind}`} value={user.limits[kind].limit} readOnly />
        ))}
        {RESOURCE_KINDS.map((kind) => (
          <Field
            key={`${kind}:${user.limits[kind].limit}`}
            label={users(`resource.${kind}`)}
            name={kind}
            required
            hint={t('inUse', { amount: resourceText(kind, user.limits[kind].used, format) })}
          >
            <NumberInput
              unit={unitOf(kind)}
              min={0}
              max={LIMIT_MAX[kind]}
              defaultValue={String(user.limits[kind].limit)}
            />
          </Field>
        ))}
        <div className="sp-btn-row">
          <Button type="submit" variant="primary">
            {t('save')}
          </Button>
        </div>
      </Form>
    </Card>
  );
}
