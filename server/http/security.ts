/** What page-level ads load and ask besides scripts, which their own loader brings (server/decisions/005-ads-under-the-policy.md). */
const AD_HOSTS = 'https://*.googlesyndication.com https://*.doubleclick.net https://*.adtrafficquality.google https://www.google.com';

/**
 * Headers of every answer, and the content security policy of a page. Scripts and style elements run only under the page's nonce, other styles only from
 * our own files; there is no unsafe-inline and no unsafe-eval. `ads`: the host shows ads, whose frames, pictures and calls are let through as well.
 * `frames`: origins whose frames are let through (Turnstile's, where the host uses it).
 */
export function pageHeaders(nonce: string, https: boolean, ads = false, frames: readonly string[] = []): Record<string, string> {
  const more = ads ? ` ${AD_HOSTS}` : '';
  const framed = `${more}${frames.map((origin) => ` ${origin}`).join('')}`;
  return {
    ...baseHeaders(https),
    'Content-Security-Policy':
      `default-src 'self'; script-src 'self' 'nonce-${nonce}' 'strict-dynamic'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data: blob:${more}; font-src 'self'; ` +
      `connect-src 'self'${more}; ${framed ? `frame-src${framed}; ` : ''}worker-src 'self'; manifest-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
  };
}

const plain = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};
const secure = { ...plain, 'Strict-Transport-Security': 'max-age=31536000; includeSubDomains' };

/** Over HTTPS also the promise to stay there. */
function baseHeaders(https: boolean): Record<string, string> {
  return https ? secure : plain;
}

const plainList = Object.entries(plain);
const secureList = Object.entries(secure);

/** Headers of an answer in JSON. */
export const JSON_HEADERS = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store, no-cache' };

/**
 * The headers of an answer in JSON together with those of every answer and some more, as a pattern to make answers from: copying one
 * is three times as fast as setting one header after the other.
 */
export function jsonHead(https: boolean, more: Readonly<Record<string, string>>): Headers {
  return new Headers({ ...baseHeaders(https), ...JSON_HEADERS, ...more });
}

/** Headers of every answer, as pairs. */
export function baseHeaderList(https: boolean): readonly (readonly [string, string])[] {
  return https ? secureList : plainList;
}

/** A fresh nonce of 16 random bytes, base64. */
export function newNonce(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64');
}
