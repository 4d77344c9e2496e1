import type { ReactNode } from 'react';
import type { FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Checkbox } from '#client/ui/choice.tsx';
import { Form } from '#client/ui/form.tsx';
import { MAIL_KINDS, type MailKind } from '#shared/mails.ts';

/** Which of the host's own e-mails the visitor wants (behaviour 7.5); what concerns the account always comes. */
export function MailKindsCard({
  kinds,
  answer,
}: {
  kinds: readonly MailKind[];
  answer: FormResult<null> | undefined;
}): ReactNode {
  const t = useT('activity');
  const shown = useFormProps(answer);
  return (
    <Card title={t('kindsTitle')} text={t('kindsText')}>
      <Form {...shown}>
        <input type="hidden" name="_intent" value="mailKinds" />
        {answer?.ok && (
          <Banner tone="positive" live>
            {t('kindsSaved')}
          </Banner>
        )}
        {MAIL_KINDS.map((kind) => (
          <Checkbox key={kind} name="kinds" value={kind} defaultChecked={kinds.includes(kind)}>
            {t(`kind.${kind}`)}
          </Checkbox>
        ))}
        <div className="sp-btn-row">
          <Button type="submit">{t('kindsSave')}</Button>
        </div>
      </Form>
    </Card>
  );
}
