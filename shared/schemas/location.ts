import * as z from 'zod/mini';
import { PLACEMENTS } from '../panel-codes.ts';
import { id, line, lines, text, when, whole } from './primitives.ts';

/**
 * A host name or an IPv4 address: labels of letters, digits and dashes with dots between, at most 253 characters, in
 * small letters.
 */
const hostName = z
  .string()
  .check(
    z.trim(),
    z.toLowerCase(),
    z.minLength(1),
    z.maxLength(253),
    z.regex(/^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*)?$/, 'INVALID'),
  );
/** A country in two letters (ISO 3166-1), written large. */
const countryCode = z.string().check(z.trim(), z.toUpperCase(), z.minLength(1), z.regex(/^(?:[A-Z]{2})?$/, 'INVALID'));
/** Place in a list: smaller comes first. */
export const position = whole(0, 10_000);

export const locationInput = z.strictObject({
  name: line(1, 60),
  description: lines(0, 255),
  code: countryCode,
  address: hostName,
  slots: whole(1, 100_000),
  online: z.boolean(),
  vip_only: z.boolean(),
  position,
  /**
   * The panel whose servers stand here, and which of its locations (or tags) it is; both null for the embedded panel
   * (behaviour 6.7).
   */
  panel_id: z.optional(z.nullable(id)),
  panel_location: z.optional(z.nullable(text(1, 200))),
  placement: z.optional(z.enum(PLACEMENTS)),
});
export const locationRow = z.object({
  id,
  name: z.string(),
  description: z.string(),
  code: z.string(),
  address: z.string(),
  slots: z.int(),
  /** Servers that hold a slot now. */
  used_slots: z.int(),
  online: z.boolean(),
  vip_only: z.boolean(),
  position: z.int(),
  panel_id: z.nullable(z.string()),
  panel_location: z.nullable(z.string()),
  /** Name of the panel. */
  panel: z.nullable(z.string()),
  placement: z.enum(PLACEMENTS),
  created_at: when,
  updated_at: when,
});
