import type { QueriesDeps } from './deps.ts';
import type { ErrorCode } from '#shared/errors.ts';
import type { ServerView } from '#shared/contract/servers.ts';
import type { QueueWait } from '#shared/server-codes.ts';
import { DAY, iso, MINUTE } from '#shared/time.ts';
import type { Egg, Location } from '../../catalog/ports.ts';
import type { Tx } from '../../tx.ts';
import type { CarriedDebt } from '../debts/index.ts';
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
import type { LogRow, ServerReminder, QueueRow, ServerRow } from '../core/ports.ts';

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
  readonly queues: ReadonlyMap<string, QueueRow>;
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
    waiting: await tx.servers.countQueue('queued'),
    building: await tx.servers.countQueue('building'),
    buildMs: typicalBuildMs(await tx.servers.buildTimes(SAMPLE), deps.panels.find(null)?.typicalInstallMs() ?? null),
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
  const queues = await tx.servers.newestQueues(inQueue.map((row) => row.id));
  const open = queues.filter((entry) => entry.state === 'queued' || entry.state === 'building');
  const waits = open.some((entry) => entry.state === 'queued');
  const order = waits ? await waitingEntries(tx, now, LONGEST_QUEUE) : [];
  const facts = open.length > 0 ? await queueStatus(deps, tx) : { building: 0, buildMs: QUEUE.fallbackMs };
  const flags = deps.settings.flags();
  return {
    now,
    renewals: flags.server_renew_enabled,
    allowed: flags.allow_servers,
    grace: deps.settings.current().renew_grace_days,
    ...renewalTerms(deps),
    ...facts,
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
    steps: await tx.servers.steps(queues.map((entry) => entry.id)),
    notices: await tx.servers.reminders(rows.filter((row) => isOver(row, now)).map((row) => row.id)),
    downtimes: rows.some((row) => isOver(row, now)) ? await tx.uptime.downtimes() : [],
  };
}

/** What an entry waits for before it can be made, or looked at, and since when; null where nothing stands in its way. */
export function waitingCause(
  outages: readonly Outage[],
  entry: Pick<QueueRow, 'state' | 'lastError' | 'heldSinceMs' | 'createdMs'>,
  server: Pick<ServerRow, 'panel' | 'panelNode' | 'panelId'>,
): { cause: QueueWait; since: string } | null {
  if (entry.state !== 'queued' && entry.state !== 'building') return null;
  const outage = findOutage(server.panelId === null ? outages : outages.filter(({ node }) => node === ''), server);
  if (outage)
    return { cause: outage.cause, since: iso(entry.heldSinceMs ?? Math.max(outage.sinceMs, entry.createdMs)) };
  return entry.state === 'queued' && entry.lastError === 'busy' && entry.heldSinceMs !== null
    ? { cause: 'busy', since: iso(entry.heldSinceMs) }
    : null;
}

function queueOf(scene: ViewContext, row: ServerRow): ServerView['queue'] {
  const entry = scene.queues.get(row.id);
  if (!entry) return null;
  const position = scene.positions.get(entry.id) ?? null;
  const left = (entry.startedMs ?? scene.now) + scene.buildMs - scene.now;
  const waiting = waitingCause(scene.outages, entry, row);
  const estimate =
    waiting !== null
      ? null
      : position !== null
        ? estimateMs(position, scene.building, scene.buildMs, buildSlots(row.panel))
        : entry.state === 'building' && left > 0
          ? left
          : null;
  return {
    id: entry.id,
    state: entry.state,
    position: entry.state === 'queued' ? position : null,
    estimate_s: estimate === null ? null : Math.ceil(estimate / 1000),
    attempts: entry.attempts,
    steps: scene.steps
      .filter((step) => step.queueId === entry.id)
      .map((step) => ({ at: iso(step.atMs), code: step.code, detail: step.detail })),
    can_cancel: entry.state === 'queued',
    held_up: entry.state === 'queued' || entry.state === 'building' ? entry.lastError : null,
    waiting,
  };
}

