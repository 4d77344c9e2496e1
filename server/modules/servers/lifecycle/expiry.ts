import type { LifecycleDeps } from './deps.ts';
import { DAY } from '#shared/time.ts';
import type { Tx } from '../../tx.ts';
import { backSince, type Downtime } from '../../uptime/index.ts';
import { startDelete } from './delete.ts';
import { firstExpiry } from './create.ts';
import {
  lockServer,
  renewalTerms,
  deletionPlan,
  missedFor,
  reminderDue,
  renewRefusal,
  suspendsAt,
  toServerFacts,
} from '../core/index.ts';
import type { ServerReminder, ReminderKind, ServerRow } from '../core/ports.ts';
import { payPeriod, resumeExpired } from './renew.ts';

/** Rows read in one go: 0.7 ms each where their pages come from the disk. */
const BATCH = 40;
/** Batches of one run of what is done to all alike; the rest follows in the next. */
const ROUNDS = 5;
/** The longest time before expiry at which something happens. */
const HORIZON = 7 * DAY;

type Expiring = ServerRow & { readonly expiresMs: number };
const expires = (server: ServerRow): server is Expiring => server.expiresMs !== null;

/**
 * Notes something for the period; false where it was noted before, unless before `staleMs`. What is sent about it is
 * sent in the same transaction, so once.
 */
function addReminderOnce(
  deps: LifecycleDeps,
  tx: Tx,
  server: Expiring,
  kind: ReminderKind,
  staleMs = 0,
): Promise<boolean> {
  return tx.servers.addReminder(
    { serverId: server.id, periodMs: server.expiresMs, kind, atMs: deps.clock.now() },
    staleMs,
  );
}

/** Names an announcement of a period: what a downtime made void and is announced again has another name. */
const keyOf = (kind: ReminderKind, server: Expiring, backMs: number): string =>
  `${kind}:${server.expiresMs}${backMs > 0 ? `:${backMs}` : ''}`;

/**
 * Pays a period out of the owner's balance if the owner wants that and can. It checks first, so that a refusal needs no
 * rollback.
 */
async function autoRenew(deps: LifecycleDeps, tx: Tx, server: Expiring): Promise<boolean> {
  if (!server.autoRenew) return false;
  const { cost, days, maxDays } = renewalTerms(deps);
  if (renewRefusal(server, deps.clock.now(), { days, maxDays })) return false;
  if (cost > 0 && (await deps.ledger.balance(tx, `debt:${server.userId}`)) > 0) return false;
  if ((await deps.ledger.balance(tx, `user:${server.userId}`)) < cost) return false;
  await payPeriod(deps, tx, server, null);
  return true;
}

/**
 * Reminds of an expiry that is to come, or of one that has passed while the server is still in use. `backMs`: set where
 * an earlier reminder is void.
 */
async function remind(
  deps: LifecycleDeps,
  tx: Tx,
  server: Expiring,
  kind: ReminderKind,
  backMs: number,
): Promise<void> {
  if (!(await addReminderOnce(deps, tx, server, kind, backMs))) return;
  const now = deps.clock.now();
  const reminderKey = keyOf(kind, server, backMs);
  const { cost } = renewalTerms(deps);
  const facts = { ...toServerFacts(server), cost, expiresMs: server.expiresMs, reminderKey };
  if (kind === 'remindOver') return deps.events.emit(tx, 'server.overdue', { ...facts, suspendsMs: now + DAY });
  const days = Math.ceil((server.expiresMs - now) / DAY);
  await deps.events.emit(tx, 'server.expiring', { ...facts, days });
}

async function suspend(deps: LifecycleDeps, tx: Tx, server: Expiring): Promise<void> {
  const now = deps.clock.now();
  const revision = server.revision + 1;
  await tx.servers.update(
    server.id,
    { state: 'suspended', suspendReason: 'expired', desired: 'suspended', revision },
    now,
  );
  await deps.jobs.enqueueSync(tx, { id: server.id, revision });
  await deps.history.record(tx, server, 'suspended', 'expired');
  if (!(await addReminderOnce(deps, tx, server, 'suspended'))) return;
  const deletesMs = now + Math.max(1, deps.settings.current().renew_grace_days) * DAY;
  const { cost } = renewalTerms(deps);
  const facts = { ...toServerFacts(server), cost, expiresMs: server.expiresMs, deletesMs };
  await deps.events.emit(tx, 'server.expired', facts);
}

