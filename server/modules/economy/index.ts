export { endsOf } from './figures.ts';
export { createEconomy, type Economy } from './service.ts';
