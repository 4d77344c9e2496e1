export { FAILURES } from './leased-entry.ts';
export { createBuilds, type Builds } from './service.ts';
export type { WaitingEntry } from './staff-queue.ts';
export { createBuildWorker } from './worker.ts';
