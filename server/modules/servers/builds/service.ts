import { withDeps } from '../core/index.ts';
import { failBuild, failServer } from './finish.ts';
import { maxWaitMs } from './leased-entry.ts';
import {
  cancelEntry,
  createFor,
  deleteEntry,
  listEntries,
  getEntryDetail,
  optionsFor,
  retryEntry,
} from './staff-queue.ts';
import type { BuildsDeps } from './deps.ts';

/** Servers that are built, and the queue entries in which they wait. */
export type Builds = ReturnType<typeof createBuilds>;

/** Servers that are built, and the queue entries in which they wait. */
export const createBuilds = (deps: BuildsDeps) =>
  withDeps(deps, {
    failBuild,
    failServer,
    maxWaitMs,
    listEntries,
    getEntryDetail,
    optionsFor,
    createFor,
    retryEntry,
    cancelEntry,
    deleteEntry,
  });
