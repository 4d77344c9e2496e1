import type { ReactNode } from 'react';
import type { FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { SupportLinks } from '#client/ui/support-links.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import type { EmailAnswer } from './email-action.ts';
import { OwnerPasskey, OwnerPassword, type Owner } from './owner-proof.tsx';
import type { AccountData } from './screen.tsx';

type EmailState = NonNullable<AccountData['email']>;

/** The address of the account: another one is asked for here, and confirmed by its own link. */
export function EmailCard({
  email,
  owner,
  answer,
}: {
  email: EmailState;
  owner: Owner;
  answer: EmailAnswer | undefined;
}): ReactNode {
  const t = useT('emailChange');
  return (
    <Card title={t('title')} text={t('text', { email: email.email })}>
      {answer?.intent === 'cancelEmail' && answer.result.ok && (
        <Banner tone="positive" live>
          {t('cancelled')}
        </Banner>
      )}
      {email.pending ? (
        <Pending email={email} pending={email.pending} asked={answer?.intent === 'email' && answer.result.ok} />
      ) : (
        <ChangeForm owner={owner} result={answer?.intent === 'email' ? answer.result : undefined} />
      )}
    </Card>
  );
}

/** A change that waits for its link. */
function Pending(props: { email: EmailState; pending: NonNullable<EmailState['pending']>; asked: boolean }): ReactNode {
  const t = useT('emailChange');
  const format = useFormat();
  const facts = { email: props.pending.email, until: format.dateTime(props.pending.expires_at) };
  return (
    <>
      <Banner tone="info" icon="mail" live={props.asked}>
        {props.email.sends_mail ? (
          t('pending', facts)
        ) : (
          <>
            {t('pendingKept', facts)} <SupportLinks />
          </>
        )}
      </Banner>
      <Form noSummary>
        <input type="hidden" name="_intent" value="cancelEmail" />
        <div className="sp-btn-row">
          <Button type="submit">{t('cancel')}</Button>
        </div>
      </Form>
    </>
  );
}

/** The new address; its owner proves who they are by password or passkey. */
function ChangeForm({ owner, result }: { owner: Owner; result: FormResult<null> | undefined }): ReactNode {
  const t = useT('emailChange');
  const shown = useFormProps(result);
  return (
    <>
      <Form {...shown} labels={{ email: t('newEmail'), password: t('password') }} noValidate>
        <input type="hidden" name="_intent" value="email" />
        <div className="sp-fields" data-columns="2">
          <Field label={t('newEmail')} name="email" required>
            <TextInput type="email" autoComplete="email" autoCapitalize="none" spellCheck={false} maxLength={191} />
          </Field>
          <OwnerPassword owner={owner} label={t('password')} hint={t('passwordHint')} />
        </div>
        <div className="sp-btn-row">
          <Button type="submit">{t('send')}</Button>
        </div>
      </Form>
      <OwnerPasskey owner={owner} />
    </>
  );
}
