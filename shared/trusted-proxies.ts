/** The shortest prefixes that are taken: a wider network would have half the internet say who calls (attacks T18). */
const MIN_BITS = { 4: 8, 6: 19 } as const;
/** The longest. */
const MAX_BITS = { 4: 32, 6: 128 } as const;
const FOUR_PARTS = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

/** The entries of a list of proxies: an address or a network a line. */
export function proxiesIn(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
}

/**
 * Whether a text is an address or a network of proxies (`203.0.113.7`, `10.0.0.0/8`, `2001:db8::/32`). Refused: wider
 * networks than `MIN_BITS`, IPv4 written as IPv6 (addresses are compared as IPv4), zones, ranges.
 */
export function isProxy(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const family = familyOf(address);
  if (family === null || more.length > 0) return false;
  if (bits === undefined) return true;
  return /^\d{1,3}$/.test(bits) && Number(bits) >= MIN_BITS[family] && Number(bits) <= MAX_BITS[family];
}

function familyOf(address: string): 4 | 6 | null {
  if (FOUR_PARTS.test(address)) return 4;
  // The parser of addresses takes an IPv6 address in brackets, and nothing that is none.
  const url = /^[0-9a-f:]+$/i.test(address) ? URL.parse(`http://[${address}]/`) : null;
  return url !== null && !url.hostname.startsWith('[::ffff:') ? 6 : null;
}
