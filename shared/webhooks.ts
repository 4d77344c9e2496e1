import { DAY, HOUR, MINUTE, SECOND } from './time.ts';

/** What an endpoint is: an address that takes signed requests (Standard Webhooks), or a channel of a Discord server. */
export const ENDPOINT_KINDS = ['standard', 'discord'] as const;
export type EndpointKind = (typeof ENDPOINT_KINDS)[number];

/** Where a delivery stands. `failed`: nothing more is tried by itself. */
export const DELIVERY_STATES = ['waiting', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/**
 * Why an attempt, or a delivery, failed. `status`: an answer other than 2xx; `redirect`: none is followed; `forbidden`:
 * the address is not on the open internet (attacks T44); `secret`: ours cannot be read any more; `disabled`: the
 * endpoint was switched off meanwhile; `expired`: it waited too long.
 */
export const DELIVERY_FAULTS = [
  'status',
  'redirect',
  'timeout',
  'unreachable',
  'forbidden',
  'secret',
  'disabled',
  'expired',
] as const;
export type DeliveryFault = (typeof DELIVERY_FAULTS)[number];

/** Why an endpoint is off: staff, its own wish (410), three days without success, or too much that waits for it. */
export const DISABLED_CAUSES = ['staff', 'gone', 'failing', 'backlog'] as const;
export type DisabledCause = (typeof DISABLED_CAUSES)[number];

/** Pauses after each failed attempt (Standard Webhooks, "deliverability"): ten attempts within 76 hours. */
export const RETRY_PAUSES_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const;
/** Without one success for so long, an endpoint is switched off. */
export const FAILING_MS = 3 * DAY;
/** A delivery that has waited so long, because its endpoint was not reachable, is not tried any more. */
export const DELIVERY_LIFE_MS = 4 * DAY;
/** How long the old secret signs as well after a rotation. */
export const SECRET_OVERLAP_MS = DAY;
/** Endpoints at most, and deliveries that may wait for one. */
export const ENDPOINTS_MAX = 50;
export const BACKLOG_MAX = 20_000;

export const WEBHOOK_NAME_MAX = 80;
export const WEBHOOK_URL_MAX = 500;
/** Characters of an answer that are kept. */
export const ANSWER_MAX = 2000;

/** The type of what a test sends; no event has it. */
export const TEST_TYPE = 'webhook.test';

/** An event, a group of them (`server.*`), or all of them. */
export const EVENT_PATTERN = /^(?:\*|[a-z\d]+\.(?:\*|[a-z\d_]+))$/;

/** Whether one of the patterns that an endpoint was given names an event. */
export function wantsEvent(patterns: readonly string[], name: string): boolean {
  return patterns.some((each) => each === '*' || each === name || each === `${name.split('.')[0]}.*`);
}

/** What is wrong with the address of an endpoint; null where it may be used. `open`: private networks are let in. */
export function urlFault(text: string, open: boolean): 'INVALID_URL' | 'ADDRESS_INSECURE' | null {
  const url = URL.parse(text);
  if (url === null || !['https:', 'http:'].includes(url.protocol) || url.username !== '' || url.password !== '')
    return 'INVALID_URL';
  return url.protocol === 'https:' || open ? null : 'ADDRESS_INSECURE';
}
