export { createEconomy, type Economy, type EconomyView } from './service.ts';
