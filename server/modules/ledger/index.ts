export { createLedger, type Ledger } from './service.ts';
export type { Account, LedgerEntry, Posting, SystemAccount } from './ports.ts';
