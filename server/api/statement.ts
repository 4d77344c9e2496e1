import type { Account, HistoryQuery, Ledger, LedgerEntry, LedgerCursor } from '#server/modules/ledger/index.ts';
import type { Clock } from '#server/modules/kernel.ts';
import type { Settings } from '#server/modules/settings/index.ts';
import type { LongReads, Tx, UnitOfWork } from '#server/modules/tx.ts';
import type { StatementRow } from '#shared/contract/account.ts';
import { can } from '#shared/can.ts';
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
  readonly ledger: Pick<Ledger, 'history' | 'balance' | 'accrued' | 'held'>;
}
interface StatementFilter {
  readonly kind?: string | undefined;
  readonly direction?: 'in' | 'out' | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}
/** Selects a page: lines before or after a cursor; neither: the newest. */
interface PageQuery {
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly per_page?: number | undefined;
}
/** Whose statement it is, and who reads it: staff also see references, and the names of who acted. */
interface Reader {
  readonly userId: string;
  readonly staff: boolean;
  /** Days of the filter are those of this time zone, an IANA name; null or absent: of the installation's. */
  readonly timeZone?: string | null | undefined;
  /** The reader may not list redeem codes: those in the statement are masked (attacks T59). */
  readonly hidesCodes?: boolean;
  /** Aborts when the reader disconnects. */
  readonly signal: AbortSignal;
}

/** Lines of a download that are read at once: a few ms, after which other requests are served. */
const CSV_BATCH = 500;

/** Reads one page of a user's statement, with the balances of now. Throws VALIDATION_FAILED for impossible days. */
export async function statement(deps: StatementDeps, reader: Reader, query: StatementFilter & PageQuery) {
  const { uow, long, ledger } = deps;
  const account = `user:${reader.userId}` as const;
  const { perPage } = pageOf({ per_page: query.per_page });
  const filter = { ...filterOf(deps, reader, query), limit: perPage };
  const page = async (tx: Tx) => {
    const { rows, newer, older } = await readPage(deps, tx, account, filter, query);
    return {
      rows: toRows(reader, rows, {
        names: await loadNames(tx, reader, rows),
        servers: await listExistingServers(tx, reader, rows),
      }),
      paging: { per_page: perPage, newer, older },
      balance: await ledger.balance(tx, account),
      accrued: await ledger.accrued(tx, reader.userId),
      held: await ledger.held(tx, reader.userId),
      debt: await ledger.balance(tx, `debt:${reader.userId}`),
    };
  };
  // A filter by kind reads past the lines of other kinds, which may be very many.
  return query.kind === undefined ? uow.read(page) : long.read(page, { for: 'visitor', signal: reader.signal });
}

/**
 * Reads the selected page, with the cursors of the pages beside it. Where no newer (or older) lines are left it is the
 * first page.
 */
async function readPage(
  { ledger }: StatementDeps,
  tx: Tx,
  account: Account,
  filter: HistoryQuery,
  { before, after }: PageQuery,
) {
  const first = (rows: readonly LedgerEntry[]) => formatCursor(rows[0]);
  const last = (rows: readonly LedgerEntry[]) => formatCursor(rows.at(-1));
  if (after !== undefined) {
    const { rows, more } = await ledger.history(tx, account, { ...filter, after: parseCursor(after) });
    if (more) return { rows, newer: first(rows), older: last(rows) };
  } else if (before !== undefined) {
    const { rows, more } = await ledger.history(tx, account, { ...filter, before: parseCursor(before) });
    if (rows.length > 0) return { rows, newer: first(rows), older: more ? last(rows) : null };
  }
  const { rows, more } = await ledger.history(tx, account, filter);
  return { rows, newer: null, older: more ? last(rows) : null };
}

/**
 * All lines of a statement that a filter leaves, as a CSV file (attacks T29), the newest first. They are read while the
 * file is sent, no faster than the reader takes them.
 */
export async function statementCsv(
  deps: StatementDeps,
  reader: Reader,
  query: StatementFilter,
): Promise<{ filename: string; body: AsyncIterable<string> }> {
  const filter = filterOf(deps, reader, query);
  // The first lines are read before the response begins, so that a failure is an error and not a truncated file.
  const firstPart = await readCsvPart(deps, reader, { ...filter, limit: CSV_BATCH });
  return {
    filename: `statement-${dayIn(deps.clock.now(), zoneOf(deps, reader))}.csv`,
    body: streamCsv(deps, reader, filter, firstPart),
  };
}

interface CsvPart {
  readonly text: string;
  /** Where the next part begins; null after the last one. */
  readonly next: LedgerCursor | null;
}

async function* streamCsv(
  deps: StatementDeps,
  reader: Reader,
  filter: ReturnType<typeof filterOf>,
  firstPart: CsvPart,
): AsyncGenerator<string> {
  const more: readonly (keyof StatementRow)[] = reader.staff ? ['actor', 'reference'] : [];
  yield toCsv([['date', 'kind', 'subject', 'amount', 'balance_after', 'counterpart', 'id', 'reason', ...more]]);
  let part = firstPart;
  for (;;) {
    yield part.text;
    if (part.next === null) return;
    part = await readCsvPart(deps, reader, { ...filter, before: part.next, limit: CSV_BATCH });
  }
}