async function warn(deps: LifecycleDeps, tx: Tx, server: Expiring, deletesMs: number): Promise<void> {
  if (!(await addReminderOnce(deps, tx, server, 'deleteWarning', deps.clock.now()))) return;
  const { cost } = renewalTerms(deps);
  const facts = { ...toServerFacts(server), cost, expiresMs: server.expiresMs, deletesMs };
  await deps.events.emit(tx, 'server.deletion_near', facts);
}

/** What was sent about a server, and when we did not run. */
interface SentReminders {
  readonly sent: readonly ServerReminder[];
  readonly downtimes: readonly Downtime[];
}

/** When we were up again, where that makes the reminders of a period void; else 0. */
function backFor(server: Expiring, { downtimes }: SentReminders): number {
  const backMs = backSince(downtimes, server.expiresMs);
  return missedFor(server.expiresMs, backMs) ? backMs : 0;
}

/** A server in use: reminders before its expiry, payment or suspension at it. */
async function beforeExpiry(deps: LifecycleDeps, tx: Tx, server: Expiring, known: SentReminders): Promise<void> {
  const now = deps.clock.now();
  if (server.expiresMs <= now && (await autoRenew(deps, tx, server))) return;
  const backMs = backFor(server, known);
  const reminder = reminderDue(server, known.sent, now, renewalTerms(deps).days, backMs);
  if (reminder) return remind(deps, tx, server, reminder, backMs);
  const at = suspendsAt(server, known.sent, backMs);
  if (at !== null && now >= at) await suspend(deps, tx, server);
}

/** A server suspended for expiry: back if it is paid, else a warning and in the end its deletion. */
async function afterExpiry(
  deps: LifecycleDeps,
  tx: Tx,
  server: Expiring,
  { sent, downtimes }: SentReminders,
): Promise<void> {
  const now = deps.clock.now();
  // The clock had gone too far ahead, or somebody moved the expiry.
  if (server.expiresMs > now) return resumeExpired(deps, tx, server);
  if (await autoRenew(deps, tx, server)) return;
  const plan = deletionPlan(server.expiresMs, sent, deps.settings.current().renew_grace_days, downtimes);
  if (!plan) await addReminderOnce(deps, tx, server, 'suspended');
  if (!plan || now < plan.warnMs) return;
  if (!plan.warned) return warn(deps, tx, server, Math.max(plan.deleteMs, now + DAY));
  if (now < plan.deleteMs) return;
  await deps.debts.record(tx, server);
  await startDelete(deps, tx, server);
}

/**
 * Processes one server in its own transaction, as it is then. A server that cannot be handled does not keep the others
 * waiting.
 */
async function processServer(deps: LifecycleDeps, id: string): Promise<void> {
  try {
    await deps.uow.run(async (tx) => {
      const server = await lockServer(tx, id);
      if (!server || !expires(server)) return;
      const known = { sent: await tx.servers.listReminders([id]), downtimes: await tx.uptime.downtimes() };
      if (server.state === 'active') await beforeExpiry(deps, tx, server, known);
      else if (server.state === 'suspended' && server.suspendReason === 'expired')
        await afterExpiry(deps, tx, server, known);
    });
  } catch (error) {
    deps.log.error('servers.expiry_failed', { server: id, error: String(error) });
  }
}

/** While nothing expires, what had been suspended for expiry comes back. Out: servers looked at. */
async function resumeBatch(deps: LifecycleDeps): Promise<number> {
  const expired = await deps.uow.read((tx) => tx.servers.listSuspendedForExpiry(null, BATCH));
  for (const { id } of expired) {
    await deps.uow.run(async (tx) => {
      const server = await lockServer(tx, id);
      if (server?.state === 'suspended' && server.suspendReason === 'expired') await resumeExpired(deps, tx, server);
    });
  }
  return expired.length;
}

