import type { SettingValues } from '#shared/settings.ts';
import type { Events } from '../events/index.ts';
import type { Images } from '../images/index.ts';
import type { Clock, Ids, Log, SignedIn } from '../kernel.ts';
import type { UnitOfWork } from '../tx.ts';

export interface ImageReportsDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Pick<Log, 'error'>;
  readonly keyed: { mac(purpose: string, text: string): string };
  readonly settings: { current(): Pick<SettingValues, 'image_report_days'> };
  readonly events: Pick<Events, 'emit'>;
  readonly images: Pick<Images, 'moderation'>;
  /** Bans a user; throws as `identity.ban` does. */
  readonly ban: (ctx: SignedIn, userId: string, terms: { reason: string; untilMs: number | null }) => Promise<void>;
  /** The network of an address: what visitors without a session are counted by. */
  readonly networkOf: (address: string) => string;
}
