export { BUILD_LINE, waitingEntries } from './line.ts';
export { covers, findOutage, isReported, type WaitCause } from './outages.ts';
export { createOutages, type Outages } from './service.ts';
