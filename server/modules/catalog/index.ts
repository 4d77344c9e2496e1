export { categoryHooks, eggHooks, locationHooks } from './hooks.ts';
export { createCatalog } from './service.ts';
