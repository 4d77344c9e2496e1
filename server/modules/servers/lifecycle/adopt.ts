import type { LifecycleDeps } from './deps.ts';
import { RESOURCE_KINDS, type Resources } from '#shared/constants.ts';
import { DomainError } from '#shared/errors.ts';
import { SERVER_DESCRIPTION_MAX, SERVER_NAME_MAX } from '#shared/schemas/server.ts';
import { writeAudit } from '../../audit/index.ts';
import type { Egg } from '../../catalog/ports.ts';
import { runOnce } from '../../idempotency/index.ts';
import type { Ctx } from '../../kernel.ts';
import type { Tx } from '../../tx.ts';
import { eligibleNodes } from '../capacity/index.ts';
import { assertAmounts, assertFits, resourcesTaken } from '../core/index.ts';
import { assertNotBeingDeleted } from './orphan.ts';
import { reportedState } from '../panel/index.ts';
import type { PanelServer } from '../panel/ports.ts';
import type { ServerRow } from '../core/ports.ts';

/**
 * A server that a panel has and we do not, and whose it is to be. Without `locationId` or `eggId` they follow from its
 * node and its egg.
 */
interface AdoptInput {
  readonly panel: string;
  readonly panelId: string;
  readonly userId: string;
  readonly expiresMs: number | null;
  readonly locationId: string | null;
  readonly eggId: string | null;
  /** Limits that are too low for it are raised to it: its owner has had it all along. */
  readonly raisesLimits?: boolean;
}

/** A text of the panel's as one of ours: without what cannot be seen, and as long as ours may be. */
function sanitizeText(text: string, max: number): string {
  return [...text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim()].slice(0, max).join('').trim();
}

/**
 * The server as the panel has it now. Throws NOT_FOUND, SERVER_UNAVAILABLE where the panel does not say,
 * SERVER_NOT_READY while it installs or failed to.
 */
async function readServer(deps: LifecycleDeps, { panel, panelId }: AdoptInput): Promise<PanelServer> {
  const read = await deps.callPanel(panel, 'read', (it) => it.readServer(panelId));
  if (read.outcome === 'not_found') throw new DomainError('NOT_FOUND');
  if (read.outcome !== 'ok') throw new DomainError('SERVER_UNAVAILABLE', { retryAfterS: 30 });
  if (read.value.state !== 'ready') throw new DomainError('SERVER_NOT_READY');
  // The ports it holds must be known here before they are its own.
  if (read.value.node !== null)
    await deps.capacity
      .refreshOrThrow(panel, read.value.node)
      .catch(() => deps.log.info('servers.adopt_capacity', { panel }));
  return read.value;
}

/**
 * Where it belongs with us, and what it runs. Throws LOCATION_UNAVAILABLE, EGG_UNAVAILABLE where nothing of ours is
 * bound to that.
 */
async function findLocationAndEgg(
  tx: Tx,
  input: AdoptInput,
  found: PanelServer,
): Promise<{ locationId: string; egg: Egg }> {
  const here = (await tx.capacity.nodes(input.panel))
    .filter((node) => node.node === found.node)
    .map((node) => ({ ...node, public: true, maintenance: false }));
  const locations = (await tx.catalog.locations()).filter(
    (location) => location.panel === input.panel && eligibleNodes(location, here).length > 0,
  );
  const location = input.locationId === null ? locations[0] : locations.find(({ id }) => id === input.locationId);
  if (!location) throw new DomainError('LOCATION_UNAVAILABLE');
  const bound = await tx.panelLinks.boundEggs(input.panel);
  const egg = await tx.catalog.egg(input.eggId ?? bound.get(found.egg ?? '') ?? '');
  if (!egg || (await tx.panelLinks.findPanelEgg(egg.id, input.panel)) !== found.egg)
    throw new DomainError('EGG_UNAVAILABLE');
  return { locationId: location.id, egg };
}

/**
 * Nobody's yet: neither by the panel's id nor by our id that it may carry, and staff are not deleting it. Throws
 * CONFLICT.
 */
async function assertNotOurs(tx: Tx, { panel, panelId }: AdoptInput, found: PanelServer): Promise<void> {
  if (await tx.servers.findByPanelId(panel, panelId)) throw new DomainError('CONFLICT');
  await assertNotBeingDeleted(tx, { panel, ref: panelId });
  const named = found.externalId === null ? null : await tx.servers.find(found.externalId);
  if (named && named.panel === panel && named.state !== 'failed' && named.state !== 'deleted')
    throw new DomainError('CONFLICT');
}

