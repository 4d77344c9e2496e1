import type { ReactNode } from 'react';
import { Rich, useT } from '#client/lib/i18n.tsx';
import { Button } from '#client/ui/button.tsx';
import { Form } from '#client/ui/form.tsx';
import { href } from '#shared/routes/href.ts';
import { AuthHead, ToLogin } from './parts.tsx';
import { ReferralNote } from './referral-field.tsx';

/** After registering with an address that has to be confirmed. */
export function CheckMail({ email, referral }: { email: string; referral: 'none' | 'known' | 'unknown' }): ReactNode {
  const t = useT('auth');
  return (
    <>
      <AuthHead
        title={t('mailTitle')}
        text={<Rich t={t} k="mailText" vars={{ email: <b key="email">{email}</b> }} />}
      />
      <ReferralNote state={referral} />
      <p className="sp-lead">{t('mailSpam')}</p>
      <Form action={href('auth.verify')} noSummary>
        <input type="hidden" name="_intent" value="again" />
        <input type="hidden" name="email" value={email} />
        <Button type="submit" size="lg" icon="mail" block>
          {t('resend')}
        </Button>
        <ToLogin />
      </Form>
    </>
  );
}
