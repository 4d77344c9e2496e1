export { checkOutages as tendOutages } from './check-outages.ts';
export { requeueStale as nudge, reconcile, type Drift, type Orphan } from './reconcile.ts';
export { syncServer } from './sync.ts';
