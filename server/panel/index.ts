export { createEmbeddedPanel, type EmbeddedDeps, type EmbeddedStore } from './embedded/panel.ts';
export {
  connectRedis,
  createHttpPanel,
  createPanelBudgets,
  createRedisBucket,
  detectDialect,
  machineTimer,
  type HttpPanel,
  type HttpPanelDeps,
  type HttpPanelRow,
  type PanelBudgets,
  type PanelTimer,
  type Reason,
  type RedisLink,
  type SharedBucket,
} from './http/index.ts';
