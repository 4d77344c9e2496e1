import type { Clock, Ids, Log, Sealer } from '../kernel.ts';
import type { NewJob } from '../jobs/ports.ts';
import type { Tx, UnitOfWork } from '../tx.ts';
import type { ConnectionRegistry } from './connection-registry.ts';
import type { Connector, KindOfHost } from './ports.ts';

export interface PanelsDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly sealer: Sealer;
  readonly registry: ConnectionRegistry;
  /** The way to a panel that is not stored (yet). */
  readonly connector: Connector;
  readonly kindOfHost: KindOfHost;
}

/** Kinds of job of this module. */
export const PANEL_JOBS = {
  /** Reads the catalogue of a panel: {panelId}. */
  sync: 'panels.sync',
} as const;

/** Has a panel's catalogue read; one unfinished job a panel. */
export async function enqueueSync(
  { ids, clock }: Pick<PanelsDeps, 'ids' | 'clock'>,
  tx: Tx,
  panelId: string,
): Promise<void> {
  const job: NewJob = { kind: PANEL_JOBS.sync, payload: { panelId }, uniqueKey: `${PANEL_JOBS.sync}:${panelId}` };
  await tx.jobs.add({ ...job, id: ids.uuid(), createdMs: clock.now() });
  tx.touch('jobs');
}
