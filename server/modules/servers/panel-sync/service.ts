import { withDeps } from '../core/index.ts';
import { checkOutages } from './check-outages.ts';
import { reconcile, requeueStale } from './reconcile.ts';
import { syncServer } from './sync.ts';
import type { PanelSyncDeps } from './deps.ts';

/** Panels brought to what we want of servers, and compared with it. */
export type PanelSync = ReturnType<typeof createPanelSync>;

/** Panels brought to what we want of servers, and compared with it. */
export const createPanelSync = (deps: PanelSyncDeps) =>
  withDeps(deps, {
    syncServer,
    reconcile,
    requeueStale,
    checkOutages,
  });
