import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Rich, useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { BalanceCounter } from '#client/ui/balance-counter.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { SlabStack } from '#client/ui/slab-stack.tsx';
import { Sparkline } from '#client/ui/sparkline.tsx';
import { href } from '#shared/routes/href.ts';
import type { DashboardData } from './screen.tsx';

/** The address of the statement, a tab of the account. */
export function statementHref(): string {
  return `${href('account')}?tab=statement`;
}

/** Balance, recent earnings, the line of thirty days, and today's AFK credits. */
export function BalanceCard({ data }: { data: DashboardData }): ReactNode {
  const t = useT('dashboard');
  const { flags } = useShell();
  const afk = flags.afk_enabled ? data.afk : null;
  return (
    <section className="sp-card sp-wallet" data-afk={afk !== null || undefined} aria-labelledby="sp-wallet">
      <div className="sp-wallet__main">
        <h2 className="sp-wallet__label" id="sp-wallet">
          {t('balance')}
        </h2>
        <p>
          <BalanceCounter value={data.balance} size="xl" />
        </p>
        <p className="sp-wallet__delta">
          <span>
            <Rich t={t} k="today" vars={{ amount: <CreditAmount value={data.earned_today} variant="signed" /> }} />
          </span>
          <span>
            <Rich t={t} k="in30Days" vars={{ amount: <CreditAmount value={data.earned_30_days} variant="signed" /> }} />
          </span>
        </p>
        {data.history.some((value) => value !== 0) ? (
          <Sparkline values={data.history} tone="credit" label={t('historyLabel')} />
        ) : (
          <p className="sp-meta">{t('noHistory')}</p>
        )}
      </div>
      <div className="sp-wallet__act">
        <LinkButton to={statementHref()}>{t('statement')}</LinkButton>
        {flags.afk_enabled && <LinkButton to={href('earn.afk')}>{t('earn')}</LinkButton>}
      </div>
      {afk && <Afk earned={afk.earned_today} cap={afk.cap} />}
    </section>
  );
}

function Afk({ earned, cap }: { earned: number; cap: number }): ReactNode {
  const t = useT('dashboard');
  const format = useFormat();
  return (
    <Link className="sp-wallet__afk" to={href('earn.afk')}>
      <SlabStack value={earned} cap={cap} />
      <span className="sp-wallet__count">
        <b>{format.number(earned)}</b> / {format.number(cap)}
      </span>
      <span className="sp-meta">{t('afkToday')}</span>
    </Link>
  );
}