function changedVariables(egg: Egg, found: PanelServer): Record<string, string> {
  const has = found.environment ?? {};
  const own = egg.variables.filter(
    (variable) =>
      variable.user_editable && Object.hasOwn(has, variable.env) && has[variable.env] !== variable.default_value,
  );
  return Object.fromEntries(own.map((variable) => [variable.env, has[variable.env] ?? '']));
}

function toServerRow(
  deps: LifecycleDeps,
  input: AdoptInput,
  found: PanelServer,
  { locationId, egg }: { locationId: string; egg: Egg },
): ServerRow {
  const now = deps.clock.now();
  const suspended = found.suspended;
  return {
    id: deps.ids.uuid(),
    userId: input.userId,
    name: sanitizeText(found.name, SERVER_NAME_MAX) || `#${found.panelId}`,
    description: sanitizeText(found.description, SERVER_DESCRIPTION_MAX),
    locationId,
    categoryId: egg.categoryId,
    eggId: egg.id,
    resources: found.resources,
    variables: changedVariables(egg, found),
    state: suspended ? 'suspended' : 'active',
    desired: suspended ? 'suspended' : 'running',
    suspendReason: suspended ? 'admin' : null,
    failure: null,
    panel: input.panel,
    panelNode: found.node,
    panelIdentifier: found.identifier,
    panelId: found.panelId,
    panelState: reportedState(found),
    panelSeenMs: now,
    address: found.address,
    revision: 1,
    syncedRevision: 0,
    startupRevision: 0,
    primaryPort: null,
    reinstallMs: null,
    expiresMs: input.expiresMs,
    autoRenew: false,
    autoRenewOrder: 0,
    periods: 0,
    adoptedMs: now,
    createdMs: now,
    updatedMs: now,
  };
}

/** Raises the limits of a user to what they use and are about to use. */
async function raiseLimits(deps: LifecycleDeps, tx: Tx, userId: string, taken: Resources): Promise<void> {
  const meters = await deps.limits.meters(tx, userId);
  for (const kind of RESOURCE_KINDS) {
    const lack = meters[kind].used + taken[kind] - meters[kind].limit;
    if (taken[kind] > 0 && lack > 0) await tx.limits.add(userId, kind, lack);
  }
}

/**
 * Takes a server over that a panel has already (behaviour 6.3): it counts against its new owner's limits like any other
 * (attacks T23), and a job gives it our id and the owner's account at the panel. Exactly once, however often and by
 * however many it is asked for. Throws NOT_FOUND, SERVER_UNAVAILABLE, SERVER_NOT_READY, LOCATION_UNAVAILABLE,
 * EGG_UNAVAILABLE, CONFLICT for what is ours already, VALIDATION_FAILED where the panel gives it "unlimited" amounts
 * (attacks T22), NOT_ENOUGH_….
 */
export async function adoptServer(deps: LifecycleDeps, ctx: Ctx, input: AdoptInput): Promise<{ id: string }> {
  const found = await readServer(deps, input);
  return runOnce({ uow: deps.uow, now: deps.clock.now() }, ctx, async (tx) => {
    await tx.limits.lock(input.userId);
    const user = await tx.identity.findContact(input.userId);
    if (user?.status !== 'active') throw new DomainError('NOT_FOUND');
    if (!(await tx.capacity.lock(input.panel))) throw new DomainError('SERVER_UNAVAILABLE');
    await assertNotOurs(tx, input, found);
    assertAmounts(found.resources);
    const row = toServerRow(deps, input, found, await findLocationAndEgg(tx, input, found));
    const taken = resourcesTaken(row.resources, null);
    if (input.raisesLimits) await raiseLimits(deps, tx, input.userId, taken);
    assertFits(await deps.limits.meters(tx, input.userId), taken);
    await tx.servers.add(row);
    await tx.capacity.replaceAllocations(
      { panel: input.panel, serverId: row.id },
      (found.allocations ?? []).map((each) => each.id),
    );
    await deps.jobs.enqueueSync(tx, row);
    await deps.history.record(tx, row, 'adopted');
    await writeAudit(tx, deps, ctx, {
      action: 'servers.adopt',
      target: row.id,
      before: null,
      after: { panel: input.panel, panel_id: input.panelId, user: input.userId },
    });
    tx.touch(`user:${input.userId}`);
    return { id: row.id };
  });
}
