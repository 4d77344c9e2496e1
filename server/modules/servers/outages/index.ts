export {
  STAFF_NOTIFICATIONS,
  startOutage,
  covers,
  endOutages,
  notifyStaff,
  findOutage,
  claimRetries,
  type WaitCause,
  causeOfFailure,
} from './outages.ts';
export { BUILD_LINE, waitingEntries } from './line.ts';
