import type { ReactNode } from 'react';
import { useFormat, useLooseT, useT } from '#client/lib/i18n.tsx';
import { Card } from '#client/ui/card.tsx';
import type { IconName } from '#client/ui/icons.ts';
import { List, ListItem } from '#client/ui/list.tsx';
import { PLAYER_ROUTE_LIST } from '#shared/routes/players.ts';
import type { DashboardData } from './screen.tsx';

type Hint = DashboardData['next'][number];
type Tone = 'warning' | 'danger' | 'info' | 'positive' | 'accent';

/** Icon and tone of each hint; others look plain. */
const HINT_STYLES: Readonly<Record<string, { icon: IconName; tone?: Tone }>> = {
  verify: { icon: 'mail', tone: 'info' },
  unpaid: { icon: 'alert', tone: 'danger' },
  renew: { icon: 'alert', tone: 'warning' },
  failed: { icon: 'circle-x', tone: 'danger' },
  create: { icon: 'plus', tone: 'accent' },
  afk: { icon: 'clock' },
  redeem: { icon: 'ticket' },
  store: { icon: 'store' },
};

/** The address a hint leads to, from the route table; null when there is no such route. */
export function hintHref(hint: Pick<Hint, 'route' | 'id'>): string | null {
  const row = PLAYER_ROUTE_LIST.find((each) => each.id === hint.route);
  return row ? row.path.replace(':id', encodeURIComponent(hint.id ?? '')) : null;
}

/** What to do next, most urgent first. */
export function NextCard({ data }: { data: DashboardData }): ReactNode {
  const t = useT('dashboard');
  return (
    <Card title={t('nextTitle')} flush>
      <List>
        {data.next.length === 0 ? (
          <ListItem icon="check" tone="positive" title={t('allDone')} text={t('allDoneText')} />
        ) : (
          data.next.map((hint, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- a fresh list each time, without state
            <HintItem key={index} hint={hint} now={data.now} />
          ))
        )}
      </List>
    </Card>
  );
}

function HintItem({ hint, now }: { hint: Hint; now: string }): ReactNode {
  const t = useLooseT('dashboard');
  const format = useFormat();
  const vars = {
    subject: hint.subject ?? '',
    amount: hint.amount === null ? '' : format.credits(hint.amount),
    when: hint.at === null ? '' : format.when(hint.at, Date.parse(now)),
  };
  const title = t(`next.${hint.code}`, vars);
  const to = hintHref(hint);
  if (!title || to === null) return null;
  const text = t(`nextText.${hint.code}`, vars);
  const style = HINT_STYLES[hint.code] ?? { icon: 'arrow-right' as const };
  return <ListItem {...style} title={title} to={to} {...(text ? { text } : {})} />;
}
