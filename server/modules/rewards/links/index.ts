export { createLinks, type Links } from './service.ts';
export type { LinksDeps } from './deps.ts';
export type { LinksPage } from './views.ts';
