import { buildPushPayload } from '@block65/webcrypto-web-push';
import type { PushKeys, PushOutcome, PushSender } from '#server/modules/notifications/push-ports.ts';
import type { Outbound } from '#server/outbound.ts';
import { SECOND } from '#shared/time.ts';

/** Longest wait for a push service (services, webpush). */
const TIMEOUT_MS = 10 * SECOND;
/** Longest pause that a service may ask for. */
const PAUSE_MAX_S = 3600;

interface Deps {
  /** The guarded way to services elsewhere (attacks T44). */
  readonly fetch: Outbound;
  /** By whom push services reach the host: `mailto:` or an address over HTTPS. */
  readonly contact: () => string;
}

/**
 * Sends pushes (RFC 8030) that only their browser can read (RFC 8291), signed so that services know from whom they are
 * (VAPID, RFC 8292). A library writes and signs them; they leave by our own way out.
 */
export function createWebPush({ fetch, contact }: Deps): PushSender {
  return {
    createKeys,
    async send(keys, { endpoint, publicKey, auth }, { text, ttlS, urgency, topic }) {
      try {
        const { d: privateKey = '' } = JSON.parse(keys.privateKey) as JsonWebKey;
        const { headers, method, body } = await buildPushPayload(
          { data: text, options: { ttl: ttlS, urgency, topic } },
          { endpoint, expirationTime: null, keys: { p256dh: publicKey, auth } },
          { subject: contact(), publicKey: keys.publicKey, privateKey },
        );
        const signal = AbortSignal.timeout(TIMEOUT_MS);
        const response = await fetch(endpoint, { method, headers, body, redirect: 'error', signal });
        await response.body?.cancel();
        return outcomeOf(response);
      } catch (error) {
        return { kind: 'later', afterMs: null, error: String(error).slice(0, 200) };
      }
    },
  };
}

/** What an answer of a push service means. */
function outcomeOf({ status, headers }: Response): PushOutcome {
  if (status >= 200 && status < 300) return { kind: 'sent' };
  if (status === 404 || status === 410) return { kind: 'gone' };
  const error = `HTTP ${status}`;
  if (status !== 429 && status < 500) return { kind: 'never', error };
  const wait = /^\d{1,6}$/.exec(headers.get('retry-after') ?? '')?.[0];
  return { kind: 'later', afterMs: wait === undefined ? null : Math.min(Number(wait), PAUSE_MAX_S) * SECOND, error };
}

/** A new pair of keys of an installation. */
async function createKeys(): Promise<PushKeys> {
  const curve = { name: 'ECDSA', namedCurve: 'P-256' } as const;
  const { publicKey, privateKey } = await crypto.subtle.generateKey(curve, true, ['sign', 'verify']);
  return {
    publicKey: Buffer.from(await crypto.subtle.exportKey('raw', publicKey)).toString('base64url'),
    privateKey: JSON.stringify(await crypto.subtle.exportKey('jwk', privateKey)),
  };
}
