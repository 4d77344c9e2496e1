export { ensureAccount, followAccount, forgetAccount, sweepAccounts } from './accounts.ts';
