import type { PushKeys, PushOutcome, PushSender, PushTarget } from '#server/modules/notifications/push-ports.ts';
import type { Outbound } from '#server/outbound.ts';
import { HOUR, SECOND } from '#shared/time.ts';

/** Longest wait for a push service (services, webpush). */
const TIMEOUT_MS = 10 * SECOND;
/** How long a signed claim holds; services take no more than a day. */
const CLAIM_MS = 12 * HOUR;
/** Longest pause that a service may ask for. */
const PAUSE_MAX_S = 3600;
/** Bytes of text that fit one record of 4096 (RFC 8291, services webpush). */
const TEXT_MAX = 3993;
const RECORD = 4096;
const CURVE = { name: 'ECDH', namedCurve: 'P-256' } as const;
const SIGNING = { name: 'ECDSA', namedCurve: 'P-256' } as const;

interface Deps {
  /** The guarded way to services elsewhere (attacks T44). */
  readonly fetch: Outbound;
  readonly now: () => number;
  /** By whom push services reach the host: `mailto:` or an address over HTTPS. */
  readonly contact: () => string;
}

/**
 * Sends pushes (RFC 8030) that only their browser can read (RFC 8291), signed so that services know from whom they are
 * (VAPID, RFC 8292).
 */
export function createWebPush({ fetch, now, contact }: Deps): PushSender {
  return {
    createKeys,
    async send(keys, target, message) {
      const { origin } = new URL(target.endpoint);
      const claims = { aud: origin, exp: Math.floor((now() + CLAIM_MS) / 1000), sub: contact() };
      try {
        const response = await fetch(target.endpoint, {
          method: 'POST',
          headers: {
            TTL: String(message.ttlS),
            Urgency: message.urgency,
            Topic: message.topic,
            'Content-Encoding': 'aes128gcm',
            'Content-Type': 'application/octet-stream',
            Authorization: `vapid t=${await signClaims(claims, keys)}, k=${keys.publicKey}`,
          },
          body: await encrypt(message.text, target),
          redirect: 'error',
          signal: AbortSignal.timeout(TIMEOUT_MS),
        });
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

const bytesOf = (base64url: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(base64url, 'base64url'));
const textOf = (bytes: ArrayBuffer | Uint8Array): string => Buffer.from(bytes as Uint8Array).toString('base64url');
const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** A new pair of keys of an installation. */
async function createKeys(): Promise<PushKeys> {
  const { publicKey, privateKey } = await crypto.subtle.generateKey(SIGNING, true, ['sign', 'verify']);
  return {
    publicKey: textOf(await crypto.subtle.exportKey('raw', publicKey)),
    privateKey: JSON.stringify(await crypto.subtle.exportKey('jwk', privateKey)),
  };
}

/** A JSON web token, signed with ES256. */
async function signClaims(claims: object, { privateKey }: PushKeys): Promise<string> {
  const head = textOf(utf8(JSON.stringify({ typ: 'JWT', alg: 'ES256' })));
  const signed = `${head}.${textOf(utf8(JSON.stringify(claims)))}`;
  const key = await crypto.subtle.importKey('jwk', JSON.parse(privateKey) as JsonWebKey, SIGNING, false, ['sign']);
  const signature = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, key, utf8(signed));
  return `${signed}.${textOf(signature)}`;
}

/** The body of a push: salt, size of a record, our one-time key, and the text that only the browser can open. */
async function encrypt(text: string, target: PushTarget): Promise<Uint8Array<ArrayBuffer>> {
  const plain = utf8(text);
  if (plain.length > TEXT_MAX) throw new RangeError(`a push of ${plain.length} bytes`);
  const theirs = bytesOf(target.publicKey);
  const own = await crypto.subtle.generateKey(CURVE, true, ['deriveBits']);
  const ours = new Uint8Array(await crypto.subtle.exportKey('raw', own.publicKey));
  const publicKey = await crypto.subtle.importKey('raw', theirs, CURVE, false, []);
  const shared = new Uint8Array(
    await crypto.subtle.deriveBits({ name: 'ECDH', public: publicKey }, own.privateKey, 256),
  );
  const info = Buffer.concat([utf8('WebPush: info\0'), theirs, ours]);
  const secret = await expand(shared, bytesOf(target.auth), info, 32);
  const salt = crypto.getRandomValues(new Uint8Array(16));
  const key = await expand(secret, salt, utf8('Content-Encoding: aes128gcm\0'), 16);
  const iv = await expand(secret, salt, utf8('Content-Encoding: nonce\0'), 12);
  const cipher = await crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt']);
  // 2 ends the last record.
  const record = Buffer.concat([plain, Uint8Array.of(2)]);
  const sealed = new Uint8Array(await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, cipher, record));
  const size = new Uint8Array(4);
  new DataView(size.buffer).setUint32(0, RECORD);
  return new Uint8Array(Buffer.concat([salt, size, Uint8Array.of(ours.length), ours, sealed]));
}

/** HKDF-SHA256. Out: so many bytes. */
async function expand(
  secret: Uint8Array<ArrayBuffer>,
  salt: Uint8Array<ArrayBuffer>,
  info: Uint8Array<ArrayBufferLike>,
  length: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const key = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits']);
  const given = { name: 'HKDF', hash: 'SHA-256', salt, info: new Uint8Array(info) };
  return new Uint8Array(await crypto.subtle.deriveBits(given, key, length * 8));
}
