import type { Clock, Ids } from '../../kernel.ts';
import type { UnitOfWork } from '../../tx.ts';
import type { ServerHistory } from '../core/index.ts';
import type { CallPanel, PanelRegistry } from '../panel/index.ts';
import type { PlayerQuery } from './players.ts';

/** What live usage and power need. */
export interface LiveDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly panels: PanelRegistry;
  readonly history: ServerHistory;
  readonly callPanel: CallPanel;
  readonly queryPlayers: PlayerQuery;
}
