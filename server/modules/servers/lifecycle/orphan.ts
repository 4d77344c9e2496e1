import type { LifecycleDeps } from './deps.ts';
import { DomainError } from '#shared/errors.ts';
import { MINUTE } from '#shared/time.ts';
import { writeAudit } from '../../audit/index.ts';
import type { SignedIn } from '../../kernel.ts';
import type { Tx } from '../../tx.ts';
import type { PanelAnswer, PanelServer } from '../panel/ports.ts';

/** A server that only a panel has, by the panel's id of it, and its name as staff typed it. */
export interface NamedOrphan {
  readonly panel: string;
  readonly ref: string;
  readonly name: string;
}
interface OrphanRef {
  readonly panel: string;
  readonly ref: string;
}

/**
 * How long a deletion keeps others away from the server: longer than the slowest answer of a panel (writes end after 60
 * s), and than anybody who has read the server before may take to write it down.
 */
const DELETION_MS = 2 * MINUTE;
const deletionKey = ({ panel, ref }: OrphanRef): string => `orphan:${panel}:${ref}`;
const normalizeName = (name: string): string => name.replaceAll(/\s+/g, ' ').trim();

/** Refuses a server that is being deleted at its panel. To be asked with the panel's capacity locked. Throws CONFLICT. */
export async function assertNotBeingDeleted(tx: Tx, place: OrphanRef): Promise<void> {
  if (await tx.staffServers.isJobOpen(deletionKey(place))) throw new DomainError('CONFLICT');
}

/** Ours, by the panel's id or by an id of ours that it carries, whatever became of that one here. */
async function isOurs(tx: Tx, { panel, ref }: OrphanRef, externalId: string | null): Promise<boolean> {
  return (
    (await tx.servers.findByPanelId(panel, ref)) !== null ||
    (externalId !== null && externalId !== '' && (await tx.servers.find(externalId)) !== null)
  );
}

/**
 * A server on the list that only a panel has, with its name there now (null: the panel does not say). Throws NOT_FOUND
 * for anything else.
 */
export async function getOrphan(deps: LifecycleDeps, panel: string, ref: string) {
  const drift = panel === '' ? null : await deps.uow.read((tx) => tx.staffServers.findDrift(panel, 'orphan', ref));
  if (!drift) throw new DomainError('NOT_FOUND');
  const read = await deps.callPanel(panel, 'read', (it) => it.readServer(ref));
  const externalId = read.outcome === 'ok' ? read.value.externalId : drift.detail;
  return {
    drift,
    name: read.outcome === 'ok' ? read.value.name : null,
    ours: await deps.uow.read((tx) => isOurs(tx, { panel, ref }, externalId)),
  };
}

/**
 * Makes sure that it is nobody's and stays so while the panel is asked. The job that keeps others away reads the node
 * again afterwards.
 */
function beginDeletion(deps: LifecycleDeps, ctx: SignedIn, place: OrphanRef, found: PanelServer): Promise<void> {
  const { panel, ref } = place;
  return deps.uow.run(async (tx) => {
    if (!(await tx.capacity.lock(panel))) throw new DomainError('PANEL_UNREACHABLE');
    if (!(await tx.staffServers.findDrift(panel, 'orphan', ref))) throw new DomainError('NOT_FOUND');
    await assertNotBeingDeleted(tx, place);
    if (await isOurs(tx, place, found.externalId)) throw new DomainError('CONFLICT');
    await deps.jobs.enqueueCapacityAt(tx, panel, found.node, deletionKey(place), deps.clock.now() + DELETION_MS);
    await writeAudit(tx, deps, ctx, {
      action: 'servers.orphanDelete',
      target: ref,
      before: { panel, name: found.name },
      after: { outcome: 'asked' },
    });
  });
}

/** Writes down what the panel said. Without an answer the claim stays until its time is over: it may still be done. */
function endDeletion(
  deps: LifecycleDeps,
  ctx: SignedIn,
  place: OrphanRef,
  outcome: PanelAnswer<null>['outcome'],
): Promise<void> {
  return deps.uow.run(async (tx) => {
    if (outcome === 'ok' || outcome === 'not_found')
      return tx.staffServers.deleteDrift(place.panel, 'orphan', place.ref);
    if (outcome !== 'unknown') await tx.staffServers.deleteJob(deletionKey(place));
    await writeAudit(tx, deps, ctx, {
      action: 'servers.orphanDelete',
      target: place.ref,
      before: { panel: place.panel },
      after: { outcome },
    });
  });
}

const REFUSALS = {
  refused: 'PANEL_REFUSED',
  conflict: 'SERVER_BUSY',
  unavailable: 'PANEL_UNREACHABLE',
  unknown: 'PANEL_UNREACHABLE',
} as const;

/**
 * Deletes a server that only a panel has, at that panel, once its name there was typed. Never one that is ours, or is
 * being taken over just now. Once, however many ask. Throws NOT_FOUND for what is not on the list or not there any
 * more, NAME_MISMATCH, CONFLICT, PANEL_REFUSED, SERVER_BUSY, and PANEL_UNREACHABLE where the panel did not answer (then
 * it may have been done).
 */
export async function deleteOrphan(
  deps: LifecycleDeps,
  ctx: SignedIn,
  { panel, ref, name }: NamedOrphan,
): Promise<void> {
  const place = { panel, ref };
  if (!(await deps.uow.read((tx) => tx.staffServers.findDrift(panel, 'orphan', ref))))
    throw new DomainError('NOT_FOUND');
  const read = await deps.callPanel(panel, 'read', (it) => it.readServer(ref));
  if (read.outcome === 'not_found') throw new DomainError('NOT_FOUND');
  if (read.outcome !== 'ok') throw new DomainError(REFUSALS[read.outcome]);
  if (normalizeName(name) !== normalizeName(read.value.name))
    throw new DomainError('NAME_MISMATCH', { fields: { name: ['NAME_MISMATCH'] } });
  await beginDeletion(deps, ctx, place, read.value);
  const answer = await deps.callPanel(panel, 'delete', (it) => it.deleteServer(ref));
  await endDeletion(deps, ctx, place, answer.outcome);
  if (answer.outcome !== 'ok' && answer.outcome !== 'not_found') throw new DomainError(REFUSALS[answer.outcome]);
}
