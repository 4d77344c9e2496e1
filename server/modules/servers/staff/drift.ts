import type { StaffDeps } from './deps.ts';
import { DomainError } from '#shared/errors.ts';
import { DAY } from '#shared/time.ts';
import type { SignedIn } from '../../kernel.ts';
import { getOwnerByLogin } from '../lifecycle/index.ts';
import { SERVER_JOBS, type StaffDriftQuery } from '../core/index.ts';

/**
 * Names of the runs in which every panel is compared with our rows: by the scheduler (work.ts), and because staff
 * asked.
 */
const RECONCILE_TASKS: ReadonlySet<string> = new Set(['servers.reconcile', SERVER_JOBS.reconcile]);

/** One page of what differs between panels and us, and when they were last compared. */
export function driftList(deps: StaffDeps, query: StaffDriftQuery) {
  return deps.uow.read(async (tx) => ({
    ...(await tx.staffServers.listDrift(query)),
    kinds: await tx.staffServers.countDriftKinds(),
    panels: await tx.staffServers.listPanels(),
    lastMs: (await tx.jobs.listSchedules()).reduce<number | null>(
      (last, { name, lastMs }) => (RECONCILE_TASKS.has(name) && lastMs !== null ? Math.max(last ?? 0, lastMs) : last),
      null,
    ),
  }));
}

/** Compares every panel with our rows because staff asked, and notes when. */
export async function reconcileNow(deps: StaffDeps): Promise<void> {
  const begun = deps.clock.now();
  await deps.panelSync.reconcile();
  await deps.uow.run(async (tx) => void (await tx.jobs.beginRun(SERVER_JOBS.reconcile, begun, begun, null)));
}

/**
 * A server that only a panel has, as the panel shows it now, with the locations and the software it could be taken over
 * as. `found` is null where the panel does not say. Throws NOT_FOUND for what is not on the list, and for the embedded
 * panel, whose servers all are ours.
 */
export async function adoptable(deps: StaffDeps, panel: string, ref: string) {
  const { drift, locations, eggs, bound } = await deps.uow.read(async (tx) => ({
    drift: panel === '' ? null : await tx.staffServers.findDrift(panel, 'orphan', ref),
    locations: (await tx.catalog.locations())
      .filter((location) => location.panel === panel)
      .map(({ id, name }) => ({ id, name })),
    eggs: await tx.catalog.eggs(),
    bound: panel === '' ? new Map<string, string>() : await tx.panelLinks.boundEggs(panel),
  }));
  if (!drift) throw new DomainError('NOT_FOUND');
  const read = await deps.callPanel(panel, 'read', (it) => it.readServer(ref));
  const ours = new Set(bound.values());
  return {
    drift,
    locations,
    eggs: eggs.filter((egg) => ours.has(egg.id)).map(({ id, name }) => ({ id, name })),
    found: read.outcome === 'ok' ? read.value : null,
    /** Our software that the panel's egg is bound as. */
    egg: read.outcome === 'ok' ? (bound.get(read.value.egg ?? '') ?? null) : null,
    days: deps.settings.flags().server_renew_enabled ? deps.settings.current().server_renew_days : null,
  };
}

export interface StaffAdoption {
  readonly panel: string;
  readonly ref: string;
  /** Username, address or id. */
  readonly owner: string;
  /** Days it is paid for from now on; null: as the installation's renewals say. */
  readonly days: number | null;
  readonly locationId: string | null;
  readonly eggId: string | null;
}

/**
 * Takes a server of a panel over for a user; see adoptServer for what is asked of it and what is thrown, besides what
 * getOwnerByLogin throws.
 */
export async function adoptAsStaff(
  deps: StaffDeps,
  ctx: SignedIn,
  { panel, ref, days, ...input }: StaffAdoption,
): Promise<{ id: string }> {
  const user = await deps.uow.read((tx) => getOwnerByLogin(tx, input.owner));
  const expiresMs = days === null ? null : deps.clock.now() + days * DAY;
  const { locationId, eggId } = input;
  const { id } = await deps.lifecycle.adopt(ctx, {
    panel,
    panelId: ref,
    userId: user.id,
    expiresMs,
    locationId,
    eggId,
  });
  // The next comparison would take it off the list as well.
  await deps.uow.run((tx) => tx.staffServers.deleteDrift(panel, 'orphan', ref));
  return { id };
}
