import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { Button } from '#client/ui/button.tsx';
import { Form } from '#client/ui/form.tsx';
import { useConfirm } from './use-confirm.ts';

/** Shows the product as the user sees it (behaviour 8.3); only for those who may. */
export function ViewAsButton(props: {
  user: { readonly username: string; readonly viewable: boolean };
  /** Where it is asked for; absent: on the page itself. */
  action?: string;
  size?: 'sm';
}): ReactNode {
  const { user, action, size } = props;
  const t = useT('staffUsers');
  const onSubmit = useConfirm({
    title: t('askViewAs', { name: user.username }),
    text: t('viewAsText', { name: user.username }),
    ok: t('viewAs'),
  });
  if (!user.viewable) return null;
  return (
    <Form noSummary onSubmit={onSubmit} {...(action === undefined ? {} : { action })}>
      <input type="hidden" name="_intent" value="viewAs" />
      <Button type="submit" icon="eye" {...(size ? { size } : {})}>
        {t('viewAs')}
      </Button>
    </Form>
  );
}
