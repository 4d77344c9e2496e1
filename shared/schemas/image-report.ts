import * as z from 'zod/mini';
import {
  COMPLAINT_ID,
  IMAGE_ADDRESS_MAX,
  imageIdOf,
  REPORT_DECISIONS,
  REPORT_DETAILS_MAX,
  REPORT_NOTE_MAX,
  REPORT_REASONS,
  REPORTS_AT_ONCE,
} from '../image-reports.ts';
import { challengeAnswer } from './abuse.ts';
import { id, line, lines } from './primitives.ts';

export const complaintId = z.string().check(z.regex(COMPLAINT_ID, 'INVALID'));

/** What somebody says of an image: its address or id, why it is reported, and what else there is to say. */
export const imageComplaintInput = z.strictObject({
  image: line(1, IMAGE_ADDRESS_MAX).check(z.refine((address) => imageIdOf(address) !== null, 'INVALID')),
  reason: z.enum(REPORT_REASONS, 'REQUIRED'),
  details: lines(0, REPORT_DETAILS_MAX),
  challenge: challengeAnswer,
});
/** What staff decide of a report. */
export const reportDecisionInput = z.strictObject({ decision: z.enum(REPORT_DECISIONS) });
/** The same decision on several reports. */
export const reportDecisionsInput = z.strictObject({
  ids: z.array(id).check(z.minLength(1, 'REQUIRED'), z.maxLength(REPORTS_AT_ONCE, 'TOO_LONG')),
  decision: z.enum(REPORT_DECISIONS),
});
/** What staff note for each other. */
export const reportNoteInput = z.strictObject({ note: lines(0, REPORT_NOTE_MAX) });
