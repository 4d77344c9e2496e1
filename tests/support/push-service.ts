import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto';
import type { Outbound } from '#server/outbound.ts';

/** A browser's end of a subscription, with the halves of its keys that only it has. */
export interface TestBrowser {
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
  /** Opens the body of a push. Throws for what is not for this browser. */
  open(body: Uint8Array): string;
}
export interface TakenPush {
  readonly endpoint: string;
  readonly text: string;
  readonly headers: Headers;
  readonly claims: { readonly aud: string; readonly exp: number; readonly sub: string };
}
type Answer = Response | Error;

/** A browser of a push service. `privateKey`, `auth`: base64url; new ones when absent. */
export function testBrowser(
  endpoint = `https://updates.push.services.mozilla.com/wpush/${randomBytes(9).toString('base64url')}`,
  privateKey?: string,
  auth = randomBytes(16).toString('base64url'),
): TestBrowser {
  const own = createECDH('prime256v1');
  if (privateKey === undefined) own.generateKeys();
  else own.setPrivateKey(Buffer.from(privateKey, 'base64url'));
  const ours = own.getPublicKey();
  return {
    endpoint,
    p256dh: ours.toString('base64url'),
    auth,
    open(body) {
      const bytes = Buffer.from(body);
      const [salt, theirs, sealed] = [bytes.subarray(0, 16), bytes.subarray(21, 86), bytes.subarray(86)];
      const info = Buffer.concat([Buffer.from('WebPush: info\0'), ours, theirs]);
      const secret = hkdfSync('sha256', own.computeSecret(theirs), Buffer.from(auth, 'base64url'), info, 32);
      const derive = (name: string, length: number) =>
        Buffer.from(hkdfSync('sha256', Buffer.from(secret), salt, `Content-Encoding: ${name}\0`, length));
      const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12));
      decipher.setAuthTag(sealed.subarray(-16));
      const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
      return padded.subarray(0, padded.lastIndexOf(2)).toString('utf8');
    },
  };
}

/**
 * A push service that knows some browsers: it refuses what is badly signed, opens what is for one of them, and answers
 * as it is told to, 201 otherwise.
 */
export function openPushService() {
  const browsers = new Map<string, TestBrowser>();
  const taken: TakenPush[] = [];
  const answers: (() => Answer)[] = [];
  const fetch: Outbound = async (url, init) => {
    const headers = new Headers(init.headers);
    const [, token = '', key = ''] = /^vapid t=([^,]+), k=(\S+)$/.exec(headers.get('authorization') ?? '') ?? [];
    if (!isSigned(token, key)) return new Response('', { status: 403 });
    const answer = answers.shift()?.() ?? new Response('', { status: 201 });
    const browser = browsers.get(url);
    if (browser && init.body instanceof Uint8Array) {
      const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as TakenPush['claims'];
      taken.push({ endpoint: url, text: browser.open(init.body), headers, claims });
    }
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return {
    fetch,
    taken,
    /** The next pushes are answered so, in this order. */
    answerWith: (...next: (() => Answer)[]) => void answers.push(...next),
    browser: () => {
      const made = testBrowser();
      browsers.set(made.endpoint, made);
      return made;
    },
  };
}

function isSigned(token: string, key: string): boolean {
  const point = Buffer.from(key, 'base64url');
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  };
  const [head = '', body = '', signature = ''] = token.split('.');
  return verify(
    'sha256',
    Buffer.from(`${head}.${body}`),
    { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
}
