import type { LifecycleDeps } from './deps.ts';
import { DomainError, type FieldErrors } from '#shared/errors.ts';
import { runOnce } from '../../idempotency/index.ts';
import type { SignedIn } from '../../kernel.ts';
import {
  lockOwnServer,
  lockServerFor,
  assertAmounts,
  assertEggMinimum,
  assertFits,
  SERVER_KINDS,
  resourcesTaken,
  updateRefusal,
} from '../core/index.ts';
import type { PanelServer, ServerResources } from '../panel/ports.ts';
import type { ServerRow } from '../core/ports.ts';
import { changedVariables } from './variables.ts';

interface UpdateInput {
  readonly name: string;
  readonly description: string;
  readonly resources: ServerResources;
  /** The owner's values of the egg's variables; what is left out stays as it is. They count from the next start. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** Kinds of which the panel may know how much is in use. */
const COUNTED = ['databases', 'backups', 'disk', 'memory'] as const;

/**
 * What is in use of a server that is to get less, asked of the panel before the transaction. Null where nothing gets
 * less. Throws SERVER_UNAVAILABLE where the panel does not answer: then nobody knows, and nothing is taken away.
 */
async function usageOf(
  deps: LifecycleDeps,
  server: ServerRow,
  wanted: ServerResources,
): Promise<PanelServer['usage'] | null> {
  if (
    server.panelId === null ||
    updateRefusal(server.state) ||
    !COUNTED.some((kind) => wanted[kind] < server.resources[kind])
  )
    return null;
  const { panelId } = server;
  const read = await deps.callPanel(server.panel, 'read', (panel) => panel.readServer(panelId));
  if (read.outcome !== 'ok') throw new DomainError('SERVER_UNAVAILABLE', { retryAfterS: 30 });
  return read.value.usage;
}

/** Refuses less than is in use. Throws BELOW_USAGE. */
function assertAboveUsage(usage: PanelServer['usage'] | null, wanted: ServerResources, has: ServerResources): void {
  if (!usage) return;
  const fields: FieldErrors = {};
  for (const kind of COUNTED) {
    if (wanted[kind] < has[kind] && wanted[kind] < (usage[kind] ?? 0)) fields[kind] = ['TOO_SMALL'];
  }
  if (Object.keys(fields).length > 0) throw new DomainError('BELOW_USAGE', { fields });
}

function changedFields(server: ServerRow, input: UpdateInput): string[] {
  const kinds = SERVER_KINDS.filter((kind) => input.resources[kind] !== server.resources[kind]);
  return [
    ...(input.name === server.name ? [] : ['name']),
    ...(input.description === server.description ? [] : ['description']),
    ...kinds,
  ];
}

/**
 * Changes name, description and resources of a server (behaviour 6.4). Only what is taken on top is checked against the
 * limits. The panel follows by a job. Throws NOT_FOUND, SERVER_SUSPENDED, SERVER_BUSY, SERVER_NOT_READY,
 * BELOW_EGG_MINIMUM, BELOW_USAGE, NOT_ENOUGH_….
 */
export async function updateServer(
  deps: LifecycleDeps,
  ctx: SignedIn,
  id: string,
  input: UpdateInput,
): Promise<Record<string, never>> {
  const { userId } = ctx.actor;
  assertAmounts(input.resources);
  const seen = await deps.uow.read((tx) => tx.servers.find(id));
  const usage = seen?.userId === userId ? await usageOf(deps, seen, input.resources) : null;
  return runOnce({ uow: deps.uow, now: deps.clock.now() }, ctx, async (tx) => {
    const server = await lockOwnServer(tx, userId, id);
    const refusal = updateRefusal(server.state);
    if (refusal) throw new DomainError(refusal);
    const egg = await tx.catalog.egg(server.eggId);
    const variables = changedVariables(egg, server.variables, input.variables);
    const changed = [...changedFields(server, input), ...(variables ? ['variables'] : [])];
    if (changed.length === 0) return {};
    if (egg) assertEggMinimum(egg, input.resources, server.resources);
    assertAboveUsage(usage, input.resources, server.resources);
    assertFits(await deps.limits.meters(tx, userId), resourcesTaken(input.resources, server.resources));
    await deps.capacity.reserveChange(tx, server, input.resources);
    const revision = server.revision + 1;
    const change = {
      name: input.name,
      description: input.description,
      resources: input.resources,
      revision,
      ...(variables ? { variables, startupRevision: revision } : {}),
    };
    await tx.servers.update(id, change, deps.clock.now());
    await deps.jobs.enqueueSync(tx, { id, revision });
    await deps.history.record(tx, server, 'updated', changed.join(', '), userId);
    tx.touch(`user:${userId}`);
    return {};
  });
}

/**
 * Changes values of the egg's variables (behaviour 6.1), by the owner, staff or whoever has the right `startup`; they
 * count from the next start. What is left out stays. Throws NOT_FOUND, FORBIDDEN, SERVER_SUSPENDED, SERVER_BUSY,
 * SERVER_NOT_READY, EGG_UNAVAILABLE, VALIDATION_FAILED with `variables.<NAME>`.
 */
export function updateVariables(
  deps: LifecycleDeps,
  ctx: SignedIn,
  id: string,
  values: Readonly<Record<string, string>>,
): Promise<void> {
  return deps.uow.run(async (tx) => {
    const access = await lockServerFor(tx, ctx.actor, id, 'startup');
    const { server } = access;
    const refusal = updateRefusal(server.state);
    if (refusal) throw new DomainError(refusal);
    const variables = changedVariables(await tx.catalog.egg(server.eggId), server.variables, values);
    if (!variables) return;
    const revision = server.revision + 1;
    await tx.servers.update(id, { variables, revision, startupRevision: revision }, deps.clock.now());
    await deps.jobs.enqueueSync(tx, { id, revision });
    await deps.history.recordAct(tx, ctx, access, {
      event: 'updated',
      detail: 'variables',
      audit: { action: 'servers.variables', after: { variables: Object.keys(values) } },
    });
  });
}
