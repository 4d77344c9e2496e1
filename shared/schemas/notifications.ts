import * as z from 'zod/mini';
import { MAIL_WAYS, SUBJECT_NAMES } from '../notifications.ts';
import { text, wholeNumber } from './primitives.ts';

const subjects = z.array(z.enum(SUBJECT_NAMES)).check(z.maxLength(SUBJECT_NAMES.length));
const hour = wholeNumber(0, 23);

/** By which ways and when somebody wants what they are notified of. Of what is not named, nothing comes. */
export const notificationSettingsInput = z
  .strictObject({
    app: subjects,
    push: subjects,
    mail: z.partialRecord(z.enum(SUBJECT_NAMES), z.enum(MAIL_WAYS)),
    digest_hour: hour,
    quiet: z.boolean(),
    quiet_from: hour,
    quiet_until: hour,
  })
  .check(
    z.refine(({ quiet, quiet_from: from, quiet_until: until }) => !quiet || from !== until, {
      error: 'INVALID',
      path: ['quiet_until'],
    }),
  );

/** Where a browser takes pushes, and the keys by which it alone opens them (services, webpush). */
export const pushSubscriptionInput = z.strictObject({
  endpoint: text(1, 1000),
  /** A point of P-256, 65 bytes, base64url. */
  p256dh: z.string().check(z.regex(/^B[\w-]{86}$/, 'INVALID')),
  /** 16 bytes, base64url. */
  auth: z.string().check(z.regex(/^[\w-]{22}$/, 'INVALID')),
});
