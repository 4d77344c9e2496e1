import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { TextLink } from '#client/ui/link-button.tsx';
import { SupportLinks } from '#client/ui/support-links.tsx';
import { href } from '#shared/routes/href.ts';
import { amountText } from './amounts.ts';
import type { Refusal } from './amounts.ts';
import type { StoreItem } from './screen.tsx';

interface RefusalLineProps {
  refusal: Refusal;
  item: StoreItem;
  units: number;
  balance: number;
}

/** Why it cannot be bought now, and what to do. */
export function RefusalLine({ refusal, item, units, balance }: RefusalLineProps): ReactNode {
  const t = useT('store');
  const format = useFormat();
  const { flags } = useShell();
  if (refusal === 'vip')
    return (
      <Line
        title={t('vipOnly')}
        text={
          <>
            {t('vipOnlyText')} <SupportLinks />
          </>
        }
      />
    );
  if (refusal === 'limit') {
    return (
      <Line
        title={t('limitReached')}
        text={t('limitReachedText', { limit: amountText(item.kind, item.limit, format) })}
      />
    );
  }
  if (refusal === 'units') return <Line text={t('tooMany', { max: format.number(item.units_left) })} />;
  const missing = item.price * units - balance;
  return (
    <p className="sp-good__after">
      {t('tooFew', { count: missing, amount: format.number(missing) })}{' '}
      {flags.afk_enabled && <TextLink to={href('earn.afk')}>{t('earn')}</TextLink>}
    </p>
  );
}

function Line({ title, text }: { title?: string; text: ReactNode }): ReactNode {
  return (
    <p className="sp-good__after">
      {title !== undefined && <b>{title}. </b>}
      {text}
    </p>
  );
}
