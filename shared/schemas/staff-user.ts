import * as z from 'zod/mini';
import type { ResourceKind, Resources } from '../constants.ts';
import { LOCALES } from '../i18n/locales.ts';
import { email, newPassword, username } from './account.ts';
import { id, line, lines, text, wholeNumber } from './primitives.ts';

export const BAN_REASON_MAX = 255;
/** Longest ban that ends by itself. */
export const BAN_DAYS_MAX = 3650;
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
/** A ban, or other terms of one: without days its end stays as it is. */
export const banChangeInput = z.extend(banInput, { days: z.optional(banInput.shape.days) });
/** The role that a user gets, by its id. */
export const userRoleInput = z.strictObject({ role: id });
/**
 * An account that staff create for somebody: without a password they set one by the link of a forgotten one; without
 * names it has the username.
 */
export const newUserInput = z.strictObject({
  username,
  email,
  password: z.optional(newPassword),
  first_name: z.optional(line(1, 64)),
  last_name: z.optional(line(1, 64)),
  locale: z.optional(z.enum(LOCALES, 'INVALID')),
});
/** Another username of a user. */
export const usernameInput = z.strictObject({ username });
/** Another address of a user; `confirmed`: staff know that it is theirs. */
export const staffEmailInput = z.strictObject({ email, confirmed: z.boolean() });

/** The most of each kind of resource that staff give one user: those of the defaults of new users. */
export const LIMIT_MAX = {
  memory: 1_048_576,
  disk: 10_485_760,
  cpu: 12_800,
  slots: 1000,
  ports: 1000,
  databases: 1000,
  backups: 1000,
} as const satisfies Resources;
const limit = (kind: ResourceKind) => wholeNumber(0, LIMIT_MAX[kind]);
/** Fields of the limits as they were when the form was opened, so that what was bought meanwhile is not lost. */
const seenLimit = wholeNumber(0, Number.MAX_SAFE_INTEGER);
/** Limits of a user, and those that the editor saw. */
export const limitsInput = z.strictObject({
  memory: limit('memory'),
  disk: limit('disk'),
  cpu: limit('cpu'),
  slots: limit('slots'),
  ports: limit('ports'),
  databases: limit('databases'),
  backups: limit('backups'),
  seen_memory: seenLimit,
  seen_disk: seenLimit,
  seen_cpu: seenLimit,
  seen_slots: seenLimit,
  seen_ports: seenLimit,
  seen_databases: seenLimit,
  seen_backups: seenLimit,
});
/** A note of staff on a user. */
export const noteInput = z.strictObject({ text: lines(1, NOTE_MAX) });
/**
 * The deletion of an account: its username as typed, and whether its row stays under another name (`anonymise`) or goes
 * too (`delete`).
 */
export const deletionInput = z.strictObject({ name: text(0, 200), way: z.enum(['anonymise', 'delete']) });
