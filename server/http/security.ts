/**
 * Headers of every answer, and the content security policy of a page. Scripts run only under the page's nonce, styles only from our
 * own files; there is no unsafe-inline and no unsafe-eval.
 */
export function pageHeaders(nonce: string, https: boolean): Record<string, string> {
  return {
    ...baseHeaders(https),
    'Content-Security-Policy':
      `default-src 'self'; script-src 'self' 'nonce-${nonce}' 'strict-dynamic'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; ` +
      `connect-src 'self'; worker-src 'self'; manifest-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
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

/** Headers of every answer, as pairs. */
export function baseHeaderList(https: boolean): readonly (readonly [string, string])[] {
  return https ? secureList : plainList;
}

/** A fresh nonce of 16 random bytes, base64. */
export function newNonce(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64');
}
