export { createEconomy, SWITCHES, type Economy, type EconomyView } from './service.ts';
