export { tendOutages } from './check-outages.ts';
export { nudge, reconcile, type Drift, type Orphan } from './reconcile.ts';
export { syncServer } from './sync.ts';
