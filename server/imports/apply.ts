import { DomainError } from '#shared/errors.ts';
import type { ImportReason } from '#shared/imports.ts';
import type { Locale } from '#shared/i18n/locales.ts';
import { creditPackages } from '#shared/resources/credit-packages.ts';
import { redeemCodes } from '#shared/resources/redeem-codes.ts';
import { iso } from '#shared/time.ts';
import { TICKET_SUBJECT_MAX, TICKET_TEXT_MAX } from '#shared/tickets.ts';
import {
  addCode,
  addPackage,
  addPayment,
  addTicket,
  addUser,
  departmentOf,
  type ImportOrigin,
  type ImportsDeps,
} from '../modules/imports/index.ts';
import type { Passwords } from '../modules/identity/ports.ts';
import type { Tx } from '../modules/tx.ts';
import { ImportFault } from './fault.ts';
import {
  FRACTIONS,
  type CodeRecord,
  type PackageRecord,
  type PaymentRecord,
  type RecordKind,
  type TicketRecord,
} from './model.ts';
import { RECORD_BATCH, type RecordStore, type StoredRecord } from './records.ts';
import { openSealed } from './sealed.ts';
import type { PlannedUser } from './plan.ts';

export interface ApplyDeps extends ImportsDeps {
  readonly store: RecordStore;
  readonly origin: ImportOrigin;
  readonly runId: string;
  /** Language of who has none in the source. */
  readonly locale: Locale;
  readonly factor: bigint;
  readonly key: Uint8Array | null;
  readonly passwords: Pick<Passwords, 'hash'>;
  /** Where tickets go whose department has no name. */
  readonly departmentName: string;
  /** Roles of ours by the names of the source's; who has another one gets the default role. */
  readonly roles: ReadonlyMap<string, string>;
  readonly defaultRoleId: string;
  /** Hears how many of a step are done. */
  readonly onStep: (step: RecordKind | 'ban' | 'hash' | 'bind', done: number) => void;
  /** Whether to stop between two batches. */
  readonly isStopped: () => boolean;
}

/** The run was stopped between two batches; it can be gone on with. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

/**
 * Brings the records of a kind along, some at a time in one transaction. Where one of them is refused, each of its
 * batch has one of its own; what is refused is noted and left.
 */
async function applyKind<T>(
  deps: ApplyDeps,
  kind: RecordKind,
  work: (tx: Tx, record: StoredRecord<T>, ids: OursOf) => Promise<ImportReason | null>,
): Promise<void> {
  const { store, uow } = deps;
  let done = 0;
  for (let after = 0; ;) {
    if (deps.isStopped()) throw new Stopped('the import was stopped');
    const batch = store.list<T>(kind, 'ready', after);
    const run = (records: readonly StoredRecord<T>[]) =>
      uow.run(async (tx) => {
        // What a run before, or this one before it was killed, has brought is not brought again.
        const before = await tx.imports.listRows(
          deps.origin,
          kind,
          records.map(({ id }) => id),
        );
        const ids = await oursOf(
          tx,
          deps.origin,
          records.map(({ data }) => data),
        );
        const ends: End[] = [];
        for (const record of records) {
          const row = before.get(record.id);
          const end = { seq: record.seq, id: record.id };
          if (row) ends.push({ ...end, reason: null, byOther: row.runId !== deps.runId });
          else ends.push({ ...end, reason: await work(tx, record, ids), byOther: false });
        }
        return ends;
      });
    for (const { seq, id, reason, byOther } of await inOneOrEach(batch, run)) {
      if (reason !== null) store.note(kind, id, id, reason);
      store.setState(seq, byOther ? 'already' : reason === null || REMARKS.has(reason) ? 'done' : 'left');
    }
    store.staging.commit();
    done += batch.length;
    deps.onStep(kind, done);
    after = batch.at(-1)?.seq ?? after;
    if (batch.length < RECORD_BATCH) return;
  }
}
/** Reasons that are said of what has come all the same. */
const REMARKS: ReadonlySet<ImportReason> = new Set(['discord_taken']);

/** What became of a record. `byOther`: another run has brought it. */
interface End {
  readonly seq: number;
  readonly id: string;
  readonly reason: ImportReason | null;
  readonly byOther: boolean;
}

