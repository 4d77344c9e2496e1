export { createPanelBudgets, type PanelBudgets, type SharedBucket } from './budget.ts';
export type { HttpPanelDeps } from './client.ts';
export { createHttpPanel, detectDialect, type HttpPanel, type HttpPanelRow } from './panel.ts';
export { connectRedis, createRedisBucket, type RedisLink } from './redis.ts';
export type { Reason } from './refusals.ts';
export { machineTimer, type PanelTimer } from './timer.ts';
