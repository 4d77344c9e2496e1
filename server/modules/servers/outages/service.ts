import { withDeps } from '../core/index.ts';
import { causeOfFailure, claimRetries, endOutages, reportOutage, startOutage } from './outages.ts';
import type { OutagesDeps } from './deps.ts';

/** Panels and nodes that take no orders: begun, tried again, ended, and staff notified of them. */
export type Outages = ReturnType<typeof createOutages>;

/** Panels and nodes that take no orders: begun, tried again, ended, and staff notified of them. */
export const createOutages = (deps: OutagesDeps) =>
  withDeps(deps, {
    causeOf: causeOfFailure,
    claimRetries,
    start: startOutage,
    end: endOutages,
    report: reportOutage,
  });
