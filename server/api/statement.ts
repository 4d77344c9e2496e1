import type { Ledger, LedgerEntry } from '#server/modules/ledger/index.ts';
import type { Clock } from '#server/modules/kernel.ts';
import type { Settings } from '#server/modules/settings/index.ts';
import type { Tx, UnitOfWork } from '#server/modules/tx.ts';
import type { StatementRow } from '#shared/contract/account.ts';
import { maskedCode } from '#shared/redeem-code.ts';
import { pageOf } from '#shared/schemas/primitives.ts';
import { idInReference, placeOfKind } from '#shared/statement.ts';
import { dayIn, iso } from '#shared/time.ts';
import { toCsv } from './csv.ts';
import { daySpan } from './day-bounds.ts';

export interface StatementDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly settings: Pick<Settings, 'current'>;
  readonly ledger: Pick<Ledger, 'history' | 'kinds' | 'balance' | 'held'>;
}
export interface StatementFilter {
  readonly kind?: string | undefined;
  readonly direction?: 'in' | 'out' | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}
/** Whose statement, and for whom: staff also see who acted, by name, and the references. */
export interface Asked {
  readonly userId: string;
  readonly staff: boolean;
  /** The reader may not list redeem codes: those in the statement stay covered (attacks T59). */
  readonly hidesCodes?: boolean;
}

/** Most lines of one download, and lines read at a time. */
const CSV_LINES = 50_000;
const CSV_STEP = 1000;

/** One page of a user's statement, with what it is filtered by and the balances of now. Throws VALIDATION_FAILED for days that are none. */
export async function statement(deps: StatementDeps, asked: Asked, query: StatementFilter & { page?: number | undefined; per_page?: number | undefined }) {
  const { uow, ledger } = deps;
  const account = `user:${asked.userId}` as const;
  const { page, perPage } = pageOf(query);
  const filter = filterOf(deps, query);
  return uow.read(async (tx) => {
    const { rows, total } = await ledger.history(tx, account, { ...filter, offset: (page - 1) * perPage, limit: perPage });
    return {
      rows: toRows(asked, rows, { names: await namesIn(tx, asked, rows), servers: await serversThere(tx, asked, rows) }),
      paging: { page, per_page: perPage, total },
      kinds: await ledger.kinds(tx, account),
      balance: await ledger.balance(tx, account),
      held: await ledger.held(tx, asked.userId),
      debt: await ledger.balance(tx, `debt:${asked.userId}`),
    };
  });
}

/** The whole statement that fits the filter, as a file (attacks T29). */
export async function statementCsv(deps: StatementDeps, asked: Asked, query: StatementFilter) {
  const { uow, ledger, clock, settings } = deps;
  const filter = filterOf(deps, query);
  // One view of the data for all steps, so that a line booked meanwhile neither doubles nor hides another.
  const rows = await uow.read(async (tx) => {
    const all: LedgerEntry[] = [];
    while (all.length < CSV_LINES) {
      const { rows: more } = await ledger.history(tx, `user:${asked.userId}`, { ...filter, offset: all.length, limit: CSV_STEP });
      all.push(...more);
      if (more.length < CSV_STEP) break;
    }
    return toRows(asked, all, { names: await namesIn(tx, asked, all), servers: NOBODY });
  });
  const more: readonly (keyof StatementRow)[] = asked.staff ? ['actor', 'reference'] : [];
  const cell = (row: StatementRow, field: keyof StatementRow) => {
    const value = row[field];
    return typeof value === 'object' ? null : value;
  };
  const body = toCsv([
    ['date', 'kind', 'subject', 'amount', 'balance_after', 'counterpart', 'id', 'reason', ...more],
    ...rows.map((row) => [row.at, row.kind, row.subject, row.amount, row.balance_after, row.counterpart, row.id, row.reason, ...more.map((field) => cell(row, field))]),
  ]);
  return { filename: `statement-${dayIn(clock.now(), settings.current().app_timezone)}.csv`, body };
}

function filterOf({ settings }: StatementDeps, { kind, direction, from, to }: StatementFilter) {
  return { kind, direction, ...daySpan({ from, to }, settings.current().app_timezone) };
}

interface Known {
  readonly names: ReadonlyMap<string, string>;
  /** Servers that still have a page. */
  readonly servers: ReadonlySet<string>;
}
const NOBODY: ReadonlySet<string> = new Set();
const personOf = (account: string): string => account.replace(/^user:/, '');

/** Kinds whose subject may be a redeem code. */
const WITH_CODE: ReadonlySet<string> = new Set(['reward.redeem', 'reward.held', 'reward.released', 'reward.rejected']);
const coversCode = ({ kind, undoes, subject }: LedgerEntry): boolean => subject !== null && (WITH_CODE.has(kind) || WITH_CODE.has(undoes?.kind ?? ''));

function toRows({ staff, hidesCodes = false }: Asked, entries: readonly LedgerEntry[], { names, servers }: Known): StatementRow[] {
  return entries.map((entry) => {
    const id = idInReference(entry.kind, entry.reference);
    return {
      id: entry.id, at: iso(entry.createdMs), kind: entry.kind, subject: hidesCodes && coversCode(entry) ? maskedCode(entry.subject ?? '') : entry.subject, amount: entry.amount, balance_after: entry.balanceAfter,
      counterpart: names.get(personOf(entry.counterpart)) ?? entry.counterpart,
      reason: entry.reason,
      undoes: entry.undoes && { kind: entry.undoes.kind, at: iso(entry.undoes.createdMs) },
      ref: id !== null && servers.has(id) ? id : null,
      actor: staff && entry.actor !== null ? (names.get(entry.actor) ?? null) : null,
      reference: staff ? entry.reference : null,
    };
  });
}

/** Names of the people in the lines; only staff are told them. */
async function namesIn(tx: Tx, { staff }: Asked, entries: readonly LedgerEntry[]): Promise<ReadonlyMap<string, string>> {
  if (!staff) return new Map();
  return tx.people.names(entries.flatMap(({ actor, counterpart }) => [...(actor === null ? [] : [actor]), ...(counterpart.startsWith('user:') ? [personOf(counterpart)] : [])]));
}

async function serversThere(tx: Tx, { staff }: Asked, entries: readonly LedgerEntry[]): Promise<ReadonlySet<string>> {
  const about = entries.flatMap(({ kind, reference }) => (placeOfKind(kind)?.to === 'server.view' ? [idInReference(kind, reference) ?? ''] : []));
  // A server's page is its owner's alone.
  if (staff || about.length === 0) return NOBODY;
  const found = await tx.servers.byIds([...new Set(about)]);
  return new Set(found.filter(({ state }) => state !== 'deleted').map(({ id }) => id));
}
