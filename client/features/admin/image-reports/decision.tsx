import type { ReactNode } from 'react';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Button } from '#client/ui/button.tsx';
import { Card, CardSection } from '#client/ui/card.tsx';
import { ConfirmButton } from '#client/ui/confirm-button.tsx';
import { Disclosure } from '#client/ui/disclosure.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { NumberInput } from '#client/ui/number-input.tsx';
import { Textarea, TextInput } from '#client/ui/text-input.tsx';
import { can } from '#shared/can.ts';
import { REPORT_NOTE_MAX } from '#shared/image-reports.ts';
import { BAN_DAYS_MAX, BAN_REASON_MAX } from '#shared/schemas/staff-user.ts';
import type { ReportAnswer } from './action.ts';
import type { ReportData } from './edit.tsx';

interface PartProps {
  readonly data: ReportData;
  readonly answer: ReportAnswer | undefined;
}

/** What may be done about the report as it stands. */
export function DecisionCard({ data, answer }: PartProps): ReactNode {
  const t = useT('staffImageReports');
  const { report, image, owner, blocked } = data;
  const mayBan = can(useShell().session.permissions, 'admin.users.edit') && owner !== null && !owner.banned;
  if (report.state === 'deleted' || report.state === 'rejected')
    return blocked ? (
      <Card title={t('blocked')} text={t('blockedText')}>
        <Command intent="allow">
          <ConfirmButton
            icon="undo"
            sure={t('allowSure')}
            ask={{ title: t('allowAsk'), text: t('allowText'), ok: t('allowSure') }}
          >
            {t('allow')}
          </ConfirmButton>
        </Command>
      </Card>
    ) : null;
  return (
    <Card title={t('decide')} text={t('decideText')}>
      <CardSection>
        <div className="sp-report__commands">
          {report.state === 'open' && image && (
            <Choice text={t('hideText')} intent="hide">
              <Button type="submit" icon="eye-off" block>
                {t('hide')}
              </Button>
            </Choice>
          )}
          <Choice text={t('rejectText')} intent="reject">
            <Button type="submit" icon="check" block>
              {t(report.state === 'hidden' ? 'rejectHidden' : 'reject')}
            </Button>
          </Choice>
          <Choice text={t('deleteText')} intent="delete">
            <ConfirmButton
              variant="danger"
              icon="trash"
              block
              sure={t('deleteSure')}
              ask={{ title: t('deleteAsk'), text: t('deleteText'), ok: t('deleteSure'), tone: 'danger' }}
            >
              {t('delete')}
            </ConfirmButton>
          </Choice>
        </div>
        {mayBan && <BanForm answer={answer} />}
      </CardSection>
    </Card>
  );
}

/** A form of one button. */
function Command({ intent, children }: { intent: string; children: ReactNode }): ReactNode {
  return (
    <Form noSummary preventScrollReset>
      <input type="hidden" name="intent" value={intent} />
      {children}
    </Form>
  );
}

/** The same with what the button means below it. */
function Choice({ intent, text, children }: { intent: string; text: string; children: ReactNode }): ReactNode {
  return (
    <div>
      <Command intent={intent}>{children}</Command>
      <p className="sp-meta">{text}</p>
    </div>
  );
}

/** Bans the owner, and deletes the image with that. */
function BanForm({ answer }: Pick<PartProps, 'answer'>): ReactNode {
  const t = useT('staffImageReports');
  const failed = answer?.ok === false && answer.values.intent === 'ban' ? answer : undefined;
  const labels = { reason: t('banReason'), days: t('banDays') };
  const shown = useFormProps(failed, Object.keys(labels));
  return (
    <Disclosure label={t('banTitle')} open={failed !== undefined}>
      <Form {...shown} labels={labels} noSummary preventScrollReset>
        <input type="hidden" name="intent" value="ban" />
        <Field label={labels.reason} name="reason" hint={t('banReasonHint')} required>
          <TextInput maxLength={BAN_REASON_MAX} />
        </Field>
        <Field label={labels.days} name="days" hint={t('banDaysHint')} required>
          <NumberInput min={0} max={BAN_DAYS_MAX} defaultValue={0} />
        </Field>
        <ConfirmButton
          variant="danger"
          icon="ban"
          sure={t('banSure')}
          ask={{ title: t('banAsk'), text: t('deleteText'), ok: t('banSure'), tone: 'danger' }}
        >
          {t('ban')}
        </ConfirmButton>
      </Form>
    </Disclosure>
  );
}

/** What staff note for each other. */
export function NoteCard({ data: { report }, answer }: PartProps): ReactNode {
  const t = useT('staffImageReports');
  const failed = answer?.ok === false && answer.values.intent === 'note' ? answer : undefined;
  return (
    <Card title={t('note')}>
      <Form {...useFormProps(failed)} noSummary preventScrollReset>
        <input type="hidden" name="intent" value="note" />
        <Field label={t('note')} name="note" hint={t('noteHint')}>
          <Textarea rows={4} maxLength={REPORT_NOTE_MAX} defaultValue={report.note} />
        </Field>
        <Button type="submit" size="sm">
          {t('saveNote')}
        </Button>
      </Form>
    </Card>
  );
}

/** Deletes a report that is decided. */
export function RemoveCard(): ReactNode {
  const t = useT('staffImageReports');
  return (
    <Card title={t('remove')} text={t('removeText')}>
      <Command intent="remove">
        <ConfirmButton
          variant="danger-quiet"
          icon="trash"
          sure={t('removeSure')}
          ask={{ title: t('removeAsk'), text: t('removeText'), ok: t('removeSure'), tone: 'danger' }}
        >
          {t('remove')}
        </ConfirmButton>
      </Command>
    </Card>
  );
}
