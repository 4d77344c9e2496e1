export { createQueue } from './queue.ts';
export { FAILURES, giveUpMs } from './held.ts';
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
