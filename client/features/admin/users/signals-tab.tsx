import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Bar, share } from '#client/ui/bar.tsx';
import { Card, CardSection } from '#client/ui/card.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import { can } from '#shared/can.ts';
import { href } from '#shared/routes/staff-href.ts';
import { CompareCard, OthersCard } from './compare.tsx';
import type { TabData, UserData } from './edit.tsx';

type Signals = NonNullable<TabData['signals']>;

/** The user's score with what adds up to it, and the rewards that wait for it (behaviour 4.6). */
export function SignalsTab({
  user,
  signals,
  comparison,
}: {
  user: UserData;
  signals: Signals;
  comparison: TabData['comparison'];
}): ReactNode {
  const t = useT('userDetails');
  const format = useFormat();
  const { score, threshold, reasons } = signals;
  const isHigh = threshold > 0 && score >= threshold;
  return (
    <>
      {comparison && <CompareCard comparison={comparison} />}
      <div className="sp-split">
        <Card title={t('signals')} text={t('signalsText')} flush>
          <CardSection>
            <div className="sp-score">
              <strong className="sp-score__n">{format.number(score)}</strong>
              <div className="sp-score__bar">
                <Bar value={share(score, Math.max(threshold, 100))} tone={isHigh ? 'danger' : 'quiet'} />
                <p className="sp-muted">
                  {threshold > 0 ? t('threshold', { score: format.number(threshold) }) : t('noThreshold')}
                </p>
              </div>
            </div>
          </CardSection>
          {reasons.length === 0 ? (
            <CardSection>
              <p className="sp-lead">{t('noSignals')}</p>
            </CardSection>
          ) : (
            <List label={t('signals')}>
              {reasons.map((reason) => (
                <ReasonItem key={reason.code} reason={reason} />
              ))}
            </List>
          )}
        </Card>
        <div className="sp-stack">
          <OthersCard user={user} others={signals.others} />
          <HeldCard user={user} held={signals.held} />
        </div>
      </div>
    </>
  );
}

function ReasonItem({ reason }: { reason: Signals['reasons'][number] }): ReactNode {
  const t = useT('staffHeldRewards');
  const { code, weight, count } = reason;
  // A count only where the text of the reason has one.
  return <ListItem title={t(`reason.${code}`, { count: count ?? 0 })} end={t('points', { count: weight })} />;
}

/** Rewards that wait for staff; they are decided where all of them are. */
function HeldCard({ user, held }: { user: UserData; held: Signals['held'] }): ReactNode {
  const t = useT('userDetails');
  const { permissions } = useShell().session;
  const to = `${href('admin.heldRewards')}?q=${encodeURIComponent(user.username)}`;
  return (
    <Card
      title={t('held')}
      count={held.count}
      {...(held.count > 0 && can(permissions, 'admin.rewards.held.list')
        ? {
            aside: (
              <LinkButton to={to} size="sm">
                {t('review')}
              </LinkButton>
            ),
          }
        : {})}
    >
      {held.count === 0 ? <p className="sp-lead">{t('nothingHeld')}</p> : <CreditAmount value={held.credits} />}
    </Card>
  );
}
