import * as z from 'zod/mini';
import { RESOURCE_KINDS } from '../constants.ts';
import { amount, id, isoTime } from '../schemas/primitives.ts';
import { QUEUE_STATES, RENEW_PRIORITIES, SERVER_STATES, SUSPEND_REASONS } from '../schemas/server.ts';
import { QUEUE_WAITS } from '../server-codes.ts';
import { SUBUSER_RIGHTS } from '../subusers.ts';

const resources = z.object({
  memory: z.int(),
  disk: z.int(),
  cpu: z.int(),
  ports: z.int(),
  databases: z.int(),
  backups: z.int(),
});
const meter = z.object({ used: z.int(), limit: z.int() });
/** Used and limit of every kind of resource. Used counts live, queued and reserved. */
export const meters = z.record(z.enum(RESOURCE_KINDS), meter);

const queueView = z.object({
  id: z.string(),
  state: z.enum(QUEUE_STATES),
  /** 1 = next; null when not waiting. */
  position: z.nullable(z.int()),
  /** Estimated seconds until it is ready; null when unknown. */
  estimate_s: z.nullable(z.int()),
  attempts: z.int(),
  steps: z.array(z.object({ at: isoTime, code: z.string(), detail: z.nullable(z.string()) })),
  can_cancel: z.boolean(),
  /** Why the last attempt failed: `unavailable` or `unknown` if the panel did not respond; null if it did not fail. */
  last_error: z.nullable(z.string()),
  /** What it waits for before it can be built, or polled, and since when; null if nothing blocks it. */
  waiting: z.nullable(z.object({ cause: z.enum(QUEUE_WAITS), since: isoTime })),
});

/** A server as its owner sees it. */
export const serverView = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  state: z.enum(SERVER_STATES),
  suspend_reason: z.nullable(z.enum(SUSPEND_REASONS)),
  /** Code of what went wrong, for `failed`. */
  failure: z.nullable(z.string()),
  address: z.nullable(z.string()),
  /** `picture`: id of the one that it has in the place of its block; '': none. */
  egg: z.object({ id: z.string(), name: z.string(), shape: z.string(), hue: z.int(), picture: z.string() }),
  location: z.object({ id: z.string(), name: z.string(), code: z.string() }),
  resources,
  /** Installation progress 0–100 while installing. */
  progress: z.nullable(z.int()),
  created_at: isoTime,
  expires_at: z.nullable(isoTime),
  /** When an expired server that still runs is suspended, at the earliest; null for all others. Never past. */
  suspends_at: z.nullable(isoTime),
  /** When an expired server is deleted. */
  deletes_at: z.nullable(isoTime),
  auto_renew: z.boolean(),
  renew_priority: z.enum(RENEW_PRIORITIES),
  queue: z.nullable(queueView),
  /** Changes that have not reached the panel yet. */
  pending: z.boolean(),
  /** What the owner may do now, decided by the server. */
  can: z.object({ update: z.boolean(), renew: z.boolean(), delete: z.boolean(), retry: z.boolean() }),
});
export type ServerView = z.infer<typeof serverView>;

/** A server of somebody else, as who works on it sees it. */
export const sharedServerView = z.extend(
  z.pick(serverView, {
    id: true,
    name: true,
    description: true,
    state: true,
    address: true,
    egg: true,
    location: true,
    resources: true,
  }),
  {
    /** Username of its owner. */
    owner: z.string(),
    rights: z.array(z.enum(SUBUSER_RIGHTS)),
  },
);
export type SharedServerView = z.infer<typeof sharedServerView>;

/** Somebody who works on a server of somebody else. */
export const subuserView = z.object({
  user_id: z.string(),
  username: z.string(),
  rights: z.array(z.enum(SUBUSER_RIGHTS)),
  added_at: isoTime,
});
export type SubuserView = z.infer<typeof subuserView>;

/** What happened to a server, the latest first. */
export const activity = z.array(
  z.object({
    id: z.string(),
    at: isoTime,
    code: z.string(),
    detail: z.nullable(z.string()),
    /** Username of the player who did it; null: staff, the system, or nobody knows. */
    actor: z.nullable(z.string()),
    /** Somebody of staff at work on the server did it. */
    by_staff: z.boolean(),
  }),
);

/** What the user's next server carries over from a deleted one (behaviour 6.6). */
export const carriedDebtView = z.object({
  /** Name of the deleted server. */
  server: z.string(),
  /** Credits due when the new one is created; 0: none, it only expires when the old one would have. */
  owed: amount,
  ended_at: isoTime,
  /** When it lapses. */
  until: isoTime,
});
export type CarriedDebtView = z.infer<typeof carriedDebtView>;

/** An entry on the waiting list of a location. */
export const waitView = z.object({
  location_id: z.string(),
  /** 1 = next; null once the user was notified of capacity. */
  position: z.nullable(z.int()),
  /** Estimated seconds until there is capacity, from recent experience; null if too little is known. */
  estimate_s: z.nullable(z.int()),
  notified_at: z.nullable(isoTime),
  since: isoTime,
});
export type WaitView = z.infer<typeof waitView>;

/** A variable of an egg that its owner may set. `unchecked`: rules that only the panel can check. */
export const variableView = z.object({
  env: z.string(),
  name: z.string(),
  description: z.string(),
  default_value: z.string(),
  rules: z.string(),
  kind: z.string(),
  options: z.array(z.string()),
  unchecked: z.array(z.string()),
});
export type VariableView = z.infer<typeof variableView>;

export const serverParams = z.object({ id });
