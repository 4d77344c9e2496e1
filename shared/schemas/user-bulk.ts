import * as z from 'zod/mini';
import { id, line, lines, text } from './primitives.ts';

/** Users whom a command may concern at once: the largest page of the list. */
export const BULK_USERS_MAX = 100;
export const MAIL_SUBJECT_MAX = 120;
export const MAIL_TEXT_MAX = 5000;

const ids = z.array(id).check(z.minLength(1, 'REQUIRED'), z.maxLength(BULK_USERS_MAX, 'TOO_LARGE'));

/** Several users. */
export const bulkUsersInput = z.strictObject({ ids });
/** The role that several users get. */
export const bulkRoleInput = z.strictObject({ ids, role: id });
/** The e-mail that several users get. */
export const bulkMailInput = z.strictObject({
  ids,
  subject: line(3, MAIL_SUBJECT_MAX),
  text: lines(3, MAIL_TEXT_MAX),
});

/** The filter of the list as its address says it: `role=…&seen=week`; all users where it is empty. */
const filter = text(0, 500);
/** All who fit a filter. */
export const bulkAllInput = z.strictObject({ filter });
/** The role that all of them get. */
export const bulkAllRoleInput = z.strictObject({ filter, role: id });
/** The e-mail that all of them get. */
export const bulkAllMailInput = z.strictObject({
  filter,
  subject: line(3, MAIL_SUBJECT_MAX),
  text: lines(3, MAIL_TEXT_MAX),
});
