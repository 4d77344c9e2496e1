import type { ReactNode } from 'react';
import type { FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Form } from '#client/ui/form.tsx';
import { SupportLinks } from '#client/ui/support-links.tsx';
import type { AccountData } from './screen.tsx';

/** The PIN by which support finds the account, and a button for a new one (behaviour 8.3). */
export function SupportPinCard({
  pin,
  answer,
}: {
  pin: AccountData['pin'];
  answer: FormResult<null> | undefined;
}): ReactNode {
  const t = useT('account');
  const format = useFormat();
  const { problem } = useFormProps(answer);
  return (
    <Card
      title={t('supportPin')}
      text={
        <>
          {t('supportPinText')} <SupportLinks />
        </>
      }
    >
      {problem && (
        <Banner tone="danger" live>
          {problem}
        </Banner>
      )}
      {pin === null ? (
        <p className="sp-lead">{t('supportPinNone')}</p>
      ) : (
        <p aria-live="polite">
          <strong className="sp-pin">{`${pin.pin.slice(0, 3)} ${pin.pin.slice(3)}`}</strong>{' '}
          <span className="sp-muted">{t('supportPinUntil', { date: format.dateTime(pin.expires_at) })}</span>
        </p>
      )}
      <Form noSummary preventScrollReset>
        <input type="hidden" name="_intent" value="supportPin" />
        <div className="sp-btn-row">
          <Button type="submit">{t('supportPinNew')}</Button>
        </div>
      </Form>
    </Card>
  );
}
