import type { SettingValues } from '#shared/settings.ts';
import type { Events } from '../../events/index.ts';
import type { Discord, Identities } from '../../identities/index.ts';
import type { Clock, Ids, Log } from '../../kernel.ts';
import type { Ledger } from '../../ledger/index.ts';
import type { UnitOfWork } from '../../tx.ts';
import type { Counters } from '../counters/index.ts';
import type { Payout } from '../payout/index.ts';

export interface J4rDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly settings: { current(): SettingValues };
  readonly ledger: Pick<Ledger, 'transfer'>;
  readonly counters: Pick<Counters, 'state' | 'findRefusal'>;
  readonly payout: Pick<Payout, 'pay' | 'cancelHeld'>;
  readonly identities: Pick<Identities, 'listByUser' | 'withAccess'>;
  readonly discord: Discord;
  readonly events: Pick<Events, 'emit'>;
}
