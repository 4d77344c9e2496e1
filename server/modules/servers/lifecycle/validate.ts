import type { LifecycleDeps } from './deps.ts';
import { DomainError } from '#shared/errors.ts';
import { can } from '#shared/permissions.ts';
import type { Egg, Location } from '../../catalog/ports.ts';
import type { Tx } from '../../tx.ts';
import { assertAmounts, assertEggMinimum, assertFits, checkVariables, resourcesTaken } from '../core/index.ts';
import type { ServerResources } from '../panel/ports.ts';

/** What somebody asks for: a new server, or a failed one once more. */
interface CreateRequest {
  readonly userId: string;
  readonly permissions: readonly string[];
  readonly locationId: string;
  readonly categoryId: string;
  readonly eggId: string;
  readonly resources: ServerResources;
  readonly variables: Readonly<Record<string, string>>;
  /** Staff leave the owner's limits out (admin.root alone may); everything else is asked of it all the same. */
  readonly beyondLimits?: boolean;
}

/** Whether a server may stand at this place now, VIP aside. */
function locationRefusal(location: Location | null, used: number): 'LOCATION_UNAVAILABLE' | 'LOCATION_FULL' | null {
  if (!location?.online) return 'LOCATION_UNAVAILABLE';
  return used >= location.slots ? 'LOCATION_FULL' : null;
}

/**
 * Everything behaviour 6.1 asks of a server that is to come, in one place (attacks T21, T23, T25). The caller's limits
 * must be locked; the location gets locked, so that its last slot is given once. The insert that follows in the same
 * transaction is the reservation. Throws the code of the first refusal. Out: egg, location, and the variables to keep.
 */
export async function validateCreate(
  deps: LifecycleDeps,
  tx: Tx,
  request: CreateRequest,
): Promise<{ egg: Egg; location: Location; variables: Record<string, string> }> {
  if (!deps.settings.flags().allow_servers) throw new DomainError('FEATURE_DISABLED');
  assertAmounts(request.resources);
  const egg = await tx.catalog.egg(request.eggId);
  const category = await tx.catalog.category(request.categoryId);
  if (!egg?.enabled || !category?.enabled) throw new DomainError('EGG_UNAVAILABLE');
  if (egg.categoryId !== category.id) throw new DomainError('EGG_CATEGORY_MISMATCH');
  const location = await tx.catalog.lockLocation(request.locationId);
  if (!location?.online) throw new DomainError('LOCATION_UNAVAILABLE');
  if ((egg.vipOnly || location.vipOnly) && !can(request.permissions, 'user.permission.vip'))
    throw new DomainError('VIP_ONLY');
  const refusal = locationRefusal(location, await tx.catalog.locationUse(location.id));
  if (refusal) throw new DomainError(refusal);
  const closed = deps.panels.find(location.panel)?.refusal?.(egg, request.permissions) ?? null;
  if (closed) throw new DomainError(closed);
  assertEggMinimum(egg, request.resources);
  const variables = checkVariables(egg.variables, request.variables);
  if (!request.beyondLimits)
    assertFits(await deps.limits.meters(tx, request.userId), resourcesTaken(request.resources, null));
  return { egg, location, variables };
}
