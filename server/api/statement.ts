import type { Account, HistoryQuery, Ledger, LedgerEntry, Place } from '#server/modules/ledger/index.ts';
import type { Clock } from '#server/modules/kernel.ts';
import type { Settings } from '#server/modules/settings/index.ts';
import type { LongReads, Tx, UnitOfWork } from '#server/modules/tx.ts';
import type { StatementRow } from '#shared/contract/account.ts';
import { maskCode } from '#shared/redeem-code.ts';
import { pageOf } from '#shared/schemas/primitives.ts';
import { idInReference, pageOfKind, STATEMENT_CURSOR } from '#shared/statement.ts';
import { dayIn, iso } from '#shared/time.ts';
import { toCsv } from './csv.ts';
import { daySpan } from './day-bounds.ts';

export interface StatementDeps {
  readonly uow: UnitOfWork;
  readonly long: LongReads;
  readonly clock: Clock;
  readonly settings: Pick<Settings, 'current'>;
  readonly ledger: Pick<Ledger, 'history' | 'balance' | 'held'>;
}
interface StatementFilter {
  readonly kind?: string | undefined;
  readonly direction?: 'in' | 'out' | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}
/** Which page: lines older than a place, newer than one, or the newest. */
interface Turned {
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly per_page?: number | undefined;
}
/**
 * Whose statement, and for whom: staff also see who acted, by name, and the references. `signal` aborts when they
 * leave.
 */
interface Asked {
  readonly userId: string;
  readonly staff: boolean;
  /** The reader may not list redeem codes: those in the statement stay covered (attacks T59). */
  readonly hidesCodes?: boolean;
  readonly signal: AbortSignal;
}

/** Lines of a download that are read at a time: some ms of work between two looks at everybody else. */
const CSV_STEP = 500;

/** One page of a user's statement, with the balances of now. Throws VALIDATION_FAILED for days that are none. */
export async function statement(deps: StatementDeps, asked: Asked, query: StatementFilter & Turned) {
  const { uow, long, ledger } = deps;
  const account = `user:${asked.userId}` as const;
  const { perPage } = pageOf({ per_page: query.per_page });
  const filter = { ...filterOf(deps, query), limit: perPage };
  const page = async (tx: Tx) => {
    const { rows, newer, older } = await turnedTo(deps, tx, account, filter, query);
    return {
      rows: toRows(asked, rows, {
        names: await namesIn(tx, asked, rows),
        servers: await serversThere(tx, asked, rows),
      }),
      paging: { per_page: perPage, newer, older },
      balance: await ledger.balance(tx, account),
      held: await ledger.held(tx, asked.userId),
      debt: await ledger.balance(tx, `debt:${asked.userId}`),
    };
  };
  // Lines of other kinds are passed over, and in a long wallet there may be very many.
  return query.kind === undefined ? uow.read(page) : long.read(page, { for: 'visitor', signal: asked.signal });
}

/**
 * The page that was asked for, with the places of its neighbours. Where no newer lines are left, or none that are
 * older, it is the first page, full.
 */
async function turnedTo(
  { ledger }: StatementDeps,
  tx: Tx,
  account: Account,
  filter: HistoryQuery,
  { before, after }: Turned,
) {
  const [first, last] = [
    (rows: readonly LedgerEntry[]) => placeText(rows[0]),
    (rows: readonly LedgerEntry[]) => placeText(rows.at(-1)),
  ];
  if (after !== undefined) {
    const { rows, more } = await ledger.history(tx, account, { ...filter, after: placeOf(after) });
    if (more) return { rows, newer: first(rows), older: last(rows) };
  } else if (before !== undefined) {
    const { rows, more } = await ledger.history(tx, account, { ...filter, before: placeOf(before) });
    if (rows.length > 0) return { rows, newer: first(rows), older: more ? last(rows) : null };
  }
  const { rows, more } = await ledger.history(tx, account, filter);
  return { rows, newer: null, older: more ? last(rows) : null };
}

/**
 * The whole statement that fits the filter, as a file (attacks T29), newest line first. It is read while it is sent,
 * and no further than it is taken.
 */
