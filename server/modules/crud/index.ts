export type { CrudHooks } from './hooks.ts';
export type { CrudStore, CrudValues } from './ports.ts';
