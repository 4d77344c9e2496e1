import type { CookieOptions } from './implement.types.ts';

const SPACE = 0x20;
const TAB = 0x09;
const SEMICOLON = 0x3b;
const EQUALS = 0x3d;

/**
 * The value of a cookie in a Cookie header; null where it is absent. Only `;` separates cookies, as browsers write
 * them: a space belongs to the value around it. A browser sends a cookie named `__Host-…` once; where it is there
 * twice, somebody else on the same domain added one, and neither counts.
 */
export function readCookie(header: string | null, name: string): string | null {
  if (!header) return null;
  const single = name.startsWith('__Host-');
  let value: string | null = null;
  for (let from = 0; ;) {
    const at = header.indexOf(name, from);
    if (at < 0) return value === null ? null : decodeValue(value);
    from = at + 1;
    if (header.charCodeAt(at + name.length) !== EQUALS || !startsName(header, at)) continue;
    if (value !== null) return null;
    const end = header.indexOf(';', at);
    value = header.slice(at + name.length + 1, end < 0 ? undefined : end).trim();
    if (!single) return decodeValue(value);
  }
}

/** Whether a cookie's name can start at an index: only blanks between it and the `;` (or the start) before it. */
function startsName(header: string, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && (header.charCodeAt(before) === SPACE || header.charCodeAt(before) === TAB)) before -= 1;
  return before < 0 || header.charCodeAt(before) === SEMICOLON;
}

function decodeValue(value: string): string {
  if (!value.includes('%')) return value;
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** A Set-Cookie line: Secure and SameSite=Lax; the path is `/` by default. */
export function writeCookie(name: string, value: string, options: CookieOptions): string {
  let line = `${name}=${encodeURIComponent(value)}; Path=${options.path ?? '/'}; SameSite=Lax; Secure`;
  if (options.maxAgeS !== undefined) line += `; Max-Age=${options.maxAgeS}`;
  if (options.httpOnly) line += '; HttpOnly';
  return line;
}