async function inOneOrEach<T>(
  batch: readonly StoredRecord<T>[],
  run: (records: readonly StoredRecord<T>[]) => Promise<readonly End[]>,
): Promise<readonly End[]> {
  if (batch.length === 0) return [];
  try {
    return await run(batch);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
  }
  const ends: End[] = [];
  for (const record of batch) {
    try {
      ends.push(...(await run([record])));
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      ends.push({ seq: record.seq, id: record.id, reason: reasonOf(error), byOther: false });
    }
  }
  return ends;
}

function reasonOf({ code, fields }: DomainError): ImportReason {
  if (fields?.email) return 'email_taken';
  if (fields?.username) return 'name_taken';
  if (fields?.code) return 'code_taken';
  if (fields?.name) return 'package_invalid';
  return code === 'WALLET_FULL' ? 'credits_too_large' : 'row_invalid';
}

/** Ids of ours of users, by their ids in the source. */
type OursOf = ReadonlyMap<string, string>;

/** Users that records name. */
async function oursOf(tx: Tx, origin: ImportOrigin, records: readonly unknown[]): Promise<OursOf> {
  const named = new Set<string>();
  for (const record of records) {
    if (typeof record !== 'object' || record === null) continue;
    if ('user' in record && typeof record.user === 'string') named.add(record.user);
    if ('users' in record && Array.isArray(record.users)) for (const id of record.users as string[]) named.add(id);
    if ('lines' in record && Array.isArray(record.lines))
      for (const { author } of record.lines as TicketRecord['lines']) if (author !== null) named.add(author);
  }
  const ours = new Map<string, string>();
  const all = [...named];
  for (let from = 0; from < all.length; from += RECORD_BATCH)
    for (const [id, row] of await tx.imports.listRows(origin, 'user', all.slice(from, from + RECORD_BATCH)))
      ours.set(id, row.targetId);
  // Who came before and has deleted their account since gets nothing more.
  const here = await tx.imports.listHere([...ours.values()]);
  for (const [id, userId] of ours) if (!here.has(userId)) ours.delete(id);
  return ours;
}

const whole = (fractions: string, factor: bigint): number => Number((BigInt(fractions) * factor) / FRACTIONS);

/** Accounts, limits, links and opening postings. */
export async function applyUsers(deps: ApplyDeps): Promise<void> {
  const place = { runId: deps.runId, origin: deps.origin };
  await applyKind<PlannedUser>(deps, 'user', async (tx, { id, data }) => {
    const { discordTaken } = await addUser(deps, tx, place, {
      ...data,
      sourceId: id,
      roleId: deps.roles.get(data.roleName) ?? deps.defaultRoleId,
      locale: data.locale ?? deps.locale,
      createdMs: data.createdMs ?? deps.clock.now(),
    });
    return discordTaken ? 'discord_taken' : null;
  });
}

/** Passwords that the source sealed instead of hashing them are hashed, outside of any transaction; one after the other. */
export async function hashSealed(deps: ApplyDeps): Promise<void> {
  const { store } = deps;
  let done = 0;
  for (let after = 0; ;) {
    const batch = store.list<PlannedUser>('user', 'ready', after);
    for (const { seq, data } of batch) {
      if (data.sealedPassword === null || data.hash !== '') continue;
      if (deps.isStopped()) throw new Stopped('the import was stopped');
      const clear = openSealed(deps.key, data.sealedPassword);
      // It could be opened when it was planned: without its password nobody comes.
      if (clear === null)
        throw new ImportFault('key', 'The key of the old dashboard is missing, or another one than in the dry run.');
      const hashed = { ...data, hash: await deps.passwords.hash(clear), sealedPassword: null };
      store.staging.run('UPDATE records SET data = ? WHERE seq = ?', JSON.stringify(hashed), seq);
      done += 1;
      deps.onStep('hash', done);
    }
    after = batch.at(-1)?.seq ?? after;
    if (batch.length < RECORD_BATCH) return;
  }
}

/** Redeem codes with what is left of their uses. */
export const applyCodes = (deps: ApplyDeps): Promise<void> =>
  applyKind<CodeRecord>(deps, 'code', async (tx, { id, data }, ours) => {
    const { usesTotal, usesCount, endsMs } = data;
    if (usesCount >= usesTotal || (endsMs !== null && endsMs <= deps.clock.now())) return 'code_over';
    const credits = whole(data.credits, deps.factor);
    const ends_at = endsMs === null ? null : iso(endsMs);
    const facts = {
      code: data.code,
      note: '',
      credits,
      uses_total: usesTotal,
      min_age_days: 0,
      starts_at: null,
      ends_at,
      enabled: true,
    };
    const checked = redeemCodes.create.safeParse(facts);
    if (!checked.success) return 'code_invalid';
    const users = data.users.flatMap((user) => ours.get(user) ?? []);
    await addCode(deps, tx, deps, { sourceId: id, code: data.code, credits, usesTotal, usesCount, endsMs, users });
    return null;
  });

