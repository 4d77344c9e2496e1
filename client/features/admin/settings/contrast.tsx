import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Button } from '#client/ui/button.tsx';
import { Icon } from '#client/ui/icon.tsx';
import { checkAccent, DRAWN_MIN } from '#shared/accent.ts';
import type { Theme } from '#shared/themes.ts';

/** Down to one decimal, so that 2.97 is not shown as the 3 that it misses. */
const floor = (ratio: number): number => Math.floor(ratio * 10) / 10;

/** The figures of a colour, and a shade that can be seen where it cannot. `onUse`: takes that shade; null: nobody may. */
export function Contrast(props: { colour: string; theme: Theme; onUse: ((colour: string) => void) | null }): ReactNode {
  const { colour, theme, onUse } = props;
  const t = useT('staffSettings');
  const format = useFormat();
  const check = checkAccent(colour, theme);
  if (!check) return null;
  const isSeen = check.surface >= DRAWN_MIN;
  return (
    <p className="sp-set__contrast" data-low={!isSeen || undefined}>
      <Icon name={isSeen ? 'check' : 'alert'} size="sm" />
      <span>
        {t(isSeen ? 'contrastGood' : 'contrastLow', {
          surface: format.number(floor(check.surface)),
          label: format.number(floor(check.label)),
        })}
      </span>
      {!isSeen && onUse && (
        <Button size="sm" onClick={() => onUse(check.better)}>
          {t('contrastUse', { colour: check.better })}
        </Button>
      )}
    </p>
  );
}
