import type { SettingValues } from '#shared/settings.ts';
import type { Events } from '../../events/index.ts';
import type { Clock, Log } from '../../kernel.ts';
import type { UnitOfWork } from '../../tx.ts';
import type { Payout } from '../payout/index.ts';

export interface SupportersDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: { current(): SettingValues };
  readonly payout: Pick<Payout, 'pay'>;
  readonly events: Pick<Events, 'emit'>;
  /** Whether addresses have to be confirmed (the setting, and mails leave the house). */
  readonly asksVerification: () => boolean;
}
