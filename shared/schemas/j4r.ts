import * as z from 'zod/mini';
import { id, line, lines, when, whole } from './primitives.ts';

/**
 * State of an entry: switched off, its invite not looked up yet, leading nowhere, or to a Discord server that another
 * entry has.
 */
export const J4R_STATES = ['active', 'checking', 'unknown', 'duplicate', 'off'] as const;

/** The code of an invite, out of what staff paste: a code, or an address of discord.gg or discord.com/invite. */
export function inviteCode(text: string): string {
  return text
    .trim()
    .replace(/^(?:https?:\/\/)?(?:www\.)?(?:discord\.gg|discord(?:app)?\.com\/invite)\//i, '')
    .replace(/[/?#].*$/, '');
}

const invite = z
  .string()
  .check(
    z.maxLength(200),
    z.overwrite(inviteCode),
    z.minLength(1),
    z.regex(/^(?:[A-Za-z0-9-]{2,60})?$/, 'INVALID_INVITE'),
  );

export const j4rServerInput = z.strictObject({
  name: line(1, 60),
  description: lines(0, 300),
  invite,
  credits: whole(1, 1_000_000),
  min_account_days: whole(0, 3650),
  pays_members: z.boolean(),
  position: whole(0, 10_000),
  enabled: z.boolean(),
});
export const j4rServerRow = z.object({
  id,
  name: z.string(),
  description: z.string(),
  invite: z.string(),
  /** What the invite leads to, as Discord says. */
  guild_id: z.nullable(z.string()),
  guild_name: z.nullable(z.string()),
  members: z.nullable(z.int()),
  status: z.enum(J4R_STATES),
  credits: z.int(),
  min_account_days: z.int(),
  pays_members: z.boolean(),
  position: z.int(),
  enabled: z.boolean(),
  /** Rewards paid for it, and credits taken back from those who left. */
  paid: z.int(),
  created_at: when,
  updated_at: when,
});
