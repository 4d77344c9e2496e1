import { withDeps } from '../core/index.ts';
import { enqueueStaleAccounts, ensureAccount, forgetAccount, syncAccounts } from './accounts.ts';
import type { AccountsDeps } from './deps.ts';

/** Accounts of users at panels. */
export type Accounts = ReturnType<typeof createAccounts>;

/** Accounts of users at panels. */
export const createAccounts = (deps: AccountsDeps) =>
  withDeps(deps, {
    ensure: ensureAccount,
    forget: forgetAccount,
    sync: syncAccounts,
    enqueueStale: enqueueStaleAccounts,
  });
