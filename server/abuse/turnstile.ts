import type { Log } from '#server/modules/kernel.ts';
import type { Turnstile, TurnstileAnswer } from '#server/modules/challenge/index.ts';
import { readBounded } from './body.ts';

/** Services/turnstile: five seconds, and an answer of a few hundred bytes. */
const TIMEOUT_MS = 5_000;
const BODY_MAX = 16 * 1024;

interface Deps {
  readonly log: Log;
  /** `fetch`, or what stands for it. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** A UUID: a repeat with the same one is the same check. */
  readonly uuid: () => string;
}

/**
 * Cloudflare Turnstile's check (services, turnstile). Only a boolean `true` with a host name is a yes; whatever cannot
 * be read is unknown.
 */
export function createTurnstile({ log, fetch, uuid }: Deps): Turnstile {
  async function once(base: string, body: string): Promise<TurnstileAnswer> {
    try {
      const response = await fetch(`${base}/siteverify`, {
        method: 'POST',
        body,
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      return read(JSON.parse(await readBounded(response, BODY_MAX)));
    } catch (error) {
      log.warn('turnstile.unreachable', { error: error instanceof Error ? error.name : 'unknown' });
      return { kind: 'unknown' };
    }
  }
  return {
    async verify({ secret, token, address, base }) {
      const body = new URLSearchParams({
        secret,
        response: token,
        idempotency_key: uuid(),
        ...(address === 'unknown' ? {} : { remoteip: address }),
      }).toString();
      const first = await once(base, body);
      // Asked once more with the same key: an answer that was lost does not spend the token.
      return first.kind === 'unknown' ? once(base, body) : first;
    },
  };
}

function read(answer: unknown): TurnstileAnswer {
  if (typeof answer !== 'object' || answer === null) return { kind: 'unknown' };
  const fields = answer as Readonly<Record<string, unknown>>;
  if (fields.success === true && typeof fields.hostname === 'string')
    return { kind: 'yes', hostname: fields.hostname, action: typeof fields.action === 'string' ? fields.action : '' };
  if (fields.success !== false || !Array.isArray(fields['error-codes'])) return { kind: 'unknown' };
  const codes = fields['error-codes']
    .filter((code): code is string => typeof code === 'string')
    .map((code) => code.slice(0, 60));
  return codes.includes('internal-error') ? { kind: 'unknown' } : { kind: 'no', codes };
}
