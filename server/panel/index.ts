export { createEmbeddedPanel, type MachineRuntime } from './embedded/panel.ts';
export {
  RECIPE_IDS,
  RUNTIME_SIGNALS,
  type RecipeId,
  type Runtime,
  type RuntimeMachine,
  type RuntimeServer,
  type RuntimeSignal,
  type RuntimeSpec,
} from './embedded/runtime.ts';
export {
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
export { queryPlayers } from './player-query.ts';
