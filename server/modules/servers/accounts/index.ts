export { ensureAccount, syncAccounts, forgetAccount, enqueueStaleAccounts } from './accounts.ts';
