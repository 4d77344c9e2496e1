import { createHmac } from 'node:crypto';
import type { SendOutcome, WebhookSender } from '#server/modules/webhooks/index.ts';
import { OutboundRefused, type Outbound } from '#server/outbound.ts';
import { ANSWER_MAX, type DeliveryFault } from '#shared/webhooks.ts';
import { HOUR, SECOND } from '#shared/time.ts';

/** Longest pause that a receiver may ask for (`Retry-After`). */
const ASKED_MAX_MS = HOUR;

interface Deps {
  /** The guarded way to services elsewhere (attacks T44). */
  readonly fetch: Outbound;
  readonly userAgent: () => string;
  /** Longest time of one request, its answer included, in ms. */
  readonly timeoutMs: () => number;
}

/** The signature of a request (Standard Webhooks, v1). In: a secret as `whsec_…`, id, Unix seconds, body. */
function signatureOf(secret: string, id: string, seconds: number, body: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
}

/**
 * Requests as Standard Webhooks writes them (standardwebhooks.com): signed by every secret that is good, no redirect
 * followed, of the answer no more read than is kept.
 */
export function createWebhookSender({ fetch, userAgent, timeoutMs }: Deps): WebhookSender {
  return {
    async send({ url, secrets, id, atMs, body }) {
      const began = performance.now();
      const took = () => Math.round(performance.now() - began);
      const seconds = Math.floor(atMs / SECOND);
      try {
        const response = await fetch(url, {
          method: 'POST',
          headers: {
            'Content-Type': 'application/json',
            'User-Agent': userAgent(),
            'webhook-id': id,
            'webhook-timestamp': String(seconds),
            'webhook-signature': secrets.map((secret) => signatureOf(secret, id, seconds, body)).join(' '),
          },
          body,
          redirect: 'manual',
          signal: AbortSignal.timeout(timeoutMs()),
        });
        // The status is the answer: one that is cut off, or never ends, changes nothing about it.
        const answer = await beginningOf(response).catch(() => '');
        const { status } = response;
        return {
          fault: faultOf(status),
          status,
          answer,
          tookMs: took(),
          retryAfterMs: askedPause(response, atMs),
          isGone: status === 410,
        };
      } catch (error) {
        return { ...unanswered(error), tookMs: took() };
      }
    },
  };
}

function faultOf(status: number): DeliveryFault | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? 'redirect' : 'status';
}

/** What came of a request that nobody answered. */
export function unanswered(error: unknown): SendOutcome {
  const name = error instanceof Error ? error.name : '';
  const fault = error instanceof OutboundRefused ? 'forbidden' : name === 'TimeoutError' ? 'timeout' : 'unreachable';
  return { fault, status: null, answer: '', tookMs: 0, retryAfterMs: null, isGone: false };
}

/** How long a receiver that is too busy (429, 503) asked to be left alone, as seconds or a date; null: it did not. */
function askedPause({ status, headers }: Response, nowMs: number): number | null {
  const text = headers.get('retry-after') ?? '';
  if ((status !== 429 && status !== 503) || text === '') return null;
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * SECOND : Date.parse(text) - nowMs;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), ASKED_MAX_MS);
}

/** The first characters of an answer; the rest is not read. */
export async function beginningOf(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return '';
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      parts.push(part.value);
      bytes += part.value.byteLength;
      if (bytes >= ANSWER_MAX) break;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
  // Nothing that a database cannot store.
  return Buffer.concat(parts).subarray(0, ANSWER_MAX).toString('utf8').replaceAll('\0', '\uFFFD');
}
