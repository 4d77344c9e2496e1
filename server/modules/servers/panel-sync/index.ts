export { checkOutages } from './check-outages.ts';
export { requeueStale, reconcile } from './reconcile.ts';
export { syncServer } from './sync.ts';
