import { iso, SECOND } from '#shared/time.ts';
import { ENDPOINT_KINDS, wantsEvent, type EndpointKind } from '#shared/webhooks.ts';
import { EVENTS, objectOf, OUTSIDE_NAMES, outsidePayload, subscriber, type EventName } from '../events/index.ts';
import type { Subscription } from '../events/index.ts';
import type { Tx } from '../tx.ts';
import { EVENTS_TOPIC, WEBHOOKS_TOPIC, type WebhooksDeps } from './deps.ts';

/** How long a process goes by what it knows of the endpoints: another one may have changed them. */
const KNOWN_MS = 5 * SECOND;

interface Wanted {
  readonly kind: EndpointKind;
  /** Patterns of all its endpoints. */
  readonly patterns: readonly string[];
}

/** The body of a request (Standard Webhooks, "payload structure"), with the version of the event besides. */
export function bodyOf(type: string, version: number, atMs: number, data: object): string {
  return JSON.stringify({ type, version, timestamp: iso(atMs), data });
}

/**
 * The outbox of webhooks: an event that some endpoint wants becomes one row of the transaction that it is emitted in,
 * however many want it. Everything else is done afterwards (dispatch.ts), so that nobody's command waits for it.
 */
export function recordingOf({
  clock,
  ids,
  bus,
  plugin,
  subscribers,
}: Pick<WebhooksDeps, 'clock' | 'ids' | 'bus' | 'plugin' | 'subscribers'>): {
  readonly subscriptions: readonly Subscription[];
  /** Ends listening for changes of endpoints. */
  readonly stop: () => void;
} {
  let known: { readonly wanted: readonly Wanted[]; readonly untilMs: number } | null = null;
  const stop = bus.subscribe(WEBHOOKS_TOPIC, () => void (known = null));

  async function wantedNow(tx: Tx): Promise<readonly Wanted[]> {
    const nowMs = clock.now();
    if (known && nowMs < known.untilMs) return known.wanted;
    const endpoints = (await tx.webhooks.listEndpoints()).filter(({ enabled }) => enabled);
    const wanted = ENDPOINT_KINDS.map((kind) => ({
      kind,
      patterns: [...new Set(endpoints.flatMap((each) => (each.kind === kind ? each.events : [])))],
    }));
    known = { wanted, untilMs: nowMs + KNOWN_MS };
    return wanted;
  }

  async function record(tx: Tx, name: EventName, payload: object): Promise<void> {
    const isHeard = wantsEvent(subscribers?.patterns() ?? [], name);
    const isWanted = async () =>
      (await wantedNow(tx)).some(({ kind, patterns }) => plugin.isOn(kind) && wantsEvent(patterns, name));
    if (!isHeard && !(await isWanted())) return;
    const nowMs = clock.now();
    const body = bodyOf(name, EVENTS[name].version, nowMs, outsidePayload(name, payload));
    const event = { id: ids.uuid(), name, object: objectOf(name, payload), body, createdMs: nowMs };
    await tx.webhooks.addEvent(event, false);
    tx.touch(EVENTS_TOPIC);
  }

  const subscriptions = OUTSIDE_NAMES.map(
    (name) => subscriber(name, (tx, payload: object) => record(tx, name, payload)) as Subscription,
  );
  return { subscriptions, stop };
}
