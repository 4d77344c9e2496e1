import type { ReactNode } from 'react';
import type { FormResult } from '#client/lib/form-action.ts';
import { FormKey } from '#client/lib/form-key.ts';
import { useT } from '#client/lib/i18n.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Checkbox } from '#client/ui/choice.tsx';
import { ConfirmButton } from '#client/ui/confirm-button.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { SUSPEND_REASON_MAX } from '#shared/schemas/staff-server.ts';
import { RefusalBanner, useStaffForm } from '../parts/servers.tsx';
import type { ServerData } from './view.tsx';

interface StaffActionProps {
  data: ServerData;
  answer: FormResult<null> | undefined;
}

/** Whether the last reconcile found it suspended in the panel by hand: that is lifted unless staff keep it. */
const isSuspendedInPanel = ({ server, drift }: ServerData): boolean =>
  server.state === 'active' &&
  drift.some(({ kind, detail }) => kind === 'differs' && detail.split(', ').includes('unsuspend'));

/** Suspends with a reason, or changes the reason of a suspension by staff; adopts one that was made in the panel. */
export function SuspendCard({ data, answer }: StaffActionProps): ReactNode {
  const t = useT('staffServers');
  const form = useStaffForm(answer);
  const changes = data.can.unsuspend;
  const inPanel = isSuspendedInPanel(data);
  return (
    <Card
      id="suspend"
      title={t(changes ? 'changeReason' : inPanel ? 'keepSuspended' : 'suspend')}
      text={t(changes ? 'changeReasonText' : inPanel ? 'keepSuspendedText' : 'suspendText')}
    >
      <Form {...form} noSummary={Object.keys(form.errors).length > 0} key={data.server.suspend_note ?? ''}>
        <input type="hidden" name="_intent" value="suspend" />
        <Field
          label={t('reasonLabel')}
          name="reason"
          required
          counter={SUSPEND_REASON_MAX}
          length={data.server.suspend_note?.length ?? 0}
          hint={t('reasonHint')}
        >
          <TextInput maxLength={SUSPEND_REASON_MAX} autoComplete="off" defaultValue={data.server.suspend_note ?? ''} />
        </Field>
        <div className="sp-btn-row">
          <Button type="submit" variant={changes ? 'secondary' : 'danger-quiet'} icon={changes ? 'pencil' : 'pause'}>
            {t(changes ? 'saveReason' : inPanel ? 'keepSuspended' : 'suspendNow')}
          </Button>
        </div>
      </Form>
    </Card>
  );
}

/** Lifts a suspension by staff. */
export function UnsuspendCard({ answer }: Pick<StaffActionProps, 'answer'>): ReactNode {
  const t = useT('staffServers');
  return (
    <Card title={t('unsuspend')} text={t('unsuspendText')}>
      {answer && !answer.ok && <RefusalBanner answer={answer} />}
      <Form noSummary>
        <input type="hidden" name="_intent" value="unsuspend" />
        <Button type="submit" variant="primary" icon="play">
          {t('unsuspendNow')}
        </Button>
      </Form>
    </Card>
  );
}

/** Reinstalls the server, after the loss of files is confirmed. */
export function ReinstallCard({ data: { server, reinstall }, answer }: StaffActionProps): ReactNode {
  const t = useT('staffServers');
  const own = useT('servers');
  const ask = {
    title: own('reinstallAsk', { name: server.name }),
    text: t('reinstallAskText'),
    ok: own('reinstall'),
    tone: 'danger' as const,
  };
  return (
    <Card title={own('reinstall')} text={own('reinstallText')}>
      {answer && !answer.ok && <RefusalBanner answer={answer} />}
      <Form noSummary>
        <input type="hidden" name="_intent" value="reinstall" />
        <FormKey />
        <ConfirmButton
          ask={ask}
          sure={own('reinstallSure')}
          variant="danger-quiet"
          icon="refresh"
          disabled={reinstall === 'underWay'}
        >
          {own(reinstall === 'underWay' ? 'reinstallBusy' : 'reinstall')}
        </ConfirmButton>
      </Form>
    </Card>
  );
}

/** Deletes the server if its name was typed; with `force` even if its node does not respond. */
export function DeleteCard({ data: { server }, answer }: StaffActionProps): ReactNode {
  const t = useT('staffServers');
  const form = useStaffForm(answer);
  const waits = server.state === 'deleting';
  return (
    <Card tone="danger" title={t(waits ? 'forceTitle' : 'deleteTitle')} text={t(waits ? 'forceText' : 'deleteText')}>
      <Form {...form} noSummary={Object.keys(form.errors).length > 0}>
        <input type="hidden" name="_intent" value="delete" />
        <Field label={t('typeName', { name: server.name })} name="name" required>
          <TextInput autoComplete="off" spellCheck={false} maxLength={64} />
        </Field>
        {waits ? (
          <input type="hidden" name="force" value="on" />
        ) : (
          <Checkbox name="force" hint={t('forceHint')} defaultChecked={form.values.force === 'on'}>
            {t('force')}
          </Checkbox>
        )}
        <div className="sp-btn-row">
          <Button type="submit" variant="danger" icon="trash">
            {t(waits ? 'forceNow' : 'deleteNow')}
          </Button>
        </div>
      </Form>
    </Card>
  );
}
