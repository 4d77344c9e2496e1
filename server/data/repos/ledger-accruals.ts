import type { Raw } from '#server/data/raw.ts';
import type { Accrual, LedgerRepo } from '#server/modules/ledger/ports.ts';
import { toCredits } from '#shared/credits.ts';

interface Row {
  account: Accrual['account'];
  source: Accrual['source'];
  kind: string;
  reference: string;
  amount: number;
  day: string;
  started_ms: number;
  due_ms: number;
}
const COLUMNS = 'account, source, kind, reference, amount, day, started_ms, due_ms';

function toAccrual(row: Row | undefined): Accrual | null {
  if (!row) return null;
  const { account, source, kind, reference, amount, day } = row;
  return {
    account,
    source,
    kind,
    reference,
    amount: toCredits(amount),
    day,
    startedMs: row.started_ms,
    dueMs: row.due_ms,
  };
}

/** What wallets have earned that is not posted yet. */
export function ledgerAccruals(raw: Raw): Pick<LedgerRepo, 'accrue' | 'accrualOf' | 'takeAccrual' | 'dueAccruals'> {
  return {
    async accrue({ account, source, kind, reference, amount, day, startedMs, dueMs }) {
      const row = await raw.one<{ amount: number }>(
        `INSERT INTO ledger_accruals (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (account) DO UPDATE SET amount = ledger_accruals.amount + excluded.amount
         WHERE ledger_accruals.reference = excluded.reference AND ledger_accruals.day = excluded.day RETURNING amount`,
        [account, source, kind, reference, amount, day, startedMs, dueMs],
      );
      return row ? toCredits(row.amount) : null;
    },
    accrualOf: async (account) =>
      toAccrual(await raw.one<Row>(`SELECT ${COLUMNS} FROM ledger_accruals WHERE account = ?`, [account])),
    takeAccrual: async (account) =>
      toAccrual(await raw.one<Row>(`DELETE FROM ledger_accruals WHERE account = ? RETURNING ${COLUMNS}`, [account])),
    async dueAccruals(atMs, limit) {
      const rows = await raw.all<Pick<Row, 'account'>>(
        'SELECT account FROM ledger_accruals WHERE due_ms <= ? ORDER BY due_ms LIMIT ?',
        [atMs, limit],
      );
      return rows.map(({ account }) => account);
    },
  };
}
