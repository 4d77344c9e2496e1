import { ledgerAccruals } from '#server/data/repos/ledger-accruals.ts';
import { appendTransaction, lockBalances } from '#server/data/repos/ledger-append.ts';
import { referenceKey, transactionInBlock } from '#server/data/repos/ledger-blocks.ts';
import { ledgerQuestions } from '#server/data/repos/ledger-questions.ts';
import { verifyArchive, verifyLedger } from '#server/data/repos/ledger-verify.ts';
import type { Raw } from '#server/data/raw.ts';
import type { Account, HoldRow, LedgerRepo, NewTransaction } from '#server/modules/ledger/ports.ts';
import { toCredits } from '#shared/credits.ts';
import { DomainError } from '#shared/errors.ts';

interface TransactionRow {
  id: string;
  kind: string;
  reference: string;
  subject: string | null;
  actor: string | null;
  reason: string | null;
  reverses: string | null;
  created_ms: number;
}

/** The ledger in the database, in hand-written SQL: it is the hot path of the product. */
export function createLedgerRepo(raw: Raw): LedgerRepo {
  return {
    append: (transaction) => appendTransaction(raw, transaction),
    async lock(accounts) {
      if (raw.dialect === 'postgres') await lockBalances(raw, accounts);
    },
    async byReference(reference) {
      const row = await raw.one<{ id: string | null; block: number | null }>(
        `SELECT id, NULL AS block FROM ledger_transactions WHERE reference = ?
         UNION ALL SELECT NULL AS id, block FROM ledger_archived_references WHERE key = ?`,
        [reference, referenceKey(reference)],
      );
      if (!row) return null;
      return row.id === null ? transactionInBlock(raw, Number(row.block), reference) : transactionOf(raw, row.id);
    },
    byId: (id) => transactionOf(raw, id),
    async reversalOf(id) {
      return (await raw.one<{ id: string }>('SELECT id FROM ledger_transactions WHERE reverses = ?', [id]))?.id ?? null;
    },
    ...ledgerAccruals(raw),
    ...ledgerQuestions(raw),
    ...holdsOf(raw),
    verify: (only) => verifyLedger(raw, only),
    verifyArchive: (begun) => verifyArchive(raw, begun),
  };
}

async function transactionOf(raw: Raw, id: string): Promise<NewTransaction | null> {
  const row = await raw.one<TransactionRow>(
    'SELECT id, kind, reference, subject, actor, reason, reverses, created_ms FROM ledger_transactions WHERE id = ?',
    [id],
  );
  if (!row) return null;
  const postings = await raw.all<{ source: Account; destination: Account; amount: number }>(
    'SELECT source, destination, amount FROM ledger_postings WHERE tx_id = ? ORDER BY seq',
    [id],
  );
  return {
    id: row.id,
    kind: row.kind,
    reference: row.reference,
    subject: row.subject,
    actor: row.actor,
    reason: row.reason,
    reverses: row.reverses,
    createdMs: row.created_ms,
    postings: postings.map(({ source, destination, amount }) => ({ source, destination, amount: toCredits(amount) })),
  };
}

const HOLD = 'SELECT id, account, amount, reference, state FROM ledger_holds WHERE id = ?';
type Holds = Pick<LedgerRepo, 'insertHold' | 'hold' | 'growHold' | 'closeHold'>;

function holdsOf(raw: Raw): Holds {
  return {
    async insertHold(hold) {
      const { changes } = await raw.run(
        'INSERT INTO ledger_holds (id, account, amount, reference, state, created_ms, closed_ms) VALUES (?, ?, ?, ?, ?, ?, NULL) ON CONFLICT DO NOTHING',
        [hold.id, hold.account, toCredits(hold.amount), hold.reference, hold.state, hold.createdMs],
      );
      if (changes === 0) throw new DomainError('DUPLICATE_REFERENCE');
    },
    async hold(id) {
      const row = await raw.one<HoldRow>(raw.dialect === 'postgres' ? `${HOLD} FOR UPDATE` : HOLD, [id]);
      return row ? { ...row, amount: toCredits(row.amount) } : null;
    },
    async growHold(id, amount) {
      return (
        (await raw.run("UPDATE ledger_holds SET amount = ? WHERE id = ? AND state = 'open'", [toCredits(amount), id]))
          .changes === 1
      );
    },
    async closeHold(id, state, atMs) {
      const { changes } = await raw.run(
        "UPDATE ledger_holds SET state = ?, closed_ms = ? WHERE id = ? AND state = 'open'",
        [state, atMs, id],
      );
      return changes === 1;
    },
  };
}
