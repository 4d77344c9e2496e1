export {
  STAFF_NOTIFICATIONS,
  startOutage,
  endOutages,
  notifyStaff,
  findOutage,
  claimRetries,
  type WaitCause,
  causeOfFailure,
} from './outages.ts';
