export { checkOutages } from './check-outages.ts';
export { requeueStale, reconcile, type Drift, type Orphan } from './reconcile.ts';
export { syncServer } from './sync.ts';
