import type { Events } from '../events/index.ts';
import type { Clock, Ids, Log } from '../kernel.ts';
import type { Ledger } from '../ledger/index.ts';
import type { LongReads, UnitOfWork } from '../tx.ts';
import type { SettingValues } from '#shared/settings.ts';
import type { HostedImage, ImageCodec, ImageStores } from './ports.ts';

export interface ImagesDeps {
  readonly uow: UnitOfWork;
  readonly long: LongReads;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly settings: { current(): SettingValues };
  readonly events: Pick<Events, 'emit'>;
  readonly ledger: Pick<Ledger, 'transfer' | 'balance'>;
  /** Keyed hashes, for what deletes an image without a session. */
  readonly keyed: { mac(purpose: string, text: string): string };
  readonly bus: { subscribe(topic: string, listener: () => void): () => void };
  /** Whether addresses have to be confirmed. */
  readonly requiresVerification: () => boolean;
  readonly codec: ImageCodec;
  readonly stores: ImageStores;
}

/** The topic that an image changed: what is known of it is not so any more. */
export const imageTopic = (id: string): string => `image:${id}`;
/** The topic that somebody's library changed. */
export const libraryTopic = (userId: string): string => `images:${userId}`;

/** What deletes an image without a session: known to whoever uploaded it, kept nowhere. */
export const deleteTokenOf = ({ keyed }: Pick<ImagesDeps, 'keyed'>, { id }: Pick<HostedImage, 'id'>): string =>
  keyed.mac('image-delete', id);
