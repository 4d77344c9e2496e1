export type { CarriedDebt } from './debts.ts';
export { createDebts, type Debts } from './service.ts';
