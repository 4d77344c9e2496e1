import { iso, SECOND } from '#shared/time.ts';
import { wantsEvent } from '#shared/webhooks.ts';
import { EVENTS, objectOf, OUTSIDE_NAMES, outsidePayload, subscriber, type EventName } from '../events/index.ts';
import type { Subscription } from '../events/index.ts';
import type { Tx } from '../tx.ts';
import { EVENTS_TOPIC, WEBHOOKS_TOPIC, type WebhooksDeps } from './deps.ts';

/** How long a process goes by what it knows of the endpoints: another one may have changed them. */
const KNOWN_MS = 5 * SECOND;

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
  hearers,
}: Pick<WebhooksDeps, 'clock' | 'ids' | 'bus' | 'plugin' | 'hearers'>): {
  readonly subscriptions: readonly Subscription[];
  /** Ends listening for changes of endpoints. */
  readonly stop: () => void;
} {
  let known: { readonly patterns: readonly string[]; readonly untilMs: number } | null = null;
  const stop = bus.subscribe(WEBHOOKS_TOPIC, () => void (known = null));

  async function patternsNow(tx: Tx): Promise<readonly string[]> {
    const nowMs = clock.now();
    if (known && nowMs < known.untilMs) return known.patterns;
    const endpoints = await tx.webhooks.listEndpoints();
    const patterns = [...new Set(endpoints.flatMap(({ enabled, events }) => (enabled ? events : [])))];
    known = { patterns, untilMs: nowMs + KNOWN_MS };
    return patterns;
  }

  async function record(tx: Tx, name: EventName, payload: object): Promise<void> {
    if (!wantsEvent(hearers?.patterns() ?? [], name) && !(plugin.isOn() && wantsEvent(await patternsNow(tx), name)))
      return;
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