/** Servers from before renewal was turned on get a first period that begins now. Out: servers looked at. */
async function startPeriods(deps: LifecycleDeps): Promise<number> {
  const waiting = await deps.uow.read((tx) => tx.servers.listWithoutExpiry(BATCH));
  for (const { id } of waiting) {
    await deps.uow.run(async (tx) => {
      const server = await lockServer(tx, id);
      if (!server || server.expiresMs !== null) return;
      await tx.servers.update(id, { expiresMs: firstExpiry(deps) }, deps.clock.now());
      tx.touch(`servers:${server.userId}`);
    });
  }
  return waiting.length;
}

/** Batch by batch, as long as they are full. In: handles one, and says how many were in it. */
async function inRounds(batch: (deps: LifecycleDeps) => Promise<number>, deps: LifecycleDeps): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) if ((await batch(deps)) < BATCH) return;
}

/**
 * Of a page of servers those for which something is due now: a cheap check, so that a tick that has nothing to do
 * writes nothing.
 */
async function listDueIds(deps: LifecycleDeps, tx: Tx, page: readonly ServerRow[]): Promise<string[]> {
  const now = deps.clock.now();
  const { cost, days } = renewalTerms(deps);
  const grace = deps.settings.current().renew_grace_days;
  const notices = await tx.servers.listReminders(page.map((server) => server.id));
  const downtimes = await tx.uptime.downtimes();
  const due: string[] = [];
  for (const server of page.filter(expires)) {
    const sent = notices.filter((notice) => notice.serverId === server.id);
    const plan = deletionPlan(server.expiresMs, sent, grace, downtimes);
    const soon =
      server.expiresMs <= now || reminderDue(server, sent, now, days, backFor(server, { sent, downtimes })) !== null;
    const late =
      server.expiresMs > now ||
      !plan ||
      now >= plan.warnMs ||
      (server.autoRenew && (await deps.ledger.balance(tx, `user:${server.userId}`)) >= cost);
    if (server.state === 'active' ? soon : late) due.push(server.id);
  }
  return due;
}

/** Visits what is due, page by page. */
async function processAll(
  deps: LifecycleDeps,
  pageAfter: (tx: Tx, last: Expiring | null) => Promise<ServerRow[]>,
): Promise<void> {
  let last: Expiring | null = null;
  for (;;) {
    const from: Expiring | null = last;
    const { page, due } = await deps.uow.read(async (tx) => {
      const rows = await pageAfter(tx, from);
      return { page: rows, due: await listDueIds(deps, tx, rows) };
    });
    for (const id of due) await processServer(deps, id);
    last = page.filter(expires).at(-1) ?? null;
    if (!last || page.length < BATCH) return;
    // Others have their turn: nothing is waited for where nothing is due.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/**
 * What time does to servers (behaviour 6.5), as far as it is due now: reminders, automatic renewal, suspension,
 * revival, warning, deletion. Meant to run each minute, but safe to run at any moment, twice, in two places at once,
 * late by days or with a clock that jumped: each step is taken from what stands in the database, once a period, and
 * nothing is ever early.
 */
export async function processExpiry(deps: LifecycleDeps): Promise<void> {
  if (!deps.settings.flags().server_renew_enabled) return inRounds(resumeBatch, deps);
  await inRounds(startPeriods, deps);
  // What is suspended is paid first, in the order in which its owner wants it; then what is about to expire.
  await processAll(deps, (tx, last) =>
    tx.servers.listSuspendedForExpiry(
      last && { userId: last.userId, order: last.autoRenewOrder, expiresMs: last.expiresMs, id: last.id },
      BATCH,
    ),
  );
  await processAll(deps, (tx, last) =>
    tx.servers.listExpiring(deps.clock.now() + HORIZON, last && { expiresMs: last.expiresMs, id: last.id }, BATCH),
  );
}
