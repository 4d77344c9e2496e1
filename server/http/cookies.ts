import type { CookieOptions } from './implement.types.ts';

const SPACE = 0x20;
const TAB = 0x09;
const SEMICOLON = 0x3b;
const EQUALS = 0x3d;

/**
 * The value of a cookie in a Cookie header, or null. Cookies stand apart by `;` alone, as browsers write them: a space
 * belongs to the value it stands in. A name that begins with `__Host-` can be there once only. Where it comes twice,
 * somebody else on the same domain added one: then neither counts.
 */
export function readCookie(header: string | null, name: string): string | null {
  if (!header) return null;
  const single = name.startsWith('__Host-');
  let found: string | null = null;
  for (let from = 0; ;) {
    const at = header.indexOf(name, from);
    if (at < 0) return found === null ? null : decoded(found);
    from = at + 1;
    if (header.charCodeAt(at + name.length) !== EQUALS || !begins(header, at)) continue;
    if (found !== null) return null;
    const end = header.indexOf(';', at);
    found = header.slice(at + name.length + 1, end < 0 ? undefined : end).trim();
    if (!single) return decoded(found);
  }
}

/** Whether a cookie's name can begin at a place: nothing but blanks between it and the `;` (or the beginning) before it. */
function begins(header: string, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && (header.charCodeAt(before) === SPACE || header.charCodeAt(before) === TAB)) before -= 1;
  return before < 0 || header.charCodeAt(before) === SEMICOLON;
}

function decoded(value: string): string {
  if (!value.includes('%')) return value;
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** A Set-Cookie line: Secure, SameSite=Lax, path / unless said otherwise. */
export function writeCookie(name: string, value: string, options: CookieOptions): string {
  let line = `${name}=${encodeURIComponent(value)}; Path=${options.path ?? '/'}; SameSite=Lax; Secure`;
  if (options.maxAgeS !== undefined) line += `; Max-Age=${options.maxAgeS}`;
  if (options.httpOnly) line += '; HttpOnly';
  return line;
}
