import { createLimits } from '#server/identity-providers/discord/limits.ts';
import type { Clock } from '#server/modules/kernel.ts';
import type { WebhookSender } from '#server/modules/webhooks/index.ts';
import type { Outbound } from '#server/outbound.ts';
import { SECOND } from '#shared/time.ts';
import { beginningOf, unanswered } from './standard.ts';

/** "Unknown Webhook": it was deleted. */
const UNKNOWN_WEBHOOK = 10_015;

interface Deps {
  /** The guarded way to services elsewhere (attacks T44). */
  readonly fetch: Outbound;
  readonly clock: Clock;
  readonly userAgent: () => string;
  /** Longest time of one request, its answer included, in ms. */
  readonly timeoutMs: () => number;
  /** The message for the body of an event. */
  readonly messageOf: (body: string) => object;
}

/**
 * Messages in channels of Discord servers, by the webhook of each. Limits are those that Discord tells: of one webhook,
 * and of everything at once. Its answer says whether the message is there (`wait=true`); one that was lost is posted
 * again, as Discord knows no key by which it would see that it has it.
 */
export function createDiscordSender({ fetch, clock, userAgent, timeoutMs, messageOf }: Deps): WebhookSender {
  const limits = createLimits(clock);
  return {
    pauseMs: (url) => limits.wait(url) * SECOND,
    async send({ url, secrets, body }) {
      const began = performance.now();
      const took = () => Math.round(performance.now() - began);
      const address = new URL(url);
      address.pathname += `/${secrets[0] ?? ''}`;
      address.searchParams.set('wait', 'true');
      try {
        const response = await fetch(address.href, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', 'User-Agent': userAgent() },
          body: JSON.stringify(messageOf(body)),
          redirect: 'manual',
          signal: AbortSignal.timeout(timeoutMs()),
        });
        const { status, headers, ok } = response;
        const text = await beginningOf(response).catch(() => '');
        const said = errorOf(text);
        limits.note(url, '', { status, headers, bodyRetryS: said.retryS });
        const waitMs = limits.wait(url) * SECOND;
        return {
          fault: ok ? null : status >= 300 && status < 400 ? 'redirect' : 'status',
          status,
          // What Discord answers to a message is the message; what it says of a fault is worth reading.
          answer: ok ? '' : text,
          tookMs: took(),
          retryAfterMs: waitMs > 0 ? waitMs : null,
          isGone: status === 404 && said.code === UNKNOWN_WEBHOOK,
        };
      } catch (error) {
        limits.failed();
        return { ...unanswered(error), tookMs: took() };
      }
    },
  };
}

/** What Discord's own error says: its code (0: none), and how long to wait in seconds (null: not said). */
function errorOf(text: string): { readonly code: number; readonly retryS: number | null } {
  try {
    const json = JSON.parse(text) as { readonly code?: unknown; readonly retry_after?: unknown } | null;
    const { code, retry_after: retry } = json ?? {};
    return {
      code: typeof code === 'number' ? code : 0,
      retryS: typeof retry === 'number' && Number.isFinite(retry) && retry >= 0 ? Math.min(retry, 86_400) : null,
    };
  } catch {
    return { code: 0, retryS: null };
  }
}
