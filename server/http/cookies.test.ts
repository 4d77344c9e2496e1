import { expect, test } from 'bun:test';
import { SESSION_COOKIE } from '#shared/constants.ts';
import { readCookie } from './cookies.ts';

/**
 * The reading of a Cookie header as browsers write it: apart by `;`, the name up to the first `=`. Written plainly, to
 * compare with.
 */
function plainly(header: string, name: string): string[] {
  return header.split(';').flatMap((part) => {
    const at = part.indexOf('=');
    return at >= 0 && part.slice(0, at).replace(/^[ \t]+/, '') === name ? [part.slice(at + 1).trim()] : [];
  });
}

test('S5 a cookie of the parent domain puts nobody into another session', () => {
  expect(readCookie(`theme=x ${SESSION_COOKIE}=SECRET`, SESSION_COOKIE)).toBeNull();
  expect(readCookie(`theme=x ${SESSION_COOKIE}=SECRET; ${SESSION_COOKIE}=mine`, SESSION_COOKIE)).toBe('mine');
  expect(readCookie(`theme=x,${SESSION_COOKIE}=SECRET`, SESSION_COOKIE)).toBeNull();
  expect(readCookie(`theme=x\t${SESSION_COOKIE}=SECRET`, SESSION_COOKIE)).toBeNull();
  expect(readCookie(`x${SESSION_COOKIE}=SECRET`, SESSION_COOKIE)).toBeNull();
});

test('S5 a name that must be single and comes twice counts as none', () => {
  expect(readCookie(`${SESSION_COOKIE}=other; ${SESSION_COOKIE}=mine`, SESSION_COOKIE)).toBeNull();
  expect(readCookie(`${SESSION_COOKIE}=mine; a=1;${SESSION_COOKIE}=`, SESSION_COOKIE)).toBeNull();
  expect(readCookie('__Host-any=1; __Host-any=1', '__Host-any')).toBeNull();
  expect(readCookie('theme=dark; theme=light', 'theme')).toBe('dark');
});

test('T58 the guard reads cookies as browsers write them, whatever stands between them', () => {
  const parts = [SESSION_COOKIE, 'theme', '=', '=', ';', '; ', ' ', '\t', 'x', ',', '"', 'SECRET', '__Host-', '\u00a0'];
  let seed = 7;
  const next = (max: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % max;
  let found = 0;
  for (let round = 0; round < 50_000; round += 1) {
    const header = Array.from({ length: 1 + next(9) }, () => parts[next(parts.length)] ?? '').join('');
    for (const name of [SESSION_COOKIE, 'theme']) {
      const all = plainly(header, name);
      const right = name === SESSION_COOKIE ? (all.length === 1 ? all[0] : null) : (all[0] ?? null);
      if (all.length > 0) found += 1;
      if (readCookie(header, name) !== right)
        expect({ header, name, read: readCookie(header, name) }).toEqual({ header, name, read: right ?? null });
    }
  }
  expect(found).toBeGreaterThan(1_000);
});
