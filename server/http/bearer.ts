/** What a session secret or an API token is made of. */
const SECRET = '[A-Za-z0-9._~+/=-]{20,200}';
const HEADER = new RegExp(`^Bearer (${SECRET})$`);
const WHOLE = new RegExp(`^${SECRET}$`);

/** The secret or token in an Authorization header; null where it holds none. */
export function parseBearer(header: string | null): string | null {
  return (header ? HEADER.exec(header)?.[1] : null) ?? null;
}

/** The Authorization header for a secret; null for what is none of ours, which anybody may write into a cookie. */
export function writeBearer(secret: string | null): string | null {
  return secret !== null && WHOLE.test(secret) ? `Bearer ${secret}` : null;
}
