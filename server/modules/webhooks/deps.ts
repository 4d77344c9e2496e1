import type { SettingValues } from '#shared/settings.ts';
import type { EndpointKind } from '#shared/webhooks.ts';
import type { Events } from '../events/index.ts';
import type { Bus, Clock, Ids, Log, Sealer } from '../kernel.ts';
import type { Tx, UnitOfWork } from '../tx.ts';
import type { WebhookEvent, WebhookSender } from './ports.ts';

/** Others who get events by the same outbox. */
export interface OutboxSubscribers {
  /** Patterns of the events that they want now. */
  patterns(): readonly string[];
  /** Adds new events to theirs, in the transaction that takes these off the outbox. */
  add(tx: Tx, events: readonly WebhookEvent[]): Promise<void>;
}

export interface WebhooksDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly bus: Bus;
  readonly sealer: Sealer;
  readonly events: Pick<Events, 'emit'>;
  readonly settings: {
    current(): Pick<SettingValues, 'outbound_private_networks' | 'webhook_retention_days' | 'discord_api_url'>;
  };
  readonly senders: Readonly<Record<EndpointKind, WebhookSender>>;
  /** The built-in plugin of a kind: while it is off, nothing is kept for its endpoints and nothing is sent to them. */
  readonly plugin: { isOn(kind: EndpointKind): boolean };
  readonly subscribers?: OutboxSubscribers;
  /** A number from 0 to 1, for the jitter of pauses. */
  readonly random: () => number;
}

/** The topic that endpoints, or what becomes of their deliveries, changed. */
export const WEBHOOKS_TOPIC = 'webhooks';
/** The topic that an event waits to be given to endpoints. */
export const EVENTS_TOPIC = 'webhooks:events';

/** Gives new events to the endpoints that want them. */
export const DISPATCH_JOB = 'webhooks.dispatch';
/** Sends what is due to one endpoint. */
export const SEND_JOB = 'webhooks.send';
/** Has what is due at a moment sent. */
export const REQUEST_SENDING_JOB = 'webhooks.request_sending';
