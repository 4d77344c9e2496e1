import type { QueriesDeps } from './deps.ts';
import type { ErrorCode } from '#shared/errors.ts';
import type { QueueWait } from '#shared/server-codes.ts';
import { DAY, MINUTE } from '#shared/time.ts';
import type { Egg, Location } from '../../catalog/ports.ts';
import type { Tx } from '../../tx.ts';
import {
  deletionPlan,
  estimateMs,
  QUEUE,
  renewedExpiry,
  renewRefusal,
  suspendsAt,
  typicalBuildMs,
  buildSlots,
  renewalTerms,
} from '../core/index.ts';
import { findOutage, waitingEntries } from '../outages/index.ts';
import type { Outage } from '../outages/ports.ts';
import { backSince, type Downtime } from '../../uptime/index.ts';
import type { LogRow, ServerReminder, QueueEntry, ServerRow } from '../core/ports.ts';

/** Latest builds that the estimate is taken from. */
const SAMPLE = 20;
/** Most waiting entries that are counted for positions. */
const LONGEST_QUEUE = 5000;

/** What is common to all views of one answer. */
interface ViewContext {
  readonly now: number;
  readonly renewals: boolean;
  readonly allowed: boolean;
  readonly grace: number;
  readonly days: number;
  readonly maxDays: number;
  readonly buildMs: number;
  readonly building: number;
  readonly positions: ReadonlyMap<string, number>;
  readonly eggs: ReadonlyMap<string, Egg>;
  readonly locations: ReadonlyMap<string, Location>;
  readonly queues: ReadonlyMap<string, QueueEntry>;
  readonly steps: readonly (LogRow & { queueId: string })[];
  readonly notices: readonly ServerReminder[];
  readonly outages: readonly Outage[];
  /** When the product itself was away. */
  readonly downtimes: readonly Downtime[];
}

/** Length of the queue, and how long a build takes, in ms. */
export async function queueStatus(
  deps: QueriesDeps,
  tx: Tx,
): Promise<{ waiting: number; building: number; buildMs: number }> {
  return {
    waiting: await tx.servers.countEntries('queued'),
    building: await tx.servers.countEntries('building'),
    buildMs: typicalBuildMs(
      await tx.servers.listBuildTimes(SAMPLE),
      deps.panels.find(null)?.typicalInstallMs() ?? null,
    ),
  };
}

async function byId<T extends { id: string }>(
  ids: Iterable<string>,
  find: (id: string) => Promise<T | null>,
): Promise<Map<string, T>> {
  const found = new Map<string, T>();
  for (const id of new Set(ids)) {
    const row = await find(id);
    if (row) found.set(id, row);
  }
  return found;
}

/** Whether a server's paid time is over, in use or suspended for it. */
const isOver = (row: ServerRow, now: number): row is ServerRow & { readonly expiresMs: number } =>
  row.suspendReason === 'expired' || (row.expiresMs !== null && row.expiresMs <= now);

async function loadViewContext(deps: QueriesDeps, tx: Tx, rows: readonly ServerRow[]): Promise<ViewContext> {
  const now = deps.clock.now();
  const inQueue = rows.filter((row) => row.state === 'queued' || row.state === 'installing' || row.state === 'failed');
  const queues = await tx.servers.listNewestEntries(inQueue.map((row) => row.id));
  const open = queues.filter((entry) => entry.state === 'queued' || entry.state === 'building');
  const waits = open.some((entry) => entry.state === 'queued');
  const order = waits ? await waitingEntries(tx, now, LONGEST_QUEUE) : [];
  const status = open.length > 0 ? await queueStatus(deps, tx) : { building: 0, buildMs: QUEUE.fallbackMs };
  const flags = deps.settings.flags();
  return {
    now,
    renewals: flags.server_renew_enabled,
    allowed: flags.allow_servers,
    grace: deps.settings.current().renew_grace_days,
    ...renewalTerms(deps),
    ...status,
    positions: new Map(order.map((id, at) => [id, at + 1])),
    eggs: await byId(
      rows.map((row) => row.eggId),
      (id) => tx.catalog.egg(id),
    ),
    locations: await byId(
      rows.map((row) => row.locationId),
      (id) => tx.catalog.location(id),
    ),
    outages: open.length > 0 ? await tx.outages.list() : [],
    queues: new Map(queues.map((entry) => [entry.serverId, entry])),
    steps: await tx.servers.listSteps(queues.map((entry) => entry.id)),
    notices: await tx.servers.listReminders(rows.filter((row) => isOver(row, now)).map((row) => row.id)),
    downtimes: rows.some((row) => isOver(row, now)) ? await tx.uptime.downtimes() : [],
  };
}

/** What a queue entry waits for, and since when. */
interface WaitingCause {
  readonly cause: QueueWait;
  readonly sinceMs: number;
}

/** What an entry waits for before it can be made, or polled, and since when; null where nothing stands in its way. */
export function waitingCause(
  outages: readonly Outage[],
  entry: Pick<QueueEntry, 'state' | 'lastError' | 'waitingSinceMs' | 'createdMs'>,
  server: Pick<ServerRow, 'panel' | 'panelNode' | 'panelId'>,
): WaitingCause | null {
  if (entry.state !== 'queued' && entry.state !== 'building') return null;
  const outage = findOutage(server.panelId === null ? outages : outages.filter(({ node }) => node === ''), server);
  if (outage)
    return { cause: outage.cause, sinceMs: entry.waitingSinceMs ?? Math.max(outage.sinceMs, entry.createdMs) };
  return entry.state === 'queued' && entry.lastError === 'busy' && entry.waitingSinceMs !== null
    ? { cause: 'busy', sinceMs: entry.waitingSinceMs }
    : null;
}

