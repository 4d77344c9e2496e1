export type { CrudHooks } from './hooks.ts';
export type { CrudQuery, CrudRepo, CrudStore, CrudValues } from './ports.ts';