/** Share of a typical build that has passed, in percent; it never says that it is done before it is. */
function progressOf(scene: ViewContext, row: ServerRow): number | null {
  const started = scene.queues.get(row.id)?.startedMs;
  // Nobody knows how far it is while the panel is silent.
  const entry = scene.queues.get(row.id);
  if (row.state !== 'installing' || typeof started !== 'number' || (entry && waitingCause(scene.outages, entry, row)))
    return null;
  return Math.max(1, Math.min(95, Math.round((100 * (scene.now - started)) / scene.buildMs)));
}

/**
 * When an unpaid server in use is suspended, at the earliest; null for every other. It is never past: what is due now
 * is done within the minute.
 */
function suspensionOf(scene: ViewContext, row: ServerRow): number | null {
  if (!scene.renewals || row.state !== 'active' || row.expiresMs === null || row.expiresMs > scene.now) return null;
  const sent = scene.notices.filter((notice) => notice.serverId === row.id);
  const at = suspendsAt({ expiresMs: row.expiresMs }, sent, backSince(scene.downtimes, row.expiresMs));
  return Math.max(at ?? scene.now + DAY, scene.now + MINUTE);
}

function viewOf(scene: ViewContext, row: ServerRow): ServerView {
  const egg = scene.eggs.get(row.eggId);
  const location = scene.locations.get(row.locationId);
  const expired = row.state === 'suspended' && row.suspendReason === 'expired' && row.expiresMs !== null;
  const plan =
    expired && row.expiresMs !== null
      ? deletionPlan(
          row.expiresMs,
          scene.notices.filter((notice) => notice.serverId === row.id),
          scene.grace,
          scene.downtimes,
        )
      : null;
  const entry = scene.queues.get(row.id);
  const waiting = row.state === 'queued' && entry?.state === 'queued';
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    state: row.state,
    suspend_reason: row.state === 'suspended' ? row.suspendReason : null,
    failure: row.state === 'failed' ? row.failure : null,
    address: row.address,
    egg: { id: row.eggId, name: egg?.name ?? '', shape: egg?.shape ?? 'cube', hue: egg?.hue ?? 0 },
    location: { id: row.locationId, name: location?.name ?? '', code: location?.code ?? '' },
    resources: row.resources,
    progress: progressOf(scene, row),
    created_at: iso(row.createdMs),
    expires_at: scene.renewals ? iso(row.expiresMs) : null,
    suspends_at: iso(suspensionOf(scene, row)),
    deletes_at:
      plan && scene.renewals
        ? iso(Math.max(plan.deleteMs, plan.warned ? 0 : Math.max(plan.warnMs, scene.now) + DAY))
        : null,
    auto_renew: row.autoRenew,
    queue: queueOf(scene, row),
    pending: (row.state === 'active' || row.state === 'suspended') && row.syncedRevision < row.revision,
    can: {
      update: row.state === 'active',
      renew: scene.renewals && renewRefusal(row, scene.now, scene) === null,
      delete: row.state === 'active' || row.state === 'suspended' || row.state === 'failed' || waiting,
      retry: row.state === 'failed' && row.desired === 'nothing' && scene.allowed,
    },
  };
}

/** Servers as their owner sees them. */
export async function viewsOf(deps: QueriesDeps, tx: Tx, rows: readonly ServerRow[]): Promise<ServerView[]> {
  if (rows.length === 0) return [];
  const scene = await loadViewContext(deps, tx, rows);
  return rows.map((row) => viewOf(scene, row));
}

/** What a deleted server leaves for the next one, as the pages show it. */
export function beginningView(left: CarriedDebt | null) {
  return left && { server: left.server, owed: left.owed, ended_at: iso(left.endedMs), until: iso(left.untilMs) };
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
  return { cost, days, new_expiry: iso(until), allowed: reason === null, reason, balance };
}
