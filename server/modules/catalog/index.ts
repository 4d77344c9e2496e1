export { catalogHooks, eggHooks, locationHooks } from './hooks.ts';
export type { CatalogRepo, Egg, EggCategory, Location } from './ports.ts';
export { createCatalog, type Catalog } from './service.ts';
