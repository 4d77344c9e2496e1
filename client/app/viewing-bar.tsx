import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Button } from '#client/ui/button.tsx';
import { Form } from '#client/ui/form.tsx';
import { Icon } from '#client/ui/icon.tsx';
import { href } from '#shared/routes/href.ts';

/** The bar on every page while staff view as a user (behaviour 8.3): as whom, until when, and the way out. */
export function ViewingBar(): ReactNode {
  const t = useT('shell');
  const format = useFormat();
  const { session } = useShell();
  if (!session.user || !session.viewing) return null;
  return (
    <aside className="sp-viewing" aria-label={t('viewing.label')}>
      <Icon name="eye" />
      <p className="sp-viewing__text">
        {t('viewing.text', { name: session.user.username, time: format.time(session.viewing) })}
      </p>
      <Form action={href('viewing.end')} noSummary>
        <Button type="submit" size="sm">
          {t('viewing.end')}
        </Button>
      </Form>
    </aside>
  );
}
