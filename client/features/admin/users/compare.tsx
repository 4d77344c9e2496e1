import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Card, CardSection } from '#client/ui/card.tsx';
import { LinkButton, TextLink } from '#client/ui/link-button.tsx';
import { List, ListItem } from '#client/ui/list.tsx';
import { href } from '#shared/routes/staff-href.ts';
import type { TabData, UserData } from './edit.tsx';

type Comparison = NonNullable<TabData['comparison']>;
type Account = Comparison['accounts'][number];
const signalsOf = (id: string): string => `${href('admin.users.edit', { id })}?tab=signals`;

/** Accounts that have something in common with the user's, each with a way to compare both. */
export function OthersCard({ user, others }: { user: UserData; others: NonNullable<TabData['signals']>['others'] }) {
  const t = useT('userDetails');
  const format = useFormat();
  return (
    <Card title={t('others')} count={others.length} flush={others.length > 0}>
      {others.length === 0 ? (
        <p className="sp-lead">{t('noOthers')}</p>
      ) : (
        <List label={t('others')}>
          {others.map(({ id, username, kinds, since }) => (
            <ListItem
              key={id}
              title={username}
              text={t('sharedSince', {
                what: kinds.map((kind) => t(`shared.${kind}`)).join(', '),
                date: format.date(since),
              })}
              end={
                <LinkButton
                  to={`${signalsOf(user.id)}&with=${id}`}
                  size="sm"
                  aria-label={t('compareWith', { name: username })}
                >
                  {t('compare')}
                </LinkButton>
              }
            />
          ))}
        </List>
      )}
    </Card>
  );
}

/** Two accounts side by side: what both have, then each line of one beside that of the other. */
export function CompareCard({ comparison }: { comparison: Comparison }): ReactNode {
  const t = useT('userDetails');
  const format = useFormat();
  const { accounts, shared } = comparison;
  const [own, other] = accounts;
  return (
    <Card
      title={t('compareTitle', { one: own?.username ?? '', other: other?.username ?? '' })}
      flush
      aside={
        own && (
          <LinkButton to={signalsOf(own.id)} size="sm">
            {t('compareEnd')}
          </LinkButton>
        )
      }
    >
      {shared.length === 0 ? (
        <CardSection>
          <p className="sp-lead">{t('nothingShared')}</p>
        </CardSection>
      ) : (
        <List label={t('inCommon')}>
          {shared.map(({ kind, count, since, last }) => (
            <ListItem
              key={kind}
              title={t(`shared.${kind}`)}
              text={t('sharedSpan', { from: format.date(since), to: format.date(last) })}
              end={t('sharedCount', { count, number: format.number(count) })}
            />
          ))}
        </List>
      )}
      <Sides accounts={accounts} />
    </Card>
  );
}

function Sides({ accounts }: { accounts: readonly Account[] }): ReactNode {
  const t = useT('userDetails');
  const users = useT('users');
  const reasons = useT('staffHeldRewards');
  const format = useFormat();
  const of = (cell: (account: Account) => ReactNode) => accounts.map((account) => cell(account));
  const lines: readonly { label: string; cells: readonly ReactNode[] }[] = [
    { label: users('email'), cells: of(({ email }) => email) },
    { label: users('role'), cells: of(({ role }) => role) },
    { label: users('standing'), cells: of(({ status }) => users(`state.${status}`)) },
    { label: users('registered'), cells: of((account) => format.dateTime(account.created_at)) },
    {
      label: users('lastSeen'),
      cells: of(({ seen_at: at }) => (at === null ? users('notSeen') : format.dateTime(at))),
    },
    { label: t('score'), cells: of(({ score }) => format.number(score)) },
    {
      label: t('signals'),
      cells: of((account) =>
        account.reasons.length === 0
          ? t('noSignals')
          : account.reasons.map(({ code, count, weight }) => (
              <span key={code}>
                {reasons(`reason.${code}`, { count: count ?? 0 })}{' '}
                <span className="sp-muted">{reasons('points', { count: weight })}</span>
              </span>
            )),
      ),
    },
  ];
  return (
    <table className="sp-compare">
      <thead>
        <tr>
          <th scope="col">
            <span className="sp-sr">{users('identity')}</span>
          </th>
          {accounts.map(({ id, username }) => (
            <th key={id} scope="col">
              <TextLink to={href('admin.users.edit', { id })}>{username}</TextLink>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {lines.map(({ label, cells }) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            {accounts.map(({ id }, side) => (
              <td key={id}>{cells[side]}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
