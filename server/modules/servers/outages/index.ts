export { BUILD_LINE, waitingEntries } from './line.ts';
export { covers, findOutage, STAFF_NOTIFICATIONS, type WaitCause } from './outages.ts';
export { createOutages, type Outages } from './service.ts';
