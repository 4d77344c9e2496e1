import * as z from 'zod/mini';
import { LOCALES } from '../i18n/locales.ts';
import { MAIL_BLOCK_MAX, MAIL_BLOCKS, MAIL_BLOCKS_MAX, MAIL_KINDS, MAIL_SUBJECT_CHARS } from '../mails.ts';
import { id, line, lines, text, wholeNumber } from './primitives.ts';

const block = z.strictObject({ kind: z.enum(MAIL_BLOCKS), text: lines(0, MAIL_BLOCK_MAX) });

/** What stands in a mail, as it is typed. Which variables it may have depends on the mail. */
export const mailContentInput = z.strictObject({
  locale: z.enum(LOCALES),
  subject: line(1, MAIL_SUBJECT_CHARS),
  blocks: z.array(block).check(z.minLength(1, 'REQUIRED'), z.maxLength(MAIL_BLOCKS_MAX, 'TOO_LONG')),
});
/** The same, to be looked at. `user`: the name or address of a user whose data are filled in; the caller's own without. */
export const mailPreviewInput = z.extend(mailContentInput, { user: z.optional(text(0, 254)) });
/** The same, to be stored. `revision`: which one was seen; 0 where the product's own content was. */
export const mailTemplateInput = z.extend(mailContentInput, { revision: wholeNumber(0, 1_000_000_000) });
/** The languages whose content goes back to the product's own; all of them if none is named. */
export const mailResetInput = z.strictObject({ locale: z.optional(z.enum(LOCALES)) });

/** Where the buttons of a host's own mail lead: a path of the product, or an address over HTTPS. */
const link = text(1, 300).check(z.regex(/^(?:\/(?![/\\])\S*|https:\/\/[^\s/]+\S*)$/, 'INVALID'));
export const ownMailCreateInput = z.strictObject({ name: line(1, 80), kind: z.enum(MAIL_KINDS) });
/** A host's own mail while it is written. */
export const ownMailContentInput = z.extend(mailContentInput, { name: line(1, 80), kind: z.enum(MAIL_KINDS), link });
/** The same, to be stored. `revision`: which one was seen. */
export const ownMailInput = z.extend(ownMailContentInput, { revision: wholeNumber(1, 1_000_000_000) });
/** Whom it is sent to; what is absent narrows nothing. */
export const audienceInput = z.strictObject({
  role: z.optional(id),
  locale: z.optional(z.enum(LOCALES)),
  seen: z.optional(z.enum(['week', 'month', 'quarter'])),
});
export const campaignInput = z.extend(audienceInput, { revision: wholeNumber(1, 1_000_000_000) });
/** The kinds of mails that somebody wants. */
export const mailKindsInput = z.strictObject({ kinds: z.array(z.enum(MAIL_KINDS)).check(z.maxLength(10, 'TOO_LONG')) });
