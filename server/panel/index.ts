export { createEmbeddedPanel } from './embedded/panel.ts';
export {
  connectRedis,
  createHttpPanel,
  createPanelBudgets,
  createRedisBucket,
  detectDialect,
  machineTimer,
  type HttpPanel,
  type HttpPanelDeps,
  type PanelBudgets,
  type PanelTimer,
} from './http/index.ts';
