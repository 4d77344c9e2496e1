import * as z from 'zod/mini';
import { id, line, lines, text, wholeNumber } from './primitives.ts';

export const BAN_REASON_MAX = 255;
/** Longest ban that ends by itself. */
const BAN_DAYS_MAX = 3650;
/** Lengths of a ban that the form offers, in days; 0 stands for a permanent one. */
export const BAN_DAYS = [1, 3, 7, 30, 90, 365, 0] as const;
export const NOTE_MAX = 2000;

/**
 * A ban: the reason, which the user reads, how many days it lasts (0: permanent), and whether rewards that wait are
 * rejected.
 */
export const banInput = z.strictObject({
  reason: line(3, BAN_REASON_MAX),
  days: wholeNumber(0, BAN_DAYS_MAX),
  reject_held: z.optional(z.boolean()),
});
/** The role that a user gets, by its id. */
export const userRoleInput = z.strictObject({ role: id });
/** A note of staff on a user. */
export const noteInput = z.strictObject({ text: lines(1, NOTE_MAX) });
/**
 * The deletion of an account: its username as typed, and whether its row stays under another name (`anonymise`) or goes
 * too (`delete`).
 */
export const deletionInput = z.strictObject({ name: text(0, 200), way: z.enum(['anonymise', 'delete']) });
