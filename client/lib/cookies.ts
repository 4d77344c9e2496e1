/**
 * The decoded value of a cookie as the server reads it: one that cannot be decoded stands for itself. In: all cookies,
 * as `document.cookie` and a Cookie header give them. Null: the cookie is absent or empty.
 */
export function readCookie(cookies: string, name: string): string | null {
  const found = new RegExp(`(?:^|; )${name}=([^;]+)`).exec(cookies)?.[1];
  if (found === undefined) return null;
  try {
    return decodeURIComponent(found);
  } catch {
    return found;
  }
}
