import { endpointUrl } from '#shared/contract/client.ts';
import { CONTRACT } from '#shared/contract/index.ts';
import { DomainError } from '#shared/errors.ts';
import { IMAGE_TYPES } from '#shared/images.ts';
import { DAY, HOUR, iso, MINUTE } from '#shared/time.ts';
import { writeAudit } from '../audit/index.ts';
import type { Events } from '../events/index.ts';
import { enqueue } from '../jobs/index.ts';
import { archivedName } from '../images/index.ts';
import type { Clock, Ids, SignedIn } from '../kernel.ts';
import type { Ledger, LedgerCursor } from '../ledger/index.ts';
import type { LongReads, UnitOfWork } from '../tx.ts';
import type { DataExport, ExportedRow } from './ports.ts';

/** Kind of the job that makes one export. */
export const EXPORT_JOB = 'accounts.export';
/** How long an export is kept, in ms (behaviour 3.8). */
const KEPT = DAY;
/** Lines of the statement that are read at a time. */
const STEP = 500;

type Cell = string | number | null;
export interface ExportsDeps {
  readonly uow: UnitOfWork;
  readonly long: LongReads;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly events: Pick<Events, 'emit'>;
  readonly ledger: Pick<Ledger, 'history'>;
  /** Address of the installation, without a slash at its end. */
  readonly appUrl: () => string;
  /** Rows as CSV, the names of the columns first. */
  readonly toCsv: (rows: readonly (readonly Cell[])[]) => string;
  readonly zip: (files: readonly { name: string; text: string }[], atMs: number) => Promise<Uint8Array>;
}
export type Exports = ReturnType<typeof createExports>;

/**
 * The export of one's data (behaviour 3.8; attacks T56): one archive of JSON and CSV, made by a job, kept for a day.
 * One at a time: asking again while it is made or there answers with the same.
 */
