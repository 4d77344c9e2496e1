export { createEmbeddedPanel, type MachineRuntime } from './embedded/panel.ts';
export {
  RECIPE_IDS,
  RUNTIME_SIGNALS,
  RUNTIME_STATES,
  type RecipeId,
  type Runtime,
  type RuntimeServer,
  type RuntimeSignal,
  type RuntimeSpec,
  type RuntimeState,
} from './embedded/runtime.ts';
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
