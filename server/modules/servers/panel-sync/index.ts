export type { Drift, Orphan } from './reconcile.ts';
export { createPanelSync, type PanelSync } from './service.ts';
