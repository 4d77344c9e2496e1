export { createPanelBudgets, type PanelBudgets } from './budget.ts';
export type { HttpPanelDeps } from './client.ts';
export { createHttpPanel, detectDialect, type HttpPanel } from './panel.ts';
export { createRedisBucket } from './redis.ts';
export { machineTimer, type PanelTimer } from './timer.ts';
