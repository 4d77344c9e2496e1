import type { Clock } from '../../kernel.ts';
import type { Ledger } from '../../ledger/index.ts';
import type { Capacity } from '../capacity/index.ts';
import type { Limits, Settings } from '../core/index.ts';
import type { Debts } from '../debts/index.ts';
import type { PanelRegistry } from '../panel/index.ts';
import type { WaitingList } from '../waiting-list/index.ts';

/** What the questions about servers need. */
export interface QueriesDeps {
  readonly clock: Clock;
  readonly panels: PanelRegistry;
  readonly settings: Settings;
  readonly ledger: Pick<Ledger, 'balance'>;
  readonly limits: Limits;
  readonly capacity: Pick<Capacity, 'load'>;
  readonly debts: Pick<Debts, 'find'>;
  readonly waitingList: Pick<WaitingList, 'list'>;
}
