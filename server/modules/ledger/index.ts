export { createLedger, type Ledger } from './service.ts';
export { recordFaults } from './faults.ts';
export { proveLedger } from './prove.ts';
export type {
  Account,
  HistoryPage,
  HistoryQuery,
  LedgerEntry,
  LedgerFault,
  Place,
  Posting,
  SystemAccount,
} from './ports.ts';
