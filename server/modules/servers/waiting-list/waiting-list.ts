import type { WaitingListDeps } from './deps.ts';
import { DomainError } from '#shared/errors.ts';
import { can } from '#shared/permissions.ts';
import { href } from '#shared/routes/href.ts';
import { DAY, HOUR, iso, MINUTE } from '#shared/time.ts';
import type { Location } from '../../catalog/ports.ts';
import type { SignedIn } from '../../kernel.ts';
import type { Tx } from '../../tx.ts';
import { freeCapacity } from '../capacity/index.ts';
import type { WaitingListEntry, WantedServer } from './ports.ts';

export const WAITING_LIST = {
  /**
   * So long it is the turn of those who were told: as many as are told keep the next ones from being told of the same
   * room.
   */
  notifiedHoldMs: 30 * MINUTE,
  /** A told row is kept for this long, so that the page can say so. */
  notifiedKeptMs: DAY,
  /** Nobody waits for ever. */
  keptMs: 90 * DAY,
  /** Experience that an estimate is taken from. */
  lookBackMs: 14 * DAY,
  /** With less experience than this there is none. */
  leastFreed: 2,
  /** A longer wait than this is no estimate any more. */
  longestMs: 60 * DAY,
  /** Most of a line that are looked at in one turn. */
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

const seconds = (ms: number | null) => (ms === null ? null : Math.ceil(ms / 1000));

/** A place in a line, as its owner sees it. */
async function viewOf(deps: WaitingListDeps, tx: Tx, row: WaitingListEntry) {
  const told = row.notifiedMs !== null;
  const position = told ? null : (await tx.waitingList.countAhead(row)) + 1;
  const freed = await tx.waitingList.countFreedSince(row.locationId, deps.clock.now() - WAITING_LIST.lookBackMs);
  return {
    location_id: row.locationId,
    position,
    estimate_s: position === null ? null : seconds(estimateWaitMs(position, freed)),
    told_at: iso(row.notifiedMs),
    since: iso(row.createdMs),
  };
}
type WaitView = Awaited<ReturnType<typeof viewOf>>;

/** The user's place at one location; null where they do not wait there. */
export async function findWait(
  deps: WaitingListDeps,
  tx: Tx,
  userId: string,
  locationId: string,
): Promise<WaitView | null> {
  const row = (await tx.waitingList.listByUser(userId)).find((each) => each.locationId === locationId);
  return row ? viewOf(deps, tx, row) : null;
}

/**
 * The lines at locations: how many wait, how long it would take a newcomer, and the user's own place. Only locations
 * with a line, or that are full, are looked at.
 */
export async function listWaits(deps: WaitingListDeps, tx: Tx, userId: string, full: ReadonlySet<string>) {
  const lengths = await tx.waitingList.lengths();
  const own = await tx.waitingList.listByUser(userId);
  const lines = new Map<string, { waiting: number; estimate_s: number | null; wait: WaitView | null }>();
  for (const id of new Set([...full, ...own.map((row) => row.locationId)])) {
    const row = own.find((each) => each.locationId === id);
    const waiting = lengths.get(id) ?? 0;
    const freed = await tx.waitingList.countFreedSince(id, deps.clock.now() - WAITING_LIST.lookBackMs);
    lines.set(id, {
      waiting,
      estimate_s: seconds(estimateWaitMs(waiting + 1, freed)),
      wait: row ? await viewOf(deps, tx, row) : null,
    });
  }
  return lines;
}

/**
 * Waits for room at a location that is sold out for what is wanted. Who waits there already keeps the place. Throws
 * LOCATION_UNAVAILABLE, EGG_UNAVAILABLE, VIP_ONLY, and ROOM_AVAILABLE where there is nothing to wait for.
 */
export function joinWaitingList(
  deps: WaitingListDeps,
  ctx: SignedIn,
  locationId: string,
  want: WantedServer,
): Promise<WaitView> {
  const { userId, permissions } = ctx.actor;
  return deps.uow.run(async (tx) => {
    const location = await tx.catalog.location(locationId);
    const egg = await tx.catalog.egg(want.eggId);
    if (!location?.online) throw new DomainError('LOCATION_UNAVAILABLE');
    if (!egg?.enabled) throw new DomainError('EGG_UNAVAILABLE');
    if ((location.vipOnly || egg.vipOnly) && !can(permissions, 'user.permission.vip'))
      throw new DomainError('VIP_ONLY');
    const { memory, disk, ports } = want;
    const { reason } = freeCapacity(await deps.capacity.load(tx), location, egg.id, { memory, disk, ports });
    if (reason === null) throw new DomainError('ROOM_AVAILABLE');
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
    return viewOf(deps, tx, row);
  });
}

/** Leaves the line of a location; everybody behind moves up. Throws NOT_FOUND where the user does not wait there. */
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

/** Tells the pages of those who wait that their place may have changed. */
async function refreshPositions(tx: Tx, locationId: string): Promise<void> {
  const behind = await tx.waitingList.listWaiting(locationId, WAITING_LIST.batch);
  tx.touch(...new Set(behind.map((row) => `servers:${row.userId}`)));
}

/**
 * Tells one person that there is room, in the app and by mail. False where somebody was faster, or the account may not
 * use it.
 */
async function notifyEntry(deps: WaitingListDeps, tx: Tx, row: WaitingListEntry, location: Location): Promise<boolean> {
  if ((await tx.identity.contact(row.userId))?.status !== 'active') return false;
  if (!(await tx.waitingList.markNotified(row.id, deps.clock.now()))) return false;
  const key = `roomFree:${row.id}`;
  await deps.notifications.notify(tx, row.userId, 'roomFree', { location: location.name }, key);
  await deps.mailing.sendTo(tx, row.userId, 'roomFree', { location: location.name, path: href('server.create') }, key);
  tx.touch(`servers:${row.userId}`);
  return true;
}

/**
 * Goes through one line in its order and tells as many as there is room for. Those told within the last half hour count
 * as coming, so the same room is not promised to everybody at once. Who wants more than there is stays where they are,
 * and the next one may fit.
 */
function notifyLocation(deps: WaitingListDeps, locationId: string): Promise<number> {
  return deps.uow.run(async (tx) => {
    const location = await tx.catalog.lockLocation(locationId);
    if (!location) return 0;
    const coming = await tx.waitingList.countNotifiedSince(locationId, deps.clock.now() - WAITING_LIST.notifiedHoldMs);
    const book = await deps.capacity.load(tx);
    let told = 0;
    for (const row of await tx.waitingList.listWaiting(locationId, WAITING_LIST.batch)) {
      const { memory, disk, ports } = row;
      const { left } = freeCapacity(book, location, row.eggId, { memory, disk, ports });
      if (left > coming + told && (await notifyEntry(deps, tx, row, location))) told += 1;
    }
    if (told > 0) await refreshPositions(tx, locationId);
    return told;
  });
}

/**
 * What the scheduler does for the waiting lists: clears away what is over, and tells who is next where room came free.
 * Out: how many were told.
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
  let told = 0;
  for (const locationId of lines) told += await notifyLocation(deps, locationId);
  return told;
}
