export {
  ensureAccount,
  syncAccounts as followAccount,
  forgetAccount,
  enqueueStaleAccounts as sweepAccounts,
} from './accounts.ts';
