import type { QueriesDeps } from './deps.ts';
import { SERVER_MINIMUM } from '#shared/constants.ts';
import { can } from '#shared/permissions.ts';
import type { SignedIn } from '../../kernel.ts';
import type { Tx } from '../../tx.ts';
import { freeCapacity, type FreeCapacity } from '../capacity/index.ts';

/** What a person wants to make: the draft of the create page. MB, MB, count. */
export interface Draft {
  readonly locationId: string | null;
  readonly eggId: string | null;
  readonly memory: number;
  readonly disk: number;
  readonly ports: number;
}

/** What is left of a place or of a kind of software, for one who is VIP or not. */
function lineOf(id: string, { left, reason }: FreeCapacity, vipMissing: boolean) {
  const refusal = reason ?? (vipMissing ? 'VIP_ONLY' : null);
  return { id, left: refusal === null ? left : 0, available: refusal === null, reason: refusal };
}

/**
 * What is left for a draft: by location for the chosen software and amounts, and by software at the chosen location for
 * the least that each needs.
 */
export async function availabilityOf(
  deps: QueriesDeps,
  tx: Tx,
  ctx: SignedIn,
  { locationId, eggId, memory, disk, ports }: Draft,
) {
  const vip = can(ctx.actor.permissions, 'user.permission.vip');
  const capacity = await deps.capacity.load(tx);
  const locations = await tx.catalog.locations();
  const eggs = (await tx.catalog.eggs()).filter((egg) => egg.enabled);
  const place = locations.find(({ id }) => id === locationId);
  const known = eggs.some(({ id }) => id === eggId) ? eggId : null;
  const least = (egg: { minMemory: number; minDisk: number }) => ({
    memory: Math.max(egg.minMemory, SERVER_MINIMUM.memory),
    disk: Math.max(egg.minDisk, SERVER_MINIMUM.disk),
    ports,
  });
  return {
    locations: locations.map((location) =>
      lineOf(location.id, freeCapacity(capacity, location, known, { memory, disk, ports }), location.vipOnly && !vip),
    ),
    eggs: place
      ? eggs.map((egg) => lineOf(egg.id, freeCapacity(capacity, place, egg.id, least(egg)), egg.vipOnly && !vip))
      : [],
  };
}
