export {
  STAFF_NOTIFICATIONS as NOTICES,
  startOutage as beginOutage,
  covers,
  endOutages,
  notifyStaff,
  findOutage as outageOf,
  claimRetries as takeTries,
  type WaitCause as Wait,
  causeOfFailure as waitOf,
} from './outages.ts';
export { BUILD_LINE, waitingEntries } from './line.ts';
