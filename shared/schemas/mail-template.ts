import * as z from 'zod/mini';
import { LOCALES } from '../i18n/locales.ts';
import { MAIL_BLOCK_MAX, MAIL_BLOCKS, MAIL_BLOCKS_MAX, MAIL_SUBJECT_CHARS } from '../mails.ts';
import { line, lines, wholeNumber } from './primitives.ts';

const block = z.strictObject({ kind: z.enum(MAIL_BLOCKS), text: lines(0, MAIL_BLOCK_MAX) });

/** What stands in a mail, as it is typed. Which variables it may have depends on the mail. */
export const mailContentInput = z.strictObject({
  locale: z.enum(LOCALES),
  subject: line(1, MAIL_SUBJECT_CHARS),
  blocks: z.array(block).check(z.minLength(1, 'REQUIRED'), z.maxLength(MAIL_BLOCKS_MAX, 'TOO_LONG')),
});
/** The same, to be stored. `revision`: which one was seen; 0 where the product's own content was. */
export const mailTemplateInput = z.extend(mailContentInput, { revision: wholeNumber(0, 1_000_000_000) });
/** The languages whose content goes back to the product's own; all of them if none is named. */
export const mailResetInput = z.strictObject({ locale: z.optional(z.enum(LOCALES)) });
