import type { ReactNode } from 'react';
import { useDeviceText } from '#client/lib/device-text.ts';
import { useErrorText } from '#client/lib/error-text.ts';
import type { FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { useNow } from '#client/lib/use-now.ts';
import { Badge } from '#client/ui/badge.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Checkbox } from '#client/ui/choice.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import { Select } from '#client/ui/select.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { can } from '#shared/can.ts';
import { BAN_DAYS, BAN_REASON_MAX } from '#shared/schemas/staff-user.ts';
import type { StaffAnswer } from './staff-answer.ts';
import { useConfirm } from '../parts/use-confirm.ts';
import type { TabData, UserData } from './edit.tsx';

interface AccessTabProps {
  user: UserData;
  sessions: NonNullable<TabData['sessions']>;
  /** Credits of rewards that wait. */
  held: number;
  answer: StaffAnswer | undefined;
}

/** The user's role, ban and sessions. */
export function AccessTab({ user, sessions, held, answer }: AccessTabProps): ReactNode {
  const t = useT('staffUsers');
  return (
    <>
      <Outcome user={user} answer={answer} />
      {!user.manageable && <Banner>{t('notManageable')}</Banner>}
      <div className="sp-split">
        <Sessions user={user} sessions={sessions} />
        {user.manageable && (
          <div className="sp-stack">
            {user.confirmation === 'pending' && <ConfirmCard user={user} />}
            <RoleCard user={user} />
            {user.status === 'banned' && <UnbanCard user={user} />}
            <BanCard user={user} held={held} answer={answer?.intent === 'ban' ? answer.result : undefined} />
          </div>
        )}
      </div>
    </>
  );
}

function Outcome({ user, answer }: Pick<AccessTabProps, 'user' | 'answer'>): ReactNode {
  const t = useT('staffUsers');
  const errors = useErrorText();
  if (!answer) return null;
  if (!answer.result.ok) {
    // The form of a ban shows its own, and so does the head of the page.
    if (answer.intent === 'ban' || answer.intent === 'viewAs') return null;
    return (
      <Banner tone="danger" live>
        {errors.code(answer.result.code)}
      </Banner>
    );
  }
  const text =
    answer.intent === 'ban'
      ? t('banned', { name: user.username })
      : answer.intent === 'unban'
        ? t('unbanned')
        : answer.intent === 'verify'
          ? t('verified')
          : answer.intent === 'setRole'
            ? t('roleChanged')
            : answer.intent === 'endSessions'
              ? t('ended', { count: answer.result.result.ended })
              : null;
  return (
    text && (
      <Banner tone="positive" live>
        {text}
      </Banner>
    )
  );
}

/** Bans the user, or changes the terms of the ban. */
function BanCard(props: { user: UserData; held: number; answer: FormResult<null> | undefined }): ReactNode {
  const { user, held, answer } = props;
  const t = useT('staffUsers');
  const format = useFormat();
  const { permissions } = useShell().session;
  const shown = useFormProps(answer, ['days', 'reason']);
  const banned = user.status === 'banned';
  const onSubmit = useConfirm({
    title: t('askBan', { name: user.username }),
    text: t('banText'),
    ok: t(banned ? 'saveBan' : 'banNow'),
    tone: 'danger',
  });
  const { banned_until } = user;
  const keepsEnd = banned_until === null ? t('keepForGood') : t('keepEnd', { date: format.dateTime(banned_until) });
  const labels = { days: t('banDays'), reason: t('banReason') };
  return (
    <Card
      tone="danger"
      title={t(banned ? 'banChange' : 'banTitle')}
      text={t(banned ? 'banChangeText' : 'banText')}
      key={user.banned_at ?? ''}
    >
      <Form {...shown} labels={labels} onSubmit={onSubmit} preventScrollReset>
        <input type="hidden" name="_intent" value="ban" />
        <Field label={labels.days} name="days" required={!banned}>
          <Select
            options={[
              ...(banned ? [{ value: '', label: keepsEnd }] : []),
              ...BAN_DAYS.map((days) => ({
                value: String(days),
                label: days === 0 ? t('forGood') : t('forDays', { count: days }),
              })),
            ]}
            defaultValue={banned ? '' : '7'}
          />
        </Field>
        <Field
          label={labels.reason}
          name="reason"
          required
          hint={t('banReasonHint', { name: user.username })}
          counter={BAN_REASON_MAX}
          length={user.ban_reason?.length ?? 0}
        >
          <TextInput maxLength={BAN_REASON_MAX} autoComplete="off" defaultValue={user.ban_reason ?? ''} />
        </Field>
        {held > 0 && can(permissions, 'admin.rewards.held.edit') && (
          <Checkbox name="reject_held" hint={t('rejectHeldHint')}>
            {t('rejectHeld', { credits: format.credits(held) })}
          </Checkbox>
        )}
        <Button type="submit" variant="danger" icon="ban">
          {t(banned ? 'saveBan' : 'banNow')}
        </Button>
      </Form>
    </Card>
  );
}

/** Confirms the address without a link. */
function ConfirmCard({ user }: { user: UserData }): ReactNode {
  const t = useT('staffUsers');
  return (
    <Card title={t('verify')} text={t('verifyText', { email: user.email })}>
      <Form noSummary preventScrollReset>
        <input type="hidden" name="_intent" value="verify" />
        <Button type="submit">{t('verifyNow')}</Button>
      </Form>
    </Card>
  );
}

/** Gives the user another role. */
function RoleCard({ user }: { user: UserData }): ReactNode {
  const t = useT('staffUsers');
  const anyRole = can(useShell().session.permissions, 'admin.root');
  return (
    <Card title={t('role')} text={t(anyRole ? 'roleTextOwner' : 'roleText')} key={user.role_id}>
      <Form noSummary preventScrollReset>
        <input type="hidden" name="_intent" value="setRole" />
        <Field label={t('roleLabel')} name="role" required>
          <Select
            options={user.roles.map(({ id, name }) => ({ value: id, label: name }))}
            defaultValue={user.role_id}
          />
        </Field>
        <Button type="submit">{t('roleChange')}</Button>
      </Form>
    </Card>
  );
}

/** Lifts the ban. */
function UnbanCard({ user }: { user: UserData }): ReactNode {
  const t = useT('staffUsers');
  const format = useFormat();
  const date = format.dateTime(user.banned_at ?? user.created_at);
  return (
    <Card
      title={t('unban')}
      text={user.banned_by === null ? t('bannedSince', { date }) : t('bannedBy', { date, name: user.banned_by })}
    >
      <p className="sp-lead">{t('unbanText', { name: user.username })}</p>
      <Form noSummary preventScrollReset>
        <input type="hidden" name="_intent" value="unban" />
        <Button type="submit" variant="primary">
          {t('unban')}
        </Button>
      </Form>
    </Card>
  );
}

/** Where the user is logged in. */
function Sessions({ user, sessions }: Pick<AccessTabProps, 'user' | 'sessions'>): ReactNode {
  const t = useT('staffUsers');
  const onSubmit = useConfirm({
    title: t('askEndAll', { name: user.username }),
    text: t('endAllText'),
    ok: t('endAll'),
    tone: 'danger',
  });
  if (sessions.length === 0)
    return (
      <Card title={t('sessions')}>
        <p className="sp-lead">{t('noSessions')}</p>
      </Card>
    );
  return (
    <Card
      title={t('sessions')}
      count={sessions.length}
      flush
      aside={
        user.manageable && (
          <Form noSummary onSubmit={onSubmit} preventScrollReset>
            <input type="hidden" name="_intent" value="endSessions" />
            <input type="hidden" name="session" value="" />
            <Button type="submit" variant="danger-quiet" size="sm">
              {t('endAll')}
            </Button>
          </Form>
        )
      }
    >
      <List>
        {sessions.map((session) => (
          <SessionItem key={session.id} session={session} mayEnd={user.manageable} />
        ))}
      </List>
    </Card>
  );
}

function SessionItem({ session, mayEnd }: { session: AccessTabProps['sessions'][number]; mayEnd: boolean }): ReactNode {
  const t = useT('staffUsers');
  const account = useT('account');
  const format = useFormat();
  const now = useNow(60_000);
  const device = useDeviceText()(session.device) || account('unknownDevice');
  return (
    <ListItem
      icon={/android|iphone|ipad|mobile/i.test(session.device) ? 'smartphone' : 'monitor'}
      title={
        <>
          {device} {session.factor_at !== null && <Badge>{t('factorPassed')}</Badge>}
        </>
      }
      text={t('sessionFacts', {
        address: session.address,
        date: format.date(session.created_at),
        seen: format.when(session.seen_at, now),
      })}
      {...(mayEnd
        ? {
            end: (
              <Form noSummary preventScrollReset>
                <input type="hidden" name="_intent" value="endSessions" />
                <input type="hidden" name="session" value={session.id} />
                <Button type="submit" variant="ghost" size="sm" aria-label={t('endOneOf', { device })}>
                  {t('endOne')}
                </Button>
              </Form>
            ),
          }
        : {})}
    />
  );
}