function queueOf(context: ViewContext, row: ServerRow) {
  const entry = context.queues.get(row.id);
  if (!entry) return null;
  const position = context.positions.get(entry.id) ?? null;
  const left = (entry.startedMs ?? context.now) + context.buildMs - context.now;
  const waiting = waitingCause(context.outages, entry, row);
  const timeLeftMs =
    waiting !== null
      ? null
      : position !== null
        ? estimateMs(position, context.building, context.buildMs, buildSlots(row.panel))
        : entry.state === 'building' && left > 0
          ? left
          : null;
  return {
    id: entry.id,
    state: entry.state,
    position: entry.state === 'queued' ? position : null,
    estimateMs: timeLeftMs,
    attempts: entry.attempts,
    steps: context.steps
      .filter((step) => step.queueId === entry.id)
      .map(({ atMs, code, detail }) => ({ atMs, code, detail })),
    canCancel: entry.state === 'queued',
    lastError: entry.state === 'queued' || entry.state === 'building' ? entry.lastError : null,
    waiting,
  };
}

/** Share of a typical build that has passed, in percent; it never says that it is done before it is. */
function progressOf(context: ViewContext, row: ServerRow): number | null {
  const started = context.queues.get(row.id)?.startedMs;
  // Nobody knows how far it is while the panel is silent.
  const entry = context.queues.get(row.id);
  if (row.state !== 'installing' || typeof started !== 'number' || (entry && waitingCause(context.outages, entry, row)))
    return null;
  return Math.max(1, Math.min(95, Math.round((100 * (context.now - started)) / context.buildMs)));
}

/**
 * When an unpaid server in use is suspended, at the earliest; null for every other. It is never past: what is due now
 * is done within the minute.
 */
function suspensionOf(context: ViewContext, row: ServerRow): number | null {
  if (!context.renewals || row.state !== 'active' || row.expiresMs === null || row.expiresMs > context.now) return null;
  const sent = context.notices.filter((notice) => notice.serverId === row.id);
  const at = suspendsAt({ expiresMs: row.expiresMs }, sent, backSince(context.downtimes, row.expiresMs));
  return Math.max(at ?? context.now + DAY, context.now + MINUTE);
}

function viewOf(context: ViewContext, row: ServerRow) {
  const egg = context.eggs.get(row.eggId);
  const location = context.locations.get(row.locationId);
  const expired = row.state === 'suspended' && row.suspendReason === 'expired' && row.expiresMs !== null;
  const plan =
    expired && row.expiresMs !== null
      ? deletionPlan(
          row.expiresMs,
          context.notices.filter((notice) => notice.serverId === row.id),
          context.grace,
          context.downtimes,
        )
      : null;
  const entry = context.queues.get(row.id);
  const waiting = row.state === 'queued' && entry?.state === 'queued';
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    state: row.state,
    suspendReason: row.state === 'suspended' ? row.suspendReason : null,
    failure: row.state === 'failed' ? row.failure : null,
    address: row.address,
    egg: {
      id: row.eggId,
      name: egg?.name ?? '',
      shape: egg?.shape ?? 'cube',
      hue: egg?.hue ?? 0,
      picture: egg?.picture ?? '',
    },
    location: { id: row.locationId, name: location?.name ?? '', code: location?.code ?? '' },
    resources: row.resources,
    progress: progressOf(context, row),
    createdMs: row.createdMs,
    expiresMs: context.renewals ? row.expiresMs : null,
    suspendsMs: suspensionOf(context, row),
    deletesMs:
      plan && context.renewals
        ? Math.max(plan.deleteMs, plan.warned ? 0 : Math.max(plan.warnMs, context.now) + DAY)
        : null,
    autoRenew: row.autoRenew,
    autoRenewOrder: row.autoRenewOrder,
    queue: queueOf(context, row),
    pending: (row.state === 'active' || row.state === 'suspended') && row.syncedRevision < row.revision,
    can: {
      update: row.state === 'active',
      renew: context.renewals && renewRefusal(row, context.now, context) === null,
      delete: row.state === 'active' || row.state === 'suspended' || row.state === 'failed' || waiting,
      retry: row.state === 'failed' && row.desired === 'nothing' && context.allowed,
    },
  };
}

/** A server with what its owner is shown of it. Times in UTC ms. */
export type OwnServer = ReturnType<typeof viewOf>;

/** Servers as their owner sees them. */
export async function viewsOf(deps: QueriesDeps, tx: Tx, rows: readonly ServerRow[]): Promise<OwnServer[]> {
  if (rows.length === 0) return [];
  const context = await loadViewContext(deps, tx, rows);
  return rows.map((row) => viewOf(context, row));
}

/** What a renewal of this server would cost and give now, and why it cannot be had. */
export function renewalQuote(deps: QueriesDeps, row: ServerRow, { balance, debt }: { balance: number; debt: number }) {
  const now = deps.clock.now();
  const { cost, days, maxDays } = renewalTerms(deps);
  const enabled = deps.settings.flags().server_renew_enabled;
  const refusal: ErrorCode | null = enabled ? renewRefusal(row, now, { days, maxDays }) : 'FEATURE_DISABLED';
  const short: ErrorCode | null = balance < cost ? 'INSUFFICIENT_CREDITS' : null;
  const reason = refusal ?? (debt > 0 && cost > 0 ? 'SPENDING_BLOCKED' : short);
  const until = refusal === null || refusal === 'RENEW_TOO_FAR' ? renewedExpiry(now, row.expiresMs, days) : null;
  return { cost, days, newExpiryMs: until, allowed: reason === null, reason, balance };
}
