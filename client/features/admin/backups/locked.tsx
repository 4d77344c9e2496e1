import type { ReactNode } from 'react';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { NewPasswordField } from '#client/ui/new-password-field.tsx';
import { PASSPHRASE_MIN } from '#shared/backups.ts';
import { href } from '#shared/routes/staff-href.ts';
import type { BackupsAnswer } from './action.ts';

/** Makes a backup that only a passphrase opens. */
export function LockedBackup({ busy }: { busy: boolean }): ReactNode {
  const t = useT('backups');
  const answer = useActionAnswer<BackupsAnswer>();
  const form = useFormProps(answer && !answer.ok ? answer : undefined);
  return (
    <Card title={t('locked')} text={t('lockedText')}>
      <Form {...form} noSummary>
        <NewPasswordField
          label={t('passphrase')}
          name="passphrase"
          min={PASSPHRASE_MIN}
          max={500}
          hint={t('lockedHint')}
          countText={(count) => t('passphraseCount', { count, min: PASSPHRASE_MIN })}
        />
        <div className="sp-btn-row">
          <Button type="submit" name="_intent" value="createLocked" variant="primary" icon="archive" disabled={busy}>
            {t('create')}
          </Button>
          <LinkButton to={href('admin.backups')} variant="ghost">
            {t('cancel')}
          </LinkButton>
        </div>
      </Form>
    </Card>
  );
}
