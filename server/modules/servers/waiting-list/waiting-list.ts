import type { WaitingListDeps } from './deps.ts';
import { DomainError } from '#shared/errors.ts';
import { can } from '#shared/permissions.ts';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import type { Location } from '../../catalog/ports.ts';
import { runOnce } from '../../idempotency/index.ts';
import type { SignedIn } from '../../kernel.ts';
import type { Tx } from '../../tx.ts';
import { freeCapacity } from '../capacity/index.ts';
import type { WaitingListEntry, WantedServer } from './ports.ts';

export const WAITING_LIST = {
  /** So long the notified keep their claim: as many as they are, the next ones are not notified of the same capacity. */
  notifiedHoldMs: 30 * MINUTE,
  /** A notified entry is kept for this long, so that the page can say so. */
  notifiedKeptMs: DAY,
  /** Nobody waits for ever. */
  keptMs: 90 * DAY,
  /** Experience that an estimate is taken from. */
  lookBackMs: 14 * DAY,
  /** With less experience than this there is none. */
  leastFreed: 2,
  /** A longer wait than this is no estimate any more. */
  longestMs: 60 * DAY,
  /** Most entries of a line that one run reads. */
  batch: 100,
} as const;

/**
 * How long it takes until so many places have come free, by how often that happened lately; null where too little is
 * known to say it honestly. In: place in the line from 1, servers that went within `lookBackMs`.
 */
export function estimateWaitMs(position: number, freed: number): number | null {
  if (freed < WAITING_LIST.leastFreed) return null;
  const wait = Math.max(HOUR, Math.round((position * WAITING_LIST.lookBackMs) / freed));
  return wait > WAITING_LIST.longestMs ? null : wait;
}

/** A place in a line, as its owner sees it. Times in UTC ms. */
export interface WaitingPlace {
  readonly locationId: string;
  /** 1 is next; null once there was capacity and the user was notified. */
  readonly position: number | null;
  readonly estimateMs: number | null;
  readonly notifiedMs: number | null;
  readonly createdMs: number;
}

async function toPlace(deps: WaitingListDeps, tx: Tx, entry: WaitingListEntry): Promise<WaitingPlace> {
  const { locationId, notifiedMs, createdMs } = entry;
  const position = notifiedMs === null ? (await tx.waitingList.countAhead(entry)) + 1 : null;
  const freed = await tx.waitingList.countFreedSince(locationId, deps.clock.now() - WAITING_LIST.lookBackMs);
  return {
    locationId,
    position,
    estimateMs: position === null ? null : estimateWaitMs(position, freed),
    notifiedMs,
    createdMs,
  };
}

/** The user's place at one location; null where they do not wait there. */
export async function findWaitingPlace(
  deps: WaitingListDeps,
  tx: Tx,
  userId: string,
  locationId: string,
): Promise<WaitingPlace | null> {
  const row = (await tx.waitingList.listByUser(userId)).find((each) => each.locationId === locationId);
  return row ? toPlace(deps, tx, row) : null;
}

/**
 * The lines at locations: how many wait, how long it would take a newcomer, and the user's own place. Only locations
 * with a line, or that are full, are read.
 */
export async function listWaitingLines(deps: WaitingListDeps, tx: Tx, userId: string, full: ReadonlySet<string>) {
  const lengths = await tx.waitingList.lengths();
  const own = await tx.waitingList.listByUser(userId);
  const lines = new Map<string, { waiting: number; estimateMs: number | null; wait: WaitingPlace | null }>();
  for (const id of new Set([...full, ...own.map((row) => row.locationId)])) {
    const row = own.find((each) => each.locationId === id);
    const waiting = lengths.get(id) ?? 0;
    const freed = await tx.waitingList.countFreedSince(id, deps.clock.now() - WAITING_LIST.lookBackMs);
    lines.set(id, {
      waiting,
      estimateMs: estimateWaitMs(waiting + 1, freed),
      wait: row ? await toPlace(deps, tx, row) : null,
    });
  }
  return lines;
}

/**
 * Waits for capacity at a location that is sold out for what is wanted. Who waits there already keeps the place. Throws
 * LOCATION_UNAVAILABLE, EGG_UNAVAILABLE, VIP_ONLY, and CAPACITY_AVAILABLE where there is nothing to wait for.
 */
