import * as z from 'zod/mini';

/**
 * A host name or an IPv4 address: labels of letters, digits and dashes with dots between, at most 253 characters, in
 * small letters.
 */
export const hostName = z
  .string()
  .check(
    z.trim(),
    z.toLowerCase(),
    z.minLength(1),
    z.maxLength(253),
    z.regex(/^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*)?$/, 'INVALID'),
  );
/** A country in two letters (ISO 3166-1), written large. */
export const countryCode = z
  .string()
  .check(z.trim(), z.toUpperCase(), z.minLength(1), z.regex(/^(?:[A-Z]{2})?$/, 'INVALID'));
