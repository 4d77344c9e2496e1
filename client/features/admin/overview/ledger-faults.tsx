import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Card } from '#client/ui/card.tsx';
import { List, ListItem } from '#client/ui/list.tsx';

/** The outcome of the last proof of the ledger. Amounts in credits. */
interface LedgerState {
  readonly total: number;
  readonly faults: readonly {
    readonly proof:
      'sum' | 'postings' | 'belowZero' | 'empty' | 'orphans' | 'days' | 'holds' | 'heldRewards' | 'archive';
    readonly account: string | null;
    readonly row: string | null;
    readonly stored: number | null;
    readonly expected: number | null;
    readonly since: string;
  }[];
}

/** The faults of the ledger, explained; nothing if it adds up. */
export function LedgerFaults({ ledger }: { ledger: LedgerState }): ReactNode {
  const t = useT('admin');
  const format = useFormat();
  const { now } = useShell();
  if (ledger.total === 0) return null;
  return (
    <Card id="ledger" title={t('ledgerTitle', { count: ledger.total })} text={t('ledgerText')} flush>
      <List label={t('ledgerTitle', { count: ledger.total })}>
        {ledger.faults.map(({ proof, account, row, stored, expected, since }) => (
          <ListItem
            key={`${proof} ${account ?? ''} ${row ?? ''}`}
            icon="alert"
            tone="danger"
            title={t(`ledgerFault.${proof}`, {
              account: account ?? '',
              row: row ?? '',
              stored: format.number(stored ?? 0),
              expected: format.number(expected ?? 0),
            })}
            text={t('ledgerSince', { time: format.when(since, Date.parse(now)) })}
          />
        ))}
      </List>
    </Card>
  );
}
