import * as z from 'zod/mini';
import { normaliseCode } from '../redeem-code.ts';
import { id, line, when, whole } from './primitives.ts';

/** State of a code, derived from its switch, its uses and its window. */
export const CODE_STATES = ['active', 'scheduled', 'expired', 'used', 'off'] as const;

const isMoment = (text: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d[\d:.]*(?:Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text));
/** A moment: ISO 8601 with a zone, brought to UTC; or null. */
export const moment = z.nullable(
  z.string().check(
    z.maxLength(40),
    z.refine(isMoment, 'INVALID_DATE'),
    z.overwrite((text) => (isMoment(text) ? new Date(text).toISOString() : text)),
  ),
);

/** A code as staff type it: 4 to 40 letters and digits, dashes and spaces between them; empty on creation has one made. */
const codeText = z.string().check(
  z.trim(),
  z.toUpperCase(),
  z.maxLength(40),
  z.regex(/^(?:[A-Z0-9]+(?:[-_ ][A-Z0-9]+)*)?$/, 'INVALID_CODE'),
  z.refine((text) => text === '' || normaliseCode(text).length >= 4, 'TOO_SHORT'),
);

export const redeemCodeInput = z
  .strictObject({
    code: codeText,
    note: line(0, 120),
    credits: whole(1, 1_000_000),
    uses_total: whole(1, 1_000_000),
    min_age_days: whole(0, 3650),
    starts_at: moment,
    ends_at: moment,
    enabled: z.boolean(),
  })
  .check(
    // Written so that a date that is none, which has its own code, does not count as a wrong order.
    z.refine((code) => !(Date.parse(code.starts_at ?? '') >= Date.parse(code.ends_at ?? '')), {
      path: ['ends_at'],
      message: 'END_BEFORE_START',
    }),
  );
export const redeemCodeRow = z.object({
  id,
  code: z.string(),
  note: z.string(),
  status: z.enum(CODE_STATES),
  credits: z.int(),
  uses_total: z.int(),
  uses_count: z.int(),
  min_age_days: z.int(),
  starts_at: z.nullable(when),
  ends_at: z.nullable(when),
  enabled: z.boolean(),
  /** Who made it; null when that account is gone. */
  created_by: z.nullable(z.string()),
  created_at: when,
  updated_at: when,
});