/**
 * Reads the next lines of the file, in a transaction of their own: lines are only ever added, and newer than all
 * others, so that none is doubled or left out.
 */
function readCsvPart({ long, ledger }: StatementDeps, reader: Reader, query: HistoryQuery): Promise<CsvPart> {
  return long.read(
    async (tx) => {
      const { rows: entries, more } = await ledger.history(tx, `user:${reader.userId}`, query);
      const rows = toRows(reader, entries, { names: await loadNames(tx, reader, entries), servers: NO_SERVERS });
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
          ...(reader.staff ? [row.actor, row.reference] : []),
        ]),
      );
      return { text, next: more ? (entries.at(-1)?.cursor ?? null) : null };
    },
    { for: 'visitor', signal: reader.signal },
  );
}

function parseCursor(text: string): LedgerCursor | undefined {
  const [, createdMs, txId, seq] = STATEMENT_CURSOR.exec(text) ?? [];
  return txId === undefined ? undefined : { createdMs: Number(createdMs), txId, seq: Number(seq) };
}
function formatCursor(entry: LedgerEntry | undefined): string | null {
  return entry ? `${entry.cursor.createdMs}.${entry.cursor.txId}.${entry.cursor.seq}` : null;
}

/** The time zone the reader sees times in. */
const zoneOf = ({ settings }: StatementDeps, reader: Reader): string =>
  reader.timeZone ?? settings.current().app_timezone;

function filterOf(deps: StatementDeps, reader: Reader, { kind, direction, from, to }: StatementFilter) {
  return { kind, direction, ...daySpan({ from, to }, zoneOf(deps, reader)) };
}

/** What the lines of a page refer to. */
interface References {
  /** User names by id. */
  readonly names: ReadonlyMap<string, string>;
  /** Servers that still have a page. */
  readonly servers: ReadonlySet<string>;
}
const NO_SERVERS: ReadonlySet<string> = new Set();
const toUserId = (account: string): string => account.replace(/^user:/, '');

/** Kinds whose subject may be a redeem code. */
const WITH_CODE: ReadonlySet<string> = new Set(['reward.redeem', 'reward.held', 'reward.released', 'reward.rejected']);
const holdsCode = ({ kind, undoes, subject }: LedgerEntry): boolean =>
  subject !== null && (WITH_CODE.has(kind) || WITH_CODE.has(undoes?.kind ?? ''));

/** What a movement was about, for somebody with these permissions: codes are masked (attacks T59). */
export const readableSubject = (entry: LedgerEntry, permissions: readonly string[]): string | null =>
  holdsCode(entry) && !can(permissions, 'admin.redeem.codes.list') ? maskCode(entry.subject ?? '') : entry.subject;

function toRows(
  { staff, hidesCodes = false }: Reader,
  entries: readonly LedgerEntry[],
  { names, servers }: References,
): StatementRow[] {
  return entries.map((entry) => {
    const id = idInReference(entry.kind, entry.reference);
    return {
      id: entry.id,
      at: iso(entry.createdMs),
      kind: entry.kind,
      subject: hidesCodes && holdsCode(entry) ? maskCode(entry.subject ?? '') : entry.subject,
      amount: entry.amount,
      balance_after: entry.balanceAfter,
      counterpart: names.get(toUserId(entry.counterpart)) ?? entry.counterpart,
      reason: entry.reason,
      undoes: entry.undoes && { kind: entry.undoes.kind, at: iso(entry.undoes.createdMs) },
      ref: id !== null && servers.has(id) ? id : null,
      actor: staff && entry.actor !== null ? (names.get(entry.actor) ?? null) : null,
      reference: staff ? entry.reference : null,
    };
  });
}

/** The names of the users in the lines, by id; only for staff. */
async function loadNames(
  tx: Tx,
  { staff }: Reader,
  entries: readonly LedgerEntry[],
): Promise<ReadonlyMap<string, string>> {
  if (!staff) return new Map();
  return tx.people.names(
    entries.flatMap(({ actor, counterpart }) => [
      ...(actor === null ? [] : [actor]),
      ...(counterpart.startsWith('user:') ? [toUserId(counterpart)] : []),
    ]),
  );
}

/** Those of the servers in the lines that still have a page; none for staff. */
async function listExistingServers(
  tx: Tx,
  { staff }: Reader,
  entries: readonly LedgerEntry[],
): Promise<ReadonlySet<string>> {
  const about = entries.flatMap(({ kind, reference }) =>
    pageOfKind(kind)?.to === 'server.view' ? [idInReference(kind, reference) ?? ''] : [],
  );
  // Only the owner of a server can open its page.
  if (staff || about.length === 0) return NO_SERVERS;
  const existing = await tx.servers.listByIds([...new Set(about)]);
  return new Set(existing.filter(({ state }) => state !== 'deleted').map(({ id }) => id));
}
