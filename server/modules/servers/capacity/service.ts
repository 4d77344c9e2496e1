import { withDeps } from '../core/index.ts';
import { refreshNodes, refreshNodesOrThrow, sweepReservations } from './refresh.ts';
import { confirm, loadCapacity, release, relocate, reserve, reserveChange } from './reserve.ts';
import type { CapacityDeps } from './deps.ts';

/** What nodes have, and what is promised of it. */
export type Capacity = ReturnType<typeof createCapacity>;

/** What nodes have, and what is promised of it. */
export const createCapacity = (deps: CapacityDeps) =>
  withDeps(deps, {
    load: loadCapacity,
    reserve,
    reserveChange,
    relocate,
    confirm,
    release,
    refresh: refreshNodes,
    refreshOrThrow: refreshNodesOrThrow,
    sweepReservations,
  });