export async function statementCsv(
  deps: StatementDeps,
  asked: Asked,
  query: StatementFilter,
): Promise<{ filename: string; body: AsyncIterable<string> }> {
  const { clock, settings } = deps;
  const filter = filterOf(deps, query);
  // The first lines are read before anything is answered: what goes wrong then is told as an error, not by a file that
  // breaks off.
  const begun = await csvLines(deps, asked, { ...filter, limit: CSV_STEP });
  return {
    filename: `statement-${dayIn(clock.now(), settings.current().app_timezone)}.csv`,
    body: csvOf(deps, asked, filter, begun),
  };
}

interface CsvPart {
  readonly text: string;
  /** Where the next part begins; null after the last one. */
  readonly next: Place | null;
}

async function* csvOf(
  deps: StatementDeps,
  asked: Asked,
  filter: ReturnType<typeof filterOf>,
  begun: CsvPart,
): AsyncGenerator<string> {
  const more: readonly (keyof StatementRow)[] = asked.staff ? ['actor', 'reference'] : [];
  yield toCsv([['date', 'kind', 'subject', 'amount', 'balance_after', 'counterpart', 'id', 'reason', ...more]]);
  let part = begun;
  for (;;) {
    yield part.text;
    if (part.next === null) return;
    part = await csvLines(deps, asked, { ...filter, before: part.next, limit: CSV_STEP });
  }
}

/**
 * Some lines of the file, on a view of their own. Lines are only ever added, and newer than all others: none is doubled
 * or left out by it.
 */
function csvLines({ long, ledger }: StatementDeps, asked: Asked, query: HistoryQuery): Promise<CsvPart> {
  return long.read(
    async (tx) => {
      const { rows: entries, more } = await ledger.history(tx, `user:${asked.userId}`, query);
      const rows = toRows(asked, entries, { names: await namesIn(tx, asked, entries), servers: NOBODY });
      const text = toCsv(
        rows.map((row) => [
          row.at,
          row.kind,
          row.subject,
          row.amount,
          row.balance_after,
          row.counterpart,
          row.id,
          row.reason,
          ...(asked.staff ? [row.actor, row.reference] : []),
        ]),
      );
      return { text, next: more ? (entries.at(-1)?.place ?? null) : null };
    },
    { for: 'visitor', signal: asked.signal },
  );
}

function placeOf(text: string): Place | undefined {
  const [, createdMs, txId, seq] = STATEMENT_CURSOR.exec(text) ?? [];
  return txId === undefined ? undefined : { createdMs: Number(createdMs), txId, seq: Number(seq) };
}
function placeText(entry: LedgerEntry | undefined): string | null {
  return entry ? `${entry.place.createdMs}.${entry.place.txId}.${entry.place.seq}` : null;
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
const coversCode = ({ kind, undoes, subject }: LedgerEntry): boolean =>
  subject !== null && (WITH_CODE.has(kind) || WITH_CODE.has(undoes?.kind ?? ''));

function toRows(
  { staff, hidesCodes = false }: Asked,
  entries: readonly LedgerEntry[],
  { names, servers }: Known,
): StatementRow[] {
  return entries.map((entry) => {
    const id = idInReference(entry.kind, entry.reference);
    return {
      id: entry.id,
      at: iso(entry.createdMs),
      kind: entry.kind,
      subject: hidesCodes && coversCode(entry) ? maskCode(entry.subject ?? '') : entry.subject,
      amount: entry.amount,
      balance_after: entry.balanceAfter,
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
async function namesIn(
  tx: Tx,
  { staff }: Asked,
  entries: readonly LedgerEntry[],
): Promise<ReadonlyMap<string, string>> {
  if (!staff) return new Map();
  return tx.people.names(
    entries.flatMap(({ actor, counterpart }) => [
      ...(actor === null ? [] : [actor]),
      ...(counterpart.startsWith('user:') ? [personOf(counterpart)] : []),
    ]),
  );
}

async function serversThere(tx: Tx, { staff }: Asked, entries: readonly LedgerEntry[]): Promise<ReadonlySet<string>> {
  const about = entries.flatMap(({ kind, reference }) =>
    pageOfKind(kind)?.to === 'server.view' ? [idInReference(kind, reference) ?? ''] : [],
  );
  // A server's page is its owner's alone.
  if (staff || about.length === 0) return NOBODY;
  const found = await tx.servers.listByIds([...new Set(about)]);
  return new Set(found.filter(({ state }) => state !== 'deleted').map(({ id }) => id));
}