export function joinWaitingList(
  deps: WaitingListDeps,
  ctx: SignedIn,
  locationId: string,
  want: WantedServer,
): Promise<WaitingPlace> {
  const { userId, permissions } = ctx.actor;
  return runOnce({ uow: deps.uow, now: deps.clock.now() }, ctx, async (tx) => {
    const location = await tx.catalog.location(locationId);
    const egg = await tx.catalog.egg(want.eggId);
    if (!location?.online) throw new DomainError('LOCATION_UNAVAILABLE');
    if (!egg?.enabled) throw new DomainError('EGG_UNAVAILABLE');
    if ((location.vipOnly || egg.vipOnly) && !can(permissions, 'user.permission.vip'))
      throw new DomainError('VIP_ONLY');
    const { memory, disk, ports } = want;
    const { reason } = freeCapacity(await deps.capacity.load(tx), location, egg.id, { memory, disk, ports });
    if (reason === null) throw new DomainError('CAPACITY_AVAILABLE');
    if (reason !== 'LOCATION_FULL') throw new DomainError(reason);
    const row = await tx.waitingList.join({
      id: deps.ids.uuid(),
      userId,
      locationId,
      eggId: egg.id,
      memory,
      disk,
      ports,
      createdMs: deps.clock.now(),
      notifiedMs: null,
    });
    tx.touch(`servers:${userId}`);
    return toPlace(deps, tx, row);
  });
}

/** Leaves the line of a location; everybody after them moves up. Throws NOT_FOUND where the user does not wait there. */
export function leaveWaitingList(
  deps: WaitingListDeps,
  ctx: SignedIn,
  locationId: string,
): Promise<Record<string, never>> {
  const { userId } = ctx.actor;
  return deps.uow.run(async (tx) => {
    if (!(await tx.waitingList.leave(userId, locationId))) throw new DomainError('NOT_FOUND');
    await refreshPositions(tx, locationId);
    tx.touch(`servers:${userId}`);
    return {};
  });
}

/** Refreshes the pages of those who wait: their place may have changed. */
async function refreshPositions(tx: Tx, locationId: string): Promise<void> {
  const waiting = await tx.waitingList.listWaiting(locationId, WAITING_LIST.batch);
  tx.touch(...new Set(waiting.map((row) => `servers:${row.userId}`)));
}

/**
 * Notifies one user that there is capacity, in the app and by mail. False where somebody was faster, or the account may
 * not use it.
 */
async function notifyEntry(deps: WaitingListDeps, tx: Tx, row: WaitingListEntry, location: Location): Promise<boolean> {
  if ((await tx.identity.findContact(row.userId))?.status !== 'active') return false;
  if (!(await tx.waitingList.markNotified(row.id, deps.clock.now()))) return false;
  const { id: entryId, userId, locationId } = row;
  const offered = { userId, entryId, locationId, location: location.name };
  await deps.events.emit(tx, 'location.capacity_offered', offered);
  tx.touch(`servers:${userId}`);
  return true;
}

/**
 * Goes through one line in its order and notifies as many as there is capacity for. Those notified within the last half
 * hour count as coming, so the same capacity is not promised to everybody at once. Who wants more than there is stays
 * where they are, and the next one may fit.
 */
function notifyLocation(deps: WaitingListDeps, locationId: string): Promise<number> {
  return deps.uow.run(async (tx) => {
    const location = await tx.catalog.lockLocation(locationId);
    if (!location) return 0;
    const coming = await tx.waitingList.countNotifiedSince(locationId, deps.clock.now() - WAITING_LIST.notifiedHoldMs);
    const capacity = await deps.capacity.load(tx);
    let notified = 0;
    for (const row of await tx.waitingList.listWaiting(locationId, WAITING_LIST.batch)) {
      const { memory, disk, ports } = row;
      const { left } = freeCapacity(capacity, location, row.eggId, { memory, disk, ports });
      if (left > coming + notified && (await notifyEntry(deps, tx, row, location))) notified += 1;
    }
    if (notified > 0) await refreshPositions(tx, locationId);
    return notified;
  });
}

/**
 * What the scheduler does for the waiting lists: clears away what is over, and notifies who is next where capacity came
 * free. Out: how many were notified.
 */
export async function notifyWaiting(deps: WaitingListDeps): Promise<number> {
  const now = deps.clock.now();
  const lines = await deps.uow.run(async (tx) => {
    await tx.waitingList.purge(
      { beforeMs: now - WAITING_LIST.notifiedKeptMs },
      { beforeMs: now - WAITING_LIST.keptMs },
    );
    return [...(await tx.waitingList.lengths()).keys()];
  });
  let notified = 0;
  for (const locationId of lines) notified += await notifyLocation(deps, locationId);
  return notified;
}
