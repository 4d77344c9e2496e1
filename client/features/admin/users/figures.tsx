import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useMoney } from '#client/lib/money.ts';
import { useStatementText } from '#client/lib/statement-text.ts';
import { useNow } from '#client/lib/use-now.ts';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { StatTile, Stats } from '#client/ui/stat.tsx';
import { DAY, MINUTE } from '#shared/time.ts';
import type { UserData } from './edit.tsx';

/** The user's figures above the tabs: credits, what came and went lately, money, and how long they are here. */
export function UserFigures({ user }: { user: UserData }): ReactNode {
  const t = useT('users');
  const format = useFormat();
  const text = useStatementText();
  const now = useNow(MINUTE);
  const days = Math.max(0, Math.floor((now - Date.parse(user.created_at)) / DAY));
  /** What most of an amount is from or for, with its share. */
  const mostOf = (name: string, credits: number, all: number) =>
    all > 0 ? t('mostly', { what: name, percent: format.percent(credits / all) }) : undefined;
  const { earned, spent } = user;
  const held = user.held > 0 ? t('heldNote', { credits: format.credits(user.held) }) : undefined;
  return (
    <section className="sp-card" aria-label={t('figures')}>
      <Stats>
        <StatTile
          label={t('balance')}
          value={<CreditAmount value={user.balance} />}
          note={user.debt > 0 ? t('debtNote', { credits: format.credits(user.debt) }) : held}
        />
        <StatTile
          label={t('earned30')}
          value={<CreditAmount value={earned.credits} variant="plain" />}
          note={earned.most ? mostOf(text.kind(earned.most.name), earned.most.credits, earned.credits) : undefined}
        />
        <StatTile
          label={t('spent30')}
          value={<CreditAmount value={spent.credits} variant="plain" />}
          note={
            spent.most
              ? mostOf(text.counterpart(`system:${spent.most.name}`), spent.most.credits, spent.credits)
              : undefined
          }
        />
        {user.paid && <PaidTile paid={user.paid} />}
        <StatTile
          label={t('memberSince')}
          value={format.date(user.created_at)}
          note={t('memberDays', { count: days, number: format.number(days) })}
        />
      </Stats>
    </section>
  );
}

/** Money that they paid: the currency of most of it, and the others below. */
function PaidTile({ paid }: { paid: NonNullable<UserData['paid']> }): ReactNode {
  const t = useT('users');
  const format = useFormat();
  const money = useMoney();
  const [most, ...others] = paid;
  const orders = paid.reduce((sum, each) => sum + each.orders, 0);
  return (
    <StatTile
      label={t('paidIn')}
      value={most ? money(most.minor, most.currency) : t('paidNothing')}
      note={
        most &&
        [
          ...others.map(({ minor, currency }) => money(minor, currency)),
          t('paidOrders', { count: orders, number: format.number(orders) }),
        ].join(' · ')
      }
    />
  );
}
