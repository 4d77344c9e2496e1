export {
  STAFF_NOTIFICATIONS as NOTICES,
  startOutage as beginOutage,
  endOutages,
  notifyStaff,
  findOutage as outageOf,
  claimRetries as takeTries,
  type WaitCause as Wait,
  causeOfFailure as waitOf,
} from './outages.ts';
