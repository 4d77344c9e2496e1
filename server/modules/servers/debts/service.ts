import { withDeps } from '../core/index.ts';
import { closeDebt, debtIfDeleted, findCarriedDebt, recordDebt, reopenDebt, takeDebt } from './debts.ts';
import type { DebtsDeps } from './deps.ts';

/** What deleted servers leave for the next ones of their owners (behaviour 6.6). */
export type Debts = ReturnType<typeof createDebts>;

/** What deleted servers leave for the next ones of their owners (behaviour 6.6). */
export const createDebts = (deps: DebtsDeps) =>
  withDeps(deps, {
    ifDeleted: debtIfDeleted,
    record: recordDebt,
    find: findCarriedDebt,
    take: takeDebt,
    close: closeDebt,
    reopen: reopenDebt,
  });
