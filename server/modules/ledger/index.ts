export { createLedger, type Ledger } from './service.ts';
export { createLedgerArchive, keptSince } from './archive.ts';
export { recordFaults } from './faults.ts';
export { proveLedger } from './prove.ts';
export type { Account, HistoryQuery, LedgerEntry, LedgerFault, LedgerCursor, Posting, SpentOn } from './ports.ts';
