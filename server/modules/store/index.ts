export type { Purchase } from './ports.ts';
export { createStore, type Bought, type Order, type Shop, type Store } from './service.ts';
