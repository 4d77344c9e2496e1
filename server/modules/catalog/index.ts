export { catalogHooks, eggHooks, locationHooks } from './hooks.ts';
export { createCatalog, type Catalog } from './service.ts';
