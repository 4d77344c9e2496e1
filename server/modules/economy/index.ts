export { createEconomy, type Economy } from './service.ts';
