export type { CrudHooks, CrudQuery, CrudRepo, CrudStore, CrudValues } from './ports.ts';
