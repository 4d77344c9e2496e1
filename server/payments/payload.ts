/** Most of an event that is kept for support, in characters. */
const KEPT = 4096;
/** Fields that tell of a person, or open something. */
const PRIVATE =
  /mail|name|phone|address|line1|line2|city|postal|zip|state_code|ip$|secret|token|card|last4|fingerprint|payer|customer_details|billing/i;

/**
 * What is kept of a gateway's answer for support: as JSON, persons and secrets masked, at most 4 KB. In: a parsed JSON
 * value.
 */
export function maskedPayload(value: unknown): string {
  const text =
    JSON.stringify(value, (key, inner: unknown) => (PRIVATE.test(key) && inner !== null ? '•' : inner)) ?? '';
  return text.length > KEPT ? `${text.slice(0, KEPT - 1)}…` : text;
}

/** Whether an address leads to a page, and to nothing that would run here. */
export function isHttpsPage(address: string): boolean {
  return ['https:', 'http:'].includes(URL.parse(address)?.protocol ?? '');
}
