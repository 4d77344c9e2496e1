export type { Purchase } from './ports.ts';
export { createStore, type Store } from './service.ts';
