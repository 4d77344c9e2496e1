import type { ReactNode } from 'react';
import { useErrorText } from '#client/lib/error-text.ts';
import { useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Form } from '#client/ui/form.tsx';
import type { UserData } from './edit.tsx';
import type { StaffAnswer } from './staff-answer.ts';
import { useAsk } from './use-ask.ts';

/** Shows the product as the user sees it (behaviour 8.3); only for those who may. */
export function ViewAsButton({ user }: { user: UserData }): ReactNode {
  const t = useT('staffUsers');
  const onSubmit = useAsk({
    title: t('askViewAs', { name: user.username }),
    text: t('viewAsText', { name: user.username }),
    ok: t('viewAs'),
  });
  if (!user.viewable) return null;
  return (
    <Form noSummary onSubmit={onSubmit}>
      <input type="hidden" name="_intent" value="viewAs" />
      <Button type="submit" icon="eye">
        {t('viewAs')}
      </Button>
    </Form>
  );
}

/** Says why it could not begin. */
export function ViewAsRefused({ answer }: { answer: StaffAnswer | undefined }): ReactNode {
  const errors = useErrorText();
  if (answer?.intent !== 'viewAs' || answer.result.ok) return null;
  return (
    <Banner tone="danger" live>
      {errors.code(answer.result.code)}
    </Banner>
  );
}
