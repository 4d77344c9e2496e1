import type { ReactNode } from 'react';
import { useT } from '#client/lib/i18n.tsx';
import { Button } from '#client/ui/button.tsx';

/** Leaves the step out. */
export function SkipButton(): ReactNode {
  const t = useT('setup');
  return (
    <Button type="submit" name="_intent" value="skip" variant="ghost">
      {t('action.skip')}
    </Button>
  );
}
