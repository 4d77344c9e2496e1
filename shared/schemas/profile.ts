import * as z from 'zod/mini';
import { LOCALES } from '../i18n/locales.ts';
import { isTimeZone } from '../zoned.ts';
import { line, trimmedText } from './primitives.ts';

/** A user's name, language and time zone. Not among the schemas of accounts: the log-in page loads those. */
export const profileInput = z.strictObject({
  first_name: line(1, 64),
  last_name: line(1, 64),
  locale: z.enum(LOCALES),
  /** IANA name; null: the installation's; absent: as it is. */
  time_zone: z.optional(z.nullable(trimmedText(1, 60).check(z.refine(isTimeZone, { error: 'UNKNOWN' })))),
});
