import * as z from 'zod/mini';
import { normaliseCode } from '../redeem-code.ts';
import { line, wholeNumber } from './primitives.ts';
import { moment } from './redeem-code.ts';

/** Codes made at once, at most. */
export const BATCH_MAX = 1000;

/**
 * The pattern of the codes: letters, digits and dashes are literal; each `#` becomes a random character, at least 8 of
 * them, so that no code can be guessed.
 */
export const BATCH_RANDOM_MIN = 8;
const pattern = z.string().check(
  z.trim(),
  z.toUpperCase(),
  z.minLength(1),
  z.maxLength(40),
  z.regex(/^(?:[A-Z0-9#]+(?:-[A-Z0-9#]+)*)?$/, 'INVALID_CODE'),
  z.refine((text) => text === '' || text.split('#').length > BATCH_RANDOM_MIN, 'TOO_SHORT'),
  z.refine((text) => normaliseCode(text.replaceAll('#', '0')).length <= 40, 'TOO_LONG'),
);

/** Many redeem codes of one kind (behaviour 4.2). */
export const codeBatchInput = z
  .strictObject({
    count: wholeNumber(1, BATCH_MAX),
    pattern,
    note: line(0, 120),
    credits: wholeNumber(1, 1_000_000),
    uses_total: wholeNumber(1, 1_000_000),
    min_age_days: wholeNumber(0, 3650),
    starts_at: moment,
    ends_at: moment,
  })
  .check(
    z.refine((code) => !(Date.parse(code.starts_at ?? '') >= Date.parse(code.ends_at ?? '')), {
      path: ['ends_at'],
      message: 'END_BEFORE_START',
    }),
  );
