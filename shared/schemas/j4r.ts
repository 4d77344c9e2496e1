import * as z from 'zod/mini';

/**
 * State of an entry: active, off, its invite not resolved yet, invalid, or a duplicate of another entry's Discord
 * server.
 */
export const J4R_STATES = ['active', 'checking', 'unknown', 'duplicate', 'off'] as const;

/** The code of an invite, out of what staff paste: a code, or an address of discord.gg or discord.com/invite. */
export function inviteCode(text: string): string {
  return text
    .trim()
    .replace(/^(?:https?:\/\/)?(?:www\.)?(?:discord\.gg|discord(?:app)?\.com\/invite)\//i, '')
    .replace(/[/?#].*$/, '');
}

/** An invite as staff paste it: its code is kept. */
export const inviteInput = z
  .string()
  .check(
    z.maxLength(200),
    z.overwrite(inviteCode),
    z.minLength(1),
    z.regex(/^(?:[A-Za-z0-9-]{2,60})?$/, 'INVALID_INVITE'),
  );
