import type { CookieOptions } from './implement.types.ts';

const SPACE = 0x20;
const SEMICOLON = 0x3b;
const EQUALS = 0x3d;

/** The value of a cookie in a Cookie header, or null. */
export function readCookie(header: string | null, name: string): string | null {
  if (!header) return null;
  let from = 0;
  for (;;) {
    const at = header.indexOf(name, from);
    if (at < 0) return null;
    const before = at === 0 ? SEMICOLON : header.charCodeAt(at - 1);
    if (header.charCodeAt(at + name.length) === EQUALS && (before === SPACE || before === SEMICOLON)) {
      const end = header.indexOf(';', at);
      const value = header.slice(at + name.length + 1, end < 0 ? undefined : end).trim();
      if (!value.includes('%')) return value;
      try {
        return decodeURIComponent(value);
      } catch {
        return value;
      }
    }
    from = at + 1;
  }
}

/** A Set-Cookie line: Secure, SameSite=Lax, path / unless said otherwise. */
export function writeCookie(name: string, value: string, options: CookieOptions): string {
  let line = `${name}=${encodeURIComponent(value)}; Path=${options.path ?? '/'}; SameSite=Lax; Secure`;
  if (options.maxAgeS !== undefined) line += `; Max-Age=${options.maxAgeS}`;
  if (options.httpOnly) line += '; HttpOnly';
  return line;
}