export function createExports(deps: ExportsDeps) {
  const { uow, clock } = deps;
  const isOpen = (found: DataExport | null, now: number): found is DataExport =>
    found !== null &&
    (found.state === 'working' || (found.state === 'ready' && found.expiresMs !== null && found.expiresMs > now));

  /** The caller's export; null where there is none, or it has expired. */
  function get(ctx: SignedIn): Promise<DataExport | null> {
    return uow.read(async (tx) => {
      const found = await tx.exports.find(ctx.actor.userId);
      return found?.state === 'failed' || isOpen(found, clock.now()) ? found : null;
    });
  }

  /** Has an export made, unless there is one. Throws UNAUTHENTICATED. */
  function request(ctx: SignedIn): Promise<void> {
    const { userId } = ctx.actor;
    return uow.run(async (tx) => {
      const user = await tx.identity.lockUser(userId);
      if (user?.status !== 'active') throw new DomainError('UNAUTHENTICATED');
      const now = clock.now();
      if (isOpen(await tx.exports.find(userId), now)) return;
      const id = deps.ids.uuid();
      await tx.exports.begin(userId, id, now);
      await enqueue(tx, deps.ids, clock, { kind: EXPORT_JOB, payload: { userId, id }, uniqueKey: `export:${id}` });
      await writeAudit(tx, deps, ctx, { action: 'account.export', target: userId });
    });
  }

  /** The caller's archive. Throws NOT_FOUND where none is ready. */
  async function download(ctx: SignedIn): Promise<{ id: string; bytes: Uint8Array<ArrayBuffer> }> {
    const found = await uow.read((tx) => tx.exports.archive(ctx.actor.userId, clock.now()));
    if (!found) throw new DomainError('NOT_FOUND');
    return { id: found.id, bytes: new Uint8Array(Buffer.from(found.base64, 'base64')) };
  }

  /** The job: reads everything, packs it and says so. What was replaced or erased meanwhile is not stored. */
  async function make(userId: string, id: string): Promise<void> {
    const found = await uow.read((tx) => tx.exports.find(userId));
    if (found?.id !== id || found.state !== 'working') return;
    const sections = await deps.long.read((tx) => tx.exports.sections(userId), { for: 'job' });
    const whole = { ...sections, images: withFiles(deps, sections.images ?? []) };
    const files = Object.entries(whole).flatMap(([name, rows]) => filesOf(name, rows.map(toWire)));
    files.push(...filesOf('statement', await readStatement(userId)));
    const archive = await deps.zip(files, clock.now());
    const base64 = Buffer.from(archive).toString('base64');
    await uow.run(async (tx) => {
      const user = await tx.identity.lockUser(userId);
      if (!user || user.status === 'deleted') return;
      const stored = await tx.exports.finish(userId, id, { base64, size: archive.length }, clock.now() + KEPT);
      if (stored) await deps.events.emit(tx, 'user.export_ready', { userId, exportId: id });
    });
  }

  /** Every line of the statement, oldest last; each part is a view of its own. */
  async function readStatement(userId: string): Promise<ExportedRow[]> {
    const lines: ExportedRow[] = [];
    for (let before: LedgerCursor | undefined; ;) {
      const from = before;
      const { rows, more } = await deps.long.read(
        (tx) => deps.ledger.history(tx, `user:${userId}`, { limit: STEP, ...(from ? { before: from } : {}) }),
        { for: 'job' },
      );
      for (const { id, createdMs, kind, subject, reason, amount, balanceAfter } of rows)
        lines.push({ id, at: iso(createdMs), kind, subject, reason, amount, balance_after: balanceAfter });
      before = rows.at(-1)?.cursor;
      if (!more || !before) return lines;
    }
  }

  /** A section as JSON and as CSV. */
  function filesOf(name: string, rows: readonly ExportedRow[]): { name: string; text: string }[] {
    const columns = Object.keys(rows[0] ?? {});
    return [
      { name: `json/${name}.json`, text: `${JSON.stringify(rows, null, 1)}\n` },
      {
        name: `csv/${name}.csv`,
        text: deps.toCsv([columns, ...rows.map((row) => columns.map((column) => row[column] ?? null))]),
      },
    ];
  }

  const job = {
    leaseMs: 10 * MINUTE,
    async handle(payload: unknown): Promise<void> {
      const ref = refOf(payload);
      if (ref) await make(ref.userId, ref.id);
    },
    /** The runner gives up: the user may ask again. */
    async dead(payload: unknown): Promise<void> {
      const ref = refOf(payload);
      if (ref) await uow.run((tx) => tx.exports.fail(ref.userId, ref.id, clock.now()));
    },
  };

  /** Deletes expired archives. For the scheduler. */
  const purge = () => uow.run((tx) => tx.exports.purge(clock.now()));

  return { get, request, download, purge, purgeEveryMs: HOUR, jobs: { [EXPORT_JOB]: job } };
}

/** Images with where their files are: in an archive of their own, because they may be hundreds of MB. */
function withFiles({ appUrl }: ExportsDeps, images: readonly ExportedRow[]): ExportedRow[] {
  const archive = appUrl() + endpointUrl(CONTRACT.images.archive);
  return images.map((image, at) => {
    const type = IMAGE_TYPES.find((each) => each === image.type) ?? 'image/png';
    return { ...image, archive, file: archivedName(String(image.name), type, at) };
  });
}

function refOf(payload: unknown): { userId: string; id: string } | null {
  const { userId, id } = payload as { userId?: unknown; id?: unknown };
  return typeof userId === 'string' && typeof id === 'string' ? { userId, id } : null;
}

/** A row as it leaves the product: times as ISO 8601. */
function toWire(row: ExportedRow): ExportedRow {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) =>
      name.endsWith('_ms')
        ? [name.replace(/_ms$/, '_at'), typeof value === 'number' ? iso(value) : null]
        : [name, value],
    ),
  );
}
