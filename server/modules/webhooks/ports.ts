import type { DeliveryFault, DeliveryState, DisabledCause, EndpointKind } from '#shared/webhooks.ts';

/** Somebody's address that hears of events. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly kind: EndpointKind;
  readonly name: string;
  /** Of a channel of Discord without its token, which is its secret. */
  readonly url: string;
  /** Patterns of events (shared/webhooks.ts). */
  readonly events: readonly string[];
  /** What happens to one object arrives in its order: the next one waits for the one before. */
  readonly ordered: boolean;
  readonly enabled: boolean;
  /** Null where it is on. */
  readonly disabledCause: DisabledCause | null;
  /** Sealed. */
  readonly secret: string;
  /** The one before, which signs as well until `oldUntilMs`. */
  readonly oldSecret: string | null;
  readonly oldUntilMs: number | null;
  readonly secretSetMs: number;
  /** Since when nothing was delivered; null: the last attempt went well, or there was none. */
  readonly failingSinceMs: number | null;
  /** Attempts in a row that did not reach it. */
  readonly unreached: number;
  /** Nothing is sent before this moment. */
  readonly pausedUntilMs: number;
  /** Counts changes by staff. */
  readonly revision: number;
  readonly createdMs: number;
  readonly updatedMs: number;
}
export type EndpointChange = Partial<Omit<WebhookEndpoint, 'id' | 'kind' | 'createdMs'>>;

/** An event as it is sent, the same bytes to everybody and each time. */
export interface WebhookEvent {
  readonly id: string;
  readonly name: string;
  /** What it is about (`field:value`), or ''. */
  readonly object: string;
  readonly body: string;
  readonly createdMs: number;
}

/** An event on its way to an endpoint. */
export interface WebhookDelivery {
  readonly id: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly event: string;
  readonly object: string;
  readonly state: DeliveryState;
  /** Why it failed for good, or the last attempt did; null: none failed, or none was made since it was sent again. */
  readonly fault: DeliveryFault | null;
  /** Attempts in all. */
  readonly tries: number;
  /** Those of them before staff last had it sent again. */
  readonly triesBefore: number;
  /** When it is tried next, while it waits. */
  readonly nextMs: number;
  readonly createdMs: number;
  /** When staff last had it sent again; null: never. */
  readonly resentMs: number | null;
  /** When it was delivered or given up. */
  readonly doneMs: number | null;
}
/** One request and what came of it. */
export interface WebhookAttempt {
  readonly number: number;
  readonly atMs: number;
  readonly tookMs: number;
  readonly fault: DeliveryFault | null;
  /** Null: nobody answered. */
  readonly status: number | null;
  /** How the answer begins. */
  readonly answer: string;
}
/** Where a list of deliveries goes on. */
export interface DeliveryCursor {
  readonly ms: number;
  readonly id: string;
}
/** How an endpoint does. Counts reach a bound. */
export interface EndpointFigures {
  readonly waiting: number;
  readonly failed: number;
  readonly deliveredMs: number | null;
}

export interface WebhooksRepo {
  /** All but those that were removed, the oldest first. */
  listEndpoints(): Promise<WebhookEndpoint[]>;
  findEndpoint(id: string): Promise<WebhookEndpoint | null>;
  /** The same, locked until the transaction ends. */
  lockEndpoint(id: string): Promise<WebhookEndpoint | null>;
  countEndpoints(): Promise<number>;
  addEndpoint(endpoint: WebhookEndpoint): Promise<void>;
  updateEndpoint(id: string, change: EndpointChange): Promise<void>;
  /** Hides one; its deliveries go by and by (`purge`). */
  removeEndpoint(id: string, nowMs: number): Promise<void>;
  figures(endpointId: string): Promise<EndpointFigures>;

  addEvent(event: WebhookEvent, dispatched: boolean): Promise<void>;
  /** Events that nobody was given yet, the oldest first. */
  listNew(limit: number): Promise<WebhookEvent[]>;
  markDispatched(eventIds: readonly string[]): Promise<void>;

  /** Adds some, in one statement; none where the endpoint has that event already. */
  addDeliveries(deliveries: readonly WebhookDelivery[]): Promise<void>;
  /** Deliveries that wait, up to a limit. */
  countWaiting(endpointId: string, limit: number): Promise<number>;
  /** What is to be sent now, the oldest first, with its body; `ordered`: at most the first of each object. */
  listDue(
    endpointId: string,
    nowMs: number,
    limit: number,
    ordered: boolean,
  ): Promise<(WebhookDelivery & { readonly body: string })[]>;
  /** Endpoints with something to send now, or with something that waits although they are off. */
  listDueEndpoints(nowMs: number): Promise<string[]>;
  lockDelivery(id: string): Promise<WebhookDelivery | null>;
  updateDelivery(id: string, change: Partial<WebhookDelivery>): Promise<void>;
  addAttempt(deliveryId: string, attempt: WebhookAttempt): Promise<void>;
  /** Gives up what has waited for an endpoint since a moment or longer, so many at once. How many. */
  failWaiting(
    endpointId: string,
    fault: DeliveryFault,
    upTo: { readonly sinceMs: number; readonly nowMs: number; readonly limit: number },
  ): Promise<number>;
  /**
   * Has failed deliveries of an endpoint since a moment sent again as new ones, the oldest first, so many at once. How
   * many.
   */
  retryFailed(endpointId: string, sinceMs: number, nowMs: number, limit: number): Promise<number>;
  /** The newest first. */
  listDeliveries(
    endpointId: string,
    state: DeliveryState | null,
    before: DeliveryCursor | null,
    limit: number,
  ): Promise<WebhookDelivery[]>;
  findDelivery(id: string): Promise<(WebhookDelivery & { readonly body: string }) | null>;
  listAttempts(deliveryId: string): Promise<WebhookAttempt[]>;
  /** Deletes what ended before a moment and what belongs to removed endpoints, so many rows at once. How many. */
  purge(beforeMs: number, limit: number): Promise<number>;
}

/** What one attempt came to. `retryAfterMs`: how long the receiver asked to be left alone. */
export interface SendOutcome {
  readonly fault: DeliveryFault | null;
  readonly status: number | null;
  readonly answer: string;
  readonly tookMs: number;
  readonly retryAfterMs: number | null;
  /** The receiver is gone for good, or wants nothing more. */
  readonly isGone: boolean;
}
/** Sends events to endpoints of a kind. Never throws. */
export interface WebhookSender {
  /** How long its service asked, over all endpoints of it, not to be called (ms); 0, or absent: it may be. */
  pauseMs?(url: string): number;
  /**
   * In: the secrets that sign (`whsec_…`), or the token of a channel of Discord, the id of the event, when (UTC ms),
   * and the body.
   */
  send(request: {
    readonly url: string;
    readonly secrets: readonly string[];
    readonly id: string;
    readonly atMs: number;
    readonly body: string;
  }): Promise<SendOutcome>;
}
