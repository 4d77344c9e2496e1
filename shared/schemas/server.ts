import * as z from 'zod/mini';
import { SERVER_MINIMUM } from '../constants.ts';
import { id, line, lines, queryInt, text, wholeNumber } from './primitives.ts';

/** States of a server (behaviour 6.2, 6.3). */
export const SERVER_STATES = ['queued', 'installing', 'active', 'suspended', 'deleting', 'deleted', 'failed'] as const;
export type ServerState = (typeof SERVER_STATES)[number];
/** Why a server is suspended. */
export const SUSPEND_REASONS = ['expired', 'ban', 'admin'] as const;
/** States of a queue entry (behaviour 6.2). */
export const QUEUE_STATES = ['queued', 'building', 'completed', 'failed', 'cancelled'] as const;
export type QueueState = (typeof QUEUE_STATES)[number];

/**
 * The seven amounts of a server: MB, MB, percent of one core, counts. Upper bounds only keep numbers sane; the user's
 * limits decide.
 */
export const serverResources = {
  memory: wholeNumber(SERVER_MINIMUM.memory, 1_048_576),
  disk: wholeNumber(SERVER_MINIMUM.disk, 10_485_760),
  cpu: wholeNumber(SERVER_MINIMUM.cpu, 12_800),
  ports: wholeNumber(SERVER_MINIMUM.ports, 100),
  databases: wholeNumber(SERVER_MINIMUM.databases, 100),
  backups: wholeNumber(SERVER_MINIMUM.backups, 100),
};
/** Longest name and description of a server (behaviour 6.1). */
export const SERVER_NAME_MAX = 32;
export const SERVER_DESCRIPTION_MAX = 255;
export const serverName = line(1, SERVER_NAME_MAX);
export const serverDescription = lines(0, SERVER_DESCRIPTION_MAX);

/** Values of the egg's user-editable variables by environment name. */
export const eggValues = z.record(z.string().check(z.regex(/^[A-Z][A-Z0-9_]{0,63}$/, 'INVALID')), text(0, 1000));

export const serverCreateInput = z.strictObject({
  name: serverName,
  description: serverDescription,
  location_id: id,
  category_id: id,
  egg_id: id,
  ...serverResources,
  variables: eggValues,
  auto_renew: z.boolean(),
  /** The price due now, as shown: what a deleted server left owed (behaviour 6.6); 0 if absent. */
  price: z.optional(wholeNumber(0, 1_000_000_000)),
});
/** The same for the retry of a failed server. */
export const serverRetryQuery = z.strictObject({ price: z.optional(queryInt(0, 1_000_000_000)) });
/** Variables that are left out stay as they are. */
export const serverUpdateInput = z.strictObject({
  name: serverName,
  description: serverDescription,
  ...serverResources,
  variables: z.optional(eggValues),
});
/** A renewal at the price and from the expiry that were shown (behaviour 6.3). */
export const serverRenewInput = z.strictObject({
  price: wholeNumber(0, 1_000_000_000),
  expires_at: z.nullable(text(0, 40)),
});
/** Renewal of everything that is due, at the sum that was shown. */
export const renewAllInput = z.strictObject({ price: wholeNumber(0, 1_000_000_000) });
/** Which of a user's servers are renewed first where the balance does not pay for all (behaviour 6.5). */
export const RENEW_PRIORITIES = ['first', 'normal', 'last'] as const;
export type RenewPriority = (typeof RENEW_PRIORITIES)[number];
/** `priority`: stays as it is where it is absent. */
export const autoRenewInput = z.strictObject({ on: z.boolean(), priority: z.optional(z.enum(RENEW_PRIORITIES)) });
/** The server's name as typed, a guard against accidental deletion. */
export const serverDeleteInput = z.strictObject({ name: text(0, 64) });
/** Whether a server can be reinstalled. */
export const REINSTALL = ['possible', 'underWay', 'impossible'] as const;
/** A confirmed form: the box ticked, or the dialog accepted. */
export const confirmedInput = z.strictObject({ sure: z.literal(true, 'REQUIRED') });
/** Signals of the power buttons. */
export const POWER_SIGNALS = ['start', 'stop', 'restart', 'kill'] as const;
/** A line for a server's console: what a keyboard types, so nothing that could pass for a second line. */
export const commandText = z
  .string()
  .check(
    z.minLength(1, 'REQUIRED'),
    z.maxLength(1000, 'TOO_LONG'),
    z.regex(/^[^\p{Cc}\p{Cs}\u2028\u2029]*$/u, 'INVALID'),
  );
export const commandInput = z.strictObject({ text: commandText });
/** The port that becomes the primary one. */
export const primaryPortInput = z.strictObject({ port: wholeNumber(1, 65_535) });
export const powerInput = z.strictObject({ signal: z.enum(POWER_SIGNALS) });
/** What a new server would need of a location: the draft of the create page. Everything is optional. */
export const availabilityQuery = z.strictObject({
  location_id: z.optional(id),
  egg_id: z.optional(id),
  memory: z.optional(queryInt(SERVER_MINIMUM.memory, 1_048_576)),
  disk: z.optional(queryInt(SERVER_MINIMUM.disk, 10_485_760)),
  ports: z.optional(queryInt(SERVER_MINIMUM.ports, 100)),
});
/** Waiting for capacity at a location, for a server like this. */
export const waitInput = z.strictObject({
  location_id: id,
  egg_id: id,
  memory: serverResources.memory,
  disk: serverResources.disk,
  ports: serverResources.ports,
});
