import * as z from 'zod/mini';
import { normaliseCode } from '../redeem-code.ts';

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

/**
 * A code as staff type it: 4 to 40 letters and digits, dashes and spaces between them; empty on creation: one is
 * generated.
 */
export const codeText = z.string().check(
  z.trim(),
  z.toUpperCase(),
  z.maxLength(40),
  z.regex(/^(?:[A-Z0-9]+(?:[-_ ][A-Z0-9]+)*)?$/, 'INVALID_CODE'),
  z.refine((text) => text === '' || normaliseCode(text).length >= 4, 'TOO_SHORT'),
);