/** Packages of credits, none of them on sale yet. */
export const applyPackages = (deps: ApplyDeps): Promise<void> =>
  applyKind<PackageRecord>(deps, 'package', async (tx, { id, data }) => {
    const credits = whole(data.credits, deps.factor);
    const facts = { name: data.name.slice(0, 80), price_minor: data.priceMinor, currency: data.currency, credits };
    if (!creditPackages.create.safeParse({ ...facts, bonus: 0, position: 0, visible: false }).success)
      return 'package_invalid';
    await addPackage(deps, tx, deps, { ...facts, priceMinor: facts.price_minor, sourceId: id });
    return null;
  });

/** Payments, as history. */
export const applyPayments = (deps: ApplyDeps): Promise<void> =>
  applyKind<PaymentRecord>(deps, 'payment', async (tx, { id, data }, ours) => {
    const userId = ours.get(data.user);
    if (userId === undefined) return 'owner_missing';
    await addPayment(deps, tx, deps, id, {
      userId,
      gateway: data.gateway.slice(0, 60),
      reference: data.reference,
      status: data.status.slice(0, 40),
      amount: data.amount,
      currency: data.currency,
      credits: data.credits === null ? null : Math.min(whole(data.credits, deps.factor), Number.MAX_SAFE_INTEGER),
      paidMs: data.atMs,
    });
    return null;
  });

/** Tickets with what was written in them. */
export async function applyTickets(deps: ApplyDeps): Promise<void> {
  const departments = new Map<string, string>();
  await applyKind<TicketRecord>(deps, 'ticket', async (tx, { id, data }, ours) => {
    const userId = ours.get(data.user);
    if (userId === undefined) return 'owner_missing';
    const lines = data.lines.filter(({ text }) => text.trim() !== '');
    if (lines.length === 0) return 'ticket_empty';
    const atMs = data.atMs ?? lines[0]?.atMs ?? deps.clock.now();
    const name = (data.department || deps.departmentName).slice(0, 80);
    // Looked up in each transaction: one that was rolled back has made none.
    const departmentId = departments.get(name) ?? (await departmentOf(deps, tx, name));
    await addTicket(deps, tx, deps, {
      sourceId: id,
      userId,
      departmentId,
      subject: (data.subject.trim() || `#${id}`).slice(0, TICKET_SUBJECT_MAX).padEnd(3, '.'),
      status: data.status,
      priority: data.priority,
      atMs,
      lines: lines.map(({ author, text, atMs: lineMs }) => ({
        authorId: author === null ? null : (ours.get(author) ?? null),
        text: text.slice(0, TICKET_TEXT_MAX),
        createdMs: lineMs ?? atMs,
      })),
      byStaff: lines.map(({ staff }) => staff),
    });
    return null;
  });
}

/** Bans, last of all: servers of who is banned can only be taken over before. */
export async function applyBans(deps: ApplyDeps): Promise<void> {
  const { store, uow, clock } = deps;
  for (let after = 0, done = 0; ;) {
    if (deps.isStopped()) throw new Stopped('the import was stopped');
    const batch = store.list<PlannedUser>('user', 'done', after);
    const banned = batch.filter(({ data }) => data.ban !== null && data.mergeInto === null);
    if (banned.length > 0)
      await uow.run(async (tx) => {
        const rows = await tx.imports.listRows(
          deps.origin,
          'user',
          banned.map(({ id }) => id),
        );
        for (const { id, data } of banned) {
          const userId = rows.get(id)?.targetId;
          const user = userId === undefined ? null : await tx.identity.findUser(userId);
          if (user?.status !== 'active' || data.ban === null) continue;
          const { reason, untilMs } = data.ban;
          if (untilMs === null || untilMs > clock.now())
            await tx.identity.setStatus(user.id, 'banned', { reason, untilMs }, clock.now());
        }
      });
    done += batch.length;
    deps.onStep('ban', done);
    after = batch.at(-1)?.seq ?? after;
    if (batch.length < RECORD_BATCH) return;
  }
}
