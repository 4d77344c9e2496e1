import * as z from 'zod/mini';
import { MAIL_STATES } from '../mails.ts';
import { PAST_CURSOR } from '../past-cursor.ts';
import { isoTime } from '../schemas/primitives.ts';
import { group } from './endpoint.ts';

/** From which place on; an answer's `older` is one. */
const query = z.object({ before: z.optional(z.string().check(z.regex(PAST_CURSOR, 'INVALID'))) });
const older = z.nullable(z.string());

/** What happened to an account, and the e-mails that were sent to its user (behaviour 3.8). */
export const accountActivity = group({
  activity: {
    method: 'GET',
    path: '/api/account/activity',
    summary: 'List what happened to your account',
    query,
    access: 'signed-in',
    errors: [],
    response: z.object({
      rows: z.array(
        z.object({
          id: z.string(),
          at: isoTime,
          /** Of the audit log (`activity:action.<action>`, dots as underscores). */
          action: z.string(),
          /** False: staff or the system did it. */
          own: z.boolean(),
          address: z.nullable(z.string()),
          device: z.nullable(z.string()),
        }),
      ),
      older,
    }),
  },
  mails: {
    method: 'GET',
    path: '/api/account/mails',
    summary: 'List the e-mails sent to you',
    query,
    access: 'signed-in',
    errors: [],
    response: z.object({
      rows: z.array(
        z.object({
          id: z.string(),
          at: isoTime,
          address: z.string(),
          state: z.enum(MAIL_STATES),
          /** Null where it is a code that only the mailbox shows, and so is `text`. */
          subject: z.nullable(z.string()),
          text: z.nullable(z.string()),
        }),
      ),
      older,
    }),
  },
});
