import type { ReactNode } from 'react';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { Button } from '#client/ui/button.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { PasswordInput } from '#client/ui/password-input.tsx';
import type { BackupView } from '#shared/contract/backups.ts';
import type { BackupsAnswer } from './action.ts';

/** Whether a backup may have been made for another installation: nobody has looked into it yet. */
const isForeign = ({ kind, users }: BackupView): boolean => kind === 'upload' || users === null;

/** Whether somebody may have to type what opens a backup. */
export const takesKey = (backup: BackupView): boolean => backup.lock === 'passphrase' || isForeign(backup);

/** The field for what opens a backup: its passphrase, or the key or passphrase of another installation. */
export function KeyField({ backup }: { backup: BackupView }): ReactNode {
  const t = useT('backups');
  return backup.lock === 'passphrase' ? (
    <Field label={t('passphrase')} name="key" hint={t('passphraseHint')} required>
      <PasswordInput autoComplete="off" maxLength={500} />
    </Field>
  ) : (
    <Field label={t('otherKey')} name="key" hint={t('otherKeyHint')} optional>
      <PasswordInput autoComplete="off" maxLength={500} />
    </Field>
  );
}

/** Verifies a backup by what opens it. */
export function VerifyWithKey({ backup }: { backup: BackupView }): ReactNode {
  const t = useT('backups');
  const answer = useActionAnswer<BackupsAnswer>();
  const form = useFormProps(answer && !answer.ok ? answer : undefined);
  return (
    <Form {...form} noSummary preventScrollReset>
      <input type="hidden" name="id" value={backup.id} />
      <div className="sp-stack" data-gap="3">
        <KeyField backup={backup} />
        <div className="sp-btn-row">
          <Button type="submit" name="_intent" value="verify">
            {t(backup.lock === 'passphrase' ? 'verifyPassphrase' : 'verifyOther')}
          </Button>
        </div>
      </div>
    </Form>
  );
}
