import type { Clock } from '../../kernel.ts';
import type { Ledger } from '../../ledger/index.ts';
import type { Settings } from '../core/index.ts';

/** What debts of deleted servers need. */
export interface DebtsDeps {
  readonly clock: Clock;
  readonly settings: Settings;
  readonly ledger: Pick<Ledger, 'hold' | 'capture' | 'release'>;
}
