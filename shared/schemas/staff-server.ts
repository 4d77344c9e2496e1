import * as z from 'zod/mini';
import { id, line, text, trimmedText, wholeNumber } from './primitives.ts';
import { serverCreateInput } from './server.ts';

export const STAFF_SERVER_STATES = ['queued', 'installing', 'active', 'suspended', 'deleting', 'failed'] as const;
export const STAFF_SERVER_SORTS = ['name', 'owner', 'created', 'expires'] as const;
export const DRIFT_KINDS = ['orphan', 'ghost', 'differs'] as const;
/** How panels are identified in addresses: by id, the built-in one by this word. */
export const EMBEDDED_PANEL = 'embedded';
export const panelName = z.union([id, z.literal(EMBEDDED_PANEL)]);

/** Longest reason of a suspension. */
export const SUSPEND_REASON_MAX = 200;
/** What the owner reads. */
export const suspendInput = z.strictObject({ reason: line(1, SUSPEND_REASON_MAX) });
/** The server's name as typed, and whether it is deleted even if its node does not respond. */
export const staffDeleteInput = z.strictObject({ name: text(0, 64), force: z.boolean() });

/** A user by username, address or id. */
export const ownerText = trimmedText(1, 254);
/** A panel's own id of a server. */
export const panelRef = text(1, 100);
/** A server that only a panel has, and its name there as typed; panels allow names up to 191 characters. */
export const orphanDeleteInput = z.strictObject({ panel: id, ref: panelRef, name: text(0, 255) });
/** Longest prepaid time that staff can grant, in days. */
export const ADOPT_DAYS_MAX = 3650;
/**
 * `days`: prepaid from now on; null: the renewal period. Without location or egg they derive from the server's node and
 * egg.
 */
export const adoptInput = z.strictObject({
  panel: id,
  ref: panelRef,
  owner: ownerText,
  days: z.nullable(wholeNumber(1, ADOPT_DAYS_MAX)),
  location_id: z.nullable(id),
  egg_id: z.nullable(id),
});
/** A server for a user; `without_limits` is for admin.root alone. */
export const staffCreateInput = z.strictObject({
  owner: ownerText,
  without_limits: z.boolean(),
  ...serverCreateInput.shape,
});
