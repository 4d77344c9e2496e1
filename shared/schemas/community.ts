import * as z from 'zod/mini';
import { GIFT_NOTE_MAX } from '../gift.ts';
import { BOARDS } from '../leaderboard.ts';
import { AVATARS, BACKGROUNDS, BADGES, PROFILE_FIELDS } from '../profile.ts';
import { id, line, trimmedText, wholeNumber } from './primitives.ts';

/** Which board is asked for. */
export const boardQuery = z.object({ board: z.optional(z.enum(BOARDS)) });

/** A gift (behaviour 5.4). The bounds are settings; these only reject invalid amounts (attacks T4). */
export const giftInput = z.strictObject({
  recipient: id,
  amount: wholeNumber(1, 1_000_000_000),
  /** Amount and fee together as the sender saw them; another total now is refused with PRICE_CHANGED (attacks T11). */
  total: wholeNumber(1, 2_000_000_000),
  /** Plain text for the recipient. */
  note: z.optional(line(0, GIFT_NOTE_MAX)),
});

/** What a user shows of themselves. */
export const privacyInput = z.strictObject({
  leaderboard: z.boolean(),
  profile: z.boolean(),
  fields: z.array(z.enum(PROFILE_FIELDS)).check(z.maxLength(PROFILE_FIELDS.length)),
  avatar: z.enum(AVATARS),
  background: z.enum(BACKGROUNDS),
  badge: z.enum(BADGES),
});

/**
 * Beginning of a username, from two characters (behaviour 7.2). Anything may be typed; an impossible prefix finds
 * nobody.
 */
export const lookupQuery = z.object({ q: z.optional(trimmedText(0, 64)) });
/** Minimum characters of a search. */
export const LOOKUP_MIN = 2;
