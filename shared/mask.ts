/**
 * Masks secrets in what the journal stores. A value is secret by its name (password, code, token, key and the like) in
 * JSON, forms, addresses, cookies and free text. Types are kept, so that a masked body still shows its structure.
 */

/** Replaces a secret, whatever its length. */
export const MASK = '•••';
/** Longest body or line that is kept, in characters. */
const MAX_CHARS = 20_000;

/** Parts of names that are secret anywhere in a name… */
const SECRET_PARTS =
  /passw|passphrase|secret|token|totp|recovery|authoriz|cookie|credential|apikey|privatekey|signature/i;
/** …and those that are secret only as a whole word: `reset_key` and `resetKey`, but not `keyboard`. */
const SECRET_WORDS = /(^|[^a-z])(pass|pwd|pin|otp|mfa|codes?|keys?|auth|csrf|hash|setup|cvc|cvv)(?![a-z])/i;
/** Codes that are not secret. */
const PUBLIC_CODES = /(error|status|country|postal|zip|language|lang|currency)[-_ ]?codes?$/i;

/** Whether a value under this name is to be masked. */
export function isSecretName(name: string): boolean {
  if (PUBLIC_CODES.test(name)) return false;
  return SECRET_PARTS.test(name) || SECRET_WORDS.test(name.replaceAll(/([a-z\d])([A-Z])/g, '$1_$2'));
}

const MAX_DEPTH = 8;
const MAX_ENTRIES = 200;

/** A copy of any value as plain data, with everything under a secret name masked. Cycles, depth and size are bounded. */
export function maskValue(value: unknown, secret = false, depth = 0): unknown {
  if (typeof value === 'string') return secret ? MASK : maskText(value);
  if (typeof value === 'number' || typeof value === 'bigint')
    return secret ? 0 : typeof value === 'bigint' ? String(value) : value;
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value !== 'object') return value === undefined ? undefined : String(value);
  if (value instanceof Error) return maskText(value.stack ?? String(value));
  if (depth >= MAX_DEPTH) return '…';
  if (Array.isArray(value)) return value.slice(0, MAX_ENTRIES).map((each) => maskValue(each, secret, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, MAX_ENTRIES)
      .map(([name, each]) => [name, maskValue(each, secret || isSecretName(name), depth + 1)]),
  );
}

/** A long run of letters and digits that nobody types: tokens in addresses. UUIDs and names of migrations do not count. */
const OPAQUE =
  /(?<![\w-])(?!\p{L}+(?![\w-])|\d{4}(?:_[a-z]+)+(?![\w-])|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?![\w-]))(?=[\w-]*\d)[\w-]{24,}(?:\.[\w-]+)*/giu;
/** `name=value`, `name: value`, `"name":"value"`, `"name":[…]`, and what follows `Bearer`. */
const PAIR =
  /(["']?)([\w.-]+)\1(\s*[=:]\s*)("(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|\[[^\]]*\]?|(?:bearer |basic )?[^\s&;,"'}]+)/gi;

/** Who an address is asked as, with the password. */
const OWNER = /\/\/[^/\s@"']*@/g;

/** Masks the values of secret names and long opaque words in free text: console lines, errors, cookies, code. */
export function maskText(text: string): string {
  let masked = '';
  let from = 0;
  PAIR.lastIndex = 0;
  for (let found = PAIR.exec(text); found; found = PAIR.exec(text)) {
    const [whole, , name = '', , value = ''] = found;
    const valueAt = found.index + whole.length - value.length;
    // What looks like the value of an open name may itself be the name of a secret.
    PAIR.lastIndex = valueAt;
    if (!isSecretName(name)) continue;
    const mark = /^["']/.exec(value)?.[0] ?? '';
    masked += text.slice(from, valueAt) + mark + MASK + mark;
    PAIR.lastIndex = from = valueAt + value.length;
  }
  return (masked + text.slice(from)).replaceAll(OPAQUE, MASK).replaceAll(OWNER, `//${MASK}@`);
}

/** Masks the secrets in an address's query, fragment and path. */
export function maskUrl(url: string): string {
  const [, path = '', query = '', fragment = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(url) ?? [];
  return path.replace(/\/\/[^/@]*@/, `//${MASK}@`).replaceAll(OPAQUE, MASK) + maskPairs(query) + maskPairs(fragment);
}

function maskPairs(text: string): string {
  return text
    .replaceAll(/([^?#&=]+)=([^&#]*)/g, (whole, name: string) =>
      isSecretName(decoded(name)) ? `${name}=${MASK}` : whole,
    )
    .replaceAll(OPAQUE, MASK);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Masks a body: JSON and forms by field name, anything else as free text; truncated to `MAX_CHARS`. In: the text and
 * its content type.
 */
export function maskBody(text: string, type = ''): string {
  let masked: string;
  try {
    masked = JSON.stringify(maskValue(JSON.parse(text)));
  } catch {
    masked = type.includes('form-urlencoded') ? maskPairs(text) : maskText(text);
  }
  return truncate(masked);
}

/** Truncates a text to `most` characters. */
export function truncate(text: string, most = MAX_CHARS): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** The arguments of a console call as one masked line. */
export function maskLine(values: readonly unknown[]): string {
  const words = values.map((value) => {
    const masked = maskValue(value);
    return typeof masked === 'object' ? JSON.stringify(masked) : String(masked);
  });
  return truncate(words.join(' '));
}
