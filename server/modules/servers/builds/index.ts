export { createBuildWorker } from './worker.ts';
export { FAILURES, giveUpMs } from './leased-entry.ts';
export { failBuild, failServer } from './finish.ts';
export {
  cancelEntry,
  createFor,
  dropEntry,
  entriesView,
  entryView,
  optionsFor,
  retryEntry,
  type WaitingEntry,
} from './staff-queue.ts';
