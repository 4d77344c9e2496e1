/**
 * Hosts of frames, pictures and requests of page-level ads; their scripts are loaded by a trusted one
 * (server/decisions/005-ads-under-the-policy.md).
 */
const AD_HOSTS =
  'https://*.googlesyndication.com https://*.doubleclick.net https://*.adtrafficquality.google https://www.google.com';

/**
 * The content security policy of a page and the headers that only pages have. Scripts and style elements run only with
 * the page's nonce, other styles only from our own files; there is no unsafe-inline and no unsafe-eval. In: `ads` where
 * the host shows ads, whose frames, pictures and requests are then allowed; `frames`: further origins whose frames are
 * (Turnstile's, where the host uses it).
 */
export function pageHeaders(nonce: string, ads = false, frames: readonly string[] = []): Record<string, string> {
  const more = ads ? ` ${AD_HOSTS}` : '';
  const framed = `${more}${frames.map((origin) => ` ${origin}`).join('')}`;
  return {
    'Content-Security-Policy':
      `default-src 'self'; script-src 'self' 'nonce-${nonce}' 'strict-dynamic'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data: blob:${more}; font-src 'self'; ` +
      `connect-src 'self'${more}; ${framed ? `frame-src${framed}; ` : ''}worker-src 'self'; manifest-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
  };
}

/** Headers of every response that does not set them itself. */
export const BASE_HEADERS = Object.entries({
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  // Only the origin, to our own pages as well: the address of a page may hold a one-time link, and proxies log the Referer.
  'Referrer-Policy': 'strict-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
});

/**
 * The value of Strict-Transport-Security: for this host, and for its subdomains where the operator says that they use
 * HTTPS as well (`HSTS_SUBDOMAINS`).
 */
export const strictTransport = (subdomains: boolean): string =>
  `max-age=31536000${subdomains ? '; includeSubDomains' : ''}`;

/** Headers of a response in JSON. */
export const JSON_HEADERS = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store, no-cache',
  Vary: 'Accept-Encoding',
};

/** The Cache-Control directive of a response that neither this server nor a proxy may compress. */
export const NO_TRANSFORM = 'no-transform';

/** Headers of a response in JSON with a secret that is shown once. */
export const SECRET_HEADERS = { ...JSON_HEADERS, 'Cache-Control': `${JSON_HEADERS['Cache-Control']}, ${NO_TRANSFORM}` };

/** A fresh nonce of 16 random bytes, base64. */
export function newNonce(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64');
}
