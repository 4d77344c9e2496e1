import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useNow } from '#client/lib/use-now.ts';
import { Badge } from '#client/ui/badge.tsx';
import { Button } from '#client/ui/button.tsx';
import { CreditAmount } from '#client/ui/credit-amount.tsx';
import type { Column } from '#client/ui/data-table.tsx';
import { Form } from '#client/ui/form.tsx';
import { Icon } from '#client/ui/icon.tsx';
import { Status } from '#client/ui/status.tsx';
import type { StaffHeldReward } from '#shared/contract/abuse.ts';

const SHAPES = { open: 'queued', released: 'active', rejected: 'failed' } as const;

/** The columns of the list. In: whether the caller may decide. */
export function useColumns(may: boolean): readonly Column<StaffHeldReward>[] {
  const t = useT('staffHeldRewards');
  const sources = useT('sources');
  const format = useFormat();
  const now = useNow(60_000);
  return [
    { key: 'user', label: t('columnUser'), title: true, cell: (row) => <RewardDetails row={row} may={may} /> },
    {
      key: 'source',
      label: t('columnSource'),
      cell: (row) => (
        <>
          {sources(`${row.source}.reward`)}
          {row.subject !== null && <span className="sp-muted"> {row.subject}</span>}
          {row.parts > 1 && <span className="sp-muted"> {t('parts', { count: row.parts })}</span>}
        </>
      ),
    },
    {
      key: 'amount',
      phone: 'lead',
      label: t('columnAmount'),
      align: 'end',
      sort: 'desc',
      cell: (row) => <CreditAmount value={row.amount} />,
    },
    {
      key: 'score',
      phone: 'labelled',
      label: t('columnScore'),
      align: 'end',
      sort: 'desc',
      cell: (row) => format.number(row.score),
    },
    {
      key: 'created',
      label: t('columnWhen'),
      sort: 'desc',
      cell: (row) => <time dateTime={row.held_at}>{format.when(row.held_at, now)}</time>,
    },
    {
      key: 'state',
      label: t('columnState'),
      cell: (row) => <Status shape={SHAPES[row.state]}>{t(`state.${row.state}`)}</Status>,
    },
  ];
}

/**
 * The user's name, which opens the details: what adds up to the score, the user's note, and the decision. Works without
 * scripts.
 */
function RewardDetails({ row, may }: { row: StaffHeldReward; may: boolean }): ReactNode {
  const t = useT('staffHeldRewards');
  const format = useFormat();
  return (
    <details className="sp-why">
      <summary>
        <Icon name="chevron-right" size="sm" />
        {row.username}
        {row.note !== null && <Badge tone="info">{t('noteBadge')}</Badge>}
      </summary>
      <div className="sp-why__text">
        <p>
          {t(
            row.cause === 'score'
              ? 'causeScore'
              : row.reasons.some(({ code }) => code === 'noProof')
                ? 'causeProof'
                : 'causeBurst',
            { score: format.number(row.score) },
          )}
        </p>
        {row.reasons.length > 0 && (
          <ul className="sp-held__reasons">
            {row.reasons.map(({ code, weight, count }) => (
              <li key={code}>
                {/* A count only where the text of the reason has one. */}
                {t(`reason.${code}`, { count: count ?? 0 })} <b>{t('points', { count: weight })}</b>
              </li>
            ))}
          </ul>
        )}
        {row.release_at !== null && <p>{t('releaseAt', { date: format.dateTime(row.release_at) })}</p>}
        {row.note !== null && (
          <blockquote className="sp-held__note">
            <p>{row.note}</p>
          </blockquote>
        )}
        {row.decided_at !== null && (
          <p>{t('decided', { name: row.decided_by ?? t('automatically'), date: format.dateTime(row.decided_at) })}</p>
        )}
        {may && row.state === 'open' && (row.own ? <p>{t('own')}</p> : <DecisionForm row={row} />)}
      </div>
    </details>
  );
}

function DecisionForm({ row }: { row: StaffHeldReward }): ReactNode {
  const t = useT('staffHeldRewards');
  return (
    <Form noSummary preventScrollReset>
      <input type="hidden" name="id" value={row.id} />
      <span className="sp-held__line">
        <Button
          type="submit"
          name="decision"
          value="release"
          size="sm"
          icon="check"
          aria-label={t('releaseOf', { name: row.username })}
        >
          {t('release')}
        </Button>
        <Button
          type="submit"
          name="decision"
          value="reject"
          size="sm"
          variant="danger-quiet"
          icon="x"
          aria-label={t('rejectOf', { name: row.username })}
        >
          {t('reject')}
        </Button>
      </span>
    </Form>
  );
}
