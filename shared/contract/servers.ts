import * as z from 'zod/mini';
import { RESOURCE_KINDS } from '../constants.ts';
import { amount, id, isoTime, listQuery, paging } from '../schemas/primitives.ts';
import { startupInput, subuserInput, subuserRightsInput } from '../schemas/subuser.ts';
import { SUBUSER_RIGHTS } from '../subusers.ts';
import {
  QUEUE_STATES,
  REINSTALL,
  SERVER_STATES,
  SUSPEND_REASONS,
  autoRenewInput,
  availabilityQuery,
  commandInput,
  powerInput,
  primaryPortInput,
  renewAllInput,
  serverCreateInput,
  serverDeleteInput,
  serverRenewInput,
  serverRetryQuery,
  serverUpdateInput,
  waitInput,
} from '../schemas/server.ts';
import { CONSOLE_KINDS, HALT_REASONS, LIVE_PROBLEMS, QUEUE_WAITS } from '../server-codes.ts';
import { group } from './endpoint.ts';

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
const meters = z.record(z.enum(RESOURCE_KINDS), meter);

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
const serverView = z.object({
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
  queue: z.nullable(queueView),
  /** Changes that have not reached the panel yet. */
  pending: z.boolean(),
  /** What the owner may do now, decided by the server. */
  can: z.object({ update: z.boolean(), renew: z.boolean(), delete: z.boolean(), retry: z.boolean() }),
});
export type ServerView = z.infer<typeof serverView>;

/** A server of somebody else, as who works on it sees it. */
const sharedServerView = z.extend(
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
const subuserView = z.object({
  user_id: z.string(),
  username: z.string(),
  rights: z.array(z.enum(SUBUSER_RIGHTS)),
  added_at: isoTime,
});
export type SubuserView = z.infer<typeof subuserView>;

/** What happened to a server, the latest first. */
const activity = z.array(
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

const renewView = z.object({
  cost: amount,
  days: z.int(),
  new_expiry: z.nullable(isoTime),
  allowed: z.boolean(),
  reason: z.nullable(z.string()),
  balance: z.int(),
});

/** What the user's next server carries over from a deleted one (behaviour 6.6). */
const carriedDebtView = z.object({
  /** Name of the deleted server. */
  server: z.string(),
  /** Credits due when the new one is created; 0: none, it only expires when the old one would have. */
  owed: amount,
  ended_at: isoTime,
  /** When it lapses. */
  until: isoTime,
});
export type CarriedDebtView = z.infer<typeof carriedDebtView>;

/** The availability of a location or an egg for a draft; `reason` is an error code if there is none. */
const availabilityView = z.object({
  id: z.string(),
  left: z.int(),
  available: z.boolean(),
  reason: z.nullable(z.string()),
});

/** An entry on the waiting list of a location. */
const waitView = z.object({
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
const variableView = z.object({
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

const serverParams = z.object({ id });

export const dashboard = group({
  get: {
    method: 'GET',
    path: '/api/dashboard',
    summary: 'Get your dashboard',
    query: z.object({ page: listQuery.page, per_page: listQuery.per_page }),
    access: 'signed-in',
    errors: [],
    response: z.object({
      now: isoTime,
      balance: z.int(),
      earned_today: z.int(),
      earned_30_days: z.int(),
      /** Balance at the end of each of the last 30 days, oldest first. */
      history: z.array(z.int()),
      afk: z.nullable(z.object({ earned_today: z.int(), cap: z.int() })),
      meters,
      /** One page of them. */
      servers: z.array(serverView),
      paging,
      /** Servers, of all, that are suspended for being unpaid or expire within three days. */
      needing_credits: z.int(),
      /** Servers of others that the caller works on. */
      shared: z.array(sharedServerView),
      renew_cost: amount,
      due: amount,
      statement: z.array(
        z.object({
          id: z.string(),
          at: isoTime,
          kind: z.string(),
          subject: z.nullable(z.string()),
          amount: z.int(),
          balance_after: z.int(),
          counterpart: z.string(),
        }),
      ),
      /** The places of early supporters (behaviour 4.7), and how it stands with the caller; null: the feature is off. */
      early_supporters: z.nullable(
        z.object({
          left: z.int(),
          count: z.int(),
          credits: amount,
          state: z.enum(['pending', 'qualified', 'paid', 'held', 'refused']),
          /** What a qualified reward waits for. */
          reason: z.nullable(z.enum(['budget', 'cap', 'unverified'])),
          terms: z.object({ min_age_hours: z.int(), afk_minutes: z.int(), verification: z.boolean() }),
          /** What the caller has done of it; null once all of it. */
          checks: z.nullable(z.object({ verified: z.boolean(), age: z.boolean(), active: z.boolean() })),
        }),
      ),
      /** What to do next, most urgent first (`dashboard:next.<code>`). */
      next: z.array(
        z.object({
          code: z.string(),
          subject: z.nullable(z.string()),
          amount: z.nullable(z.int()),
          at: z.nullable(isoTime),
          route: z.string(),
          id: z.nullable(z.string()),
        }),
      ),
    }),
  },
});

/** What a server uses right now. */
export const usageAnswer = z.object({
  /** Why usage is unknown; with numbers: the panel does not respond, and they are as old as `at`. */
  problem: z.nullable(z.enum(LIVE_PROBLEMS)),
  at: z.nullable(isoTime),
  usage: z.nullable(
    z.object({
      power: z.enum(['offline', 'starting', 'running', 'stopping', 'unknown']),
      /** Bytes, percent of one core, bytes, seconds. */
      memory: z.int(),
      cpu: z.number(),
      disk: z.int(),
      /** Bytes a second that come and go; null where the panel does not say. */
      network: z.nullable(z.object({ received: z.int(), sent: z.int() })),
      uptime_s: z.int(),
      /** Why it does not run although nobody stopped it, or does not end; null where that is not known. */
      halt: z.nullable(z.object({ reason: z.enum(HALT_REASONS), port: z.nullable(z.int()) })),
    }),
  ),
  /** The figures are up to this much older than `at`, seconds: the panel measures that seldom. */
  delay_s: z.int(),
});

/** Bytes, percent of one core, bytes, bytes a second. */
const usageFigures = z.object({
  memory: z.int(),
  cpu: z.number(),
  disk: z.int(),
  received: z.int(),
  sent: z.int(),
});

const consoleLine = z.object({
  /** Grows with each line; not by one. */
  seq: z.int(),
  at: isoTime,
  kind: z.enum(CONSOLE_KINDS),
  /** Of control characters only sequences of colours; of `state`: the state it came to. */
  text: z.string(),
});
export type ConsoleEventLine = z.infer<typeof consoleLine>;

/** Consoles of servers that run on this installation's node; those of other panels are in their panel. */
export const consoles = group({
  stream: {
    method: 'GET',
    path: '/api/servers/:id/console',
    summary: 'Stream a server’s console',
    description: 'The lines that are kept, or those behind the number `after`, and each new one.',
    params: serverParams,
    query: z.object({ after: z.optional(z.string().check(z.regex(/^\d{1,16}$/))) }),
    format: 'events',
    events: {
      lines: z.object({
        lines: z.array(consoleLine),
        /** Lines before the first of these are missing. */
        gap: z.boolean(),
      }),
      /** The panel does not answer; the next lines say that it does again. */
      away: z.object({}),
    },
    access: 'signed-in',
    asStaff: 'admin.servers.list',
    limit: 'stream',
    errors: [
      'NOT_FOUND',
      'FORBIDDEN',
      'RATE_LIMITED',
      'SERVER_SUSPENDED',
      'SERVER_NOT_READY',
      'NO_GAME_PROCESS',
      'POWER_UNAVAILABLE',
      'VALIDATION_FAILED',
    ],
  },
  command: {
    method: 'POST',
    path: '/api/servers/:id/command',
    summary: 'Send a line to a server’s console',
    params: serverParams,
    body: commandInput,
    access: 'signed-in',
    asStaff: 'admin.servers.edit',
    limit: 'command',
    errors: [
      'NOT_FOUND',
      'FORBIDDEN',
      'SERVER_SUSPENDED',
      'SERVER_NOT_READY',
      'SERVER_BUSY',
      'SERVER_OFF',
      'NO_GAME_PROCESS',
      'POWER_UNAVAILABLE',
      'PANEL_UNREACHABLE',
    ],
  },
});

export const servers = group({
  options: {
    method: 'GET',
    path: '/api/servers/options',
    summary: 'Get what a new server can have',
    description: 'Locations, software and your free resources.',
    access: 'signed-in',
    flag: 'allow_servers',
    errors: [],
    response: z.object({
      locations: z.array(
        z.object({
          id: z.string(),
          name: z.string(),
          code: z.string(),
          description: z.string(),
          slots_free: z.int(),
          vip_only: z.boolean(),
          available: z.boolean(),
          reason: z.nullable(z.string()),
          /** Its servers are on the built-in panel. */
          embedded: z.boolean(),
          /**
           * How many wait for capacity here, the estimated seconds for a newcomer (null if unknown), and the caller's
           * own entry.
           */
          waiting: z.int(),
          estimate_s: z.nullable(z.int()),
          wait: z.nullable(waitView),
        }),
      ),
      categories: z.array(
        z.object({
          id: z.string(),
          name: z.string(),
          description: z.string(),
          /** Id of its picture (`category`); '': none. */
          picture: z.string(),
          eggs: z.array(
            z.object({
              id: z.string(),
              name: z.string(),
              description: z.string(),
              shape: z.string(),
              hue: z.int(),
              picture: z.string(),
              min_memory: z.int(),
              min_disk: z.int(),
              min_cpu: z.int(),
              vip_only: z.boolean(),
              available: z.boolean(),
              reason: z.nullable(z.string()),
              /** The built-in panel imitates its servers: no game process runs. */
              simulated: z.boolean(),
              variables: z.array(variableView),
            }),
          ),
        }),
      ),
      meters,
      renew: z.object({ enabled: z.boolean(), cost: amount, days: z.int() }),
      /** What a server created now carries over; null: nothing. */
      carried_debt: z.nullable(carriedDebtView),
      balance: z.int(),
      queue: z.object({ length: z.int(), estimate_s: z.int() }),
      panel: z.string(),
    }),
  },
  availability: {
    method: 'GET',
    path: '/api/servers/availability',
    summary: 'Get what each location has left',
    description: 'For this software and these amounts.',
    query: availabilityQuery,
    access: 'signed-in',
    flag: 'allow_servers',
    errors: [],
    response: z.object({ locations: z.array(availabilityView), eggs: z.array(availabilityView) }),
  },
  joinWaitingList: {
    method: 'POST',
    path: '/api/server-waits',
    summary: 'Join a waiting list',
    description: 'You are notified once, in order. Who is on the list keeps their place.',
    body: waitInput,
    access: 'signed-in',
    verified: true,
    idempotent: true,
    flag: 'allow_servers',
    errors: ['LOCATION_UNAVAILABLE', 'EGG_UNAVAILABLE', 'VIP_ONLY', 'CAPACITY_AVAILABLE', 'ACCOUNT_UNVERIFIED'],
    response: waitView,
  },
  leaveWaitingList: {
    method: 'DELETE',
    path: '/api/server-waits/:id',
    summary: 'Leave a waiting list',
    description: 'The id is that of the location.',
    params: serverParams,
    access: 'signed-in',
    errors: ['NOT_FOUND'],
  },
  list: {
    method: 'GET',
    path: '/api/servers',
    summary: 'List your servers',
    access: 'signed-in',
    errors: [],
    response: z.object({ servers: z.array(serverView), shared: z.array(sharedServerView), meters }),
  },
  create: {
    method: 'POST',
    path: '/api/servers',
    summary: 'Create a server',
    body: serverCreateInput,
    access: 'signed-in',
    verified: true,
    flag: 'allow_servers',
    limit: 'create',
    idempotent: true,
    errors: [
      'EGG_UNAVAILABLE',
      'EGG_CATEGORY_MISMATCH',
      'LOCATION_UNAVAILABLE',
      'LOCATION_FULL',
      'MACHINE_CLOSED',
      'VIP_ONLY',
      'BELOW_EGG_MINIMUM',
      'NOT_ENOUGH_MEMORY',
      'NOT_ENOUGH_DISK',
      'NOT_ENOUGH_CPU',
      'NOT_ENOUGH_SLOTS',
      'NOT_ENOUGH_PORTS',
      'NOT_ENOUGH_DATABASES',
      'NOT_ENOUGH_BACKUPS',
      'ACCOUNT_UNVERIFIED',
      'PRICE_CHANGED',
      'INSUFFICIENT_CREDITS',
      'SPENDING_BLOCKED',
    ],
    response: z.object({ id: z.string(), queue_id: z.string() }),
  },
  get: {
    method: 'GET',
    path: '/api/servers/:id',
    summary: 'Get a server',
    params: serverParams,
    access: 'signed-in',
    errors: ['NOT_FOUND'],
    response: z.object({
      server: serverView,
      meters,
      renew: renewView,
      panel: z.string(),
      activity,
      /** Who else works on it; null if it is operated in its panel. */
      subusers: z.nullable(z.array(subuserView)),
      /** `host:port` of each of its ports, the primary first; empty if the panel does not report them. */
      ports: z.array(z.string()),
      /** Its page in the panel and the page where an account sets its password; null if the panel has no pages. */
      links: z.nullable(z.object({ server: z.string(), password: z.string() })),
      /** Variables the owner may set, with their values now. */
      variables: z.array(z.extend(variableView, { value: z.string() })),
      /** The owner's entry on the waiting list of its location. */
      wait: z.nullable(waitView),
      /** Whether it can be reinstalled now, or is being reinstalled. */
      reinstall: z.enum(REINSTALL),
      /** What the owner's next server would carry over if it were deleted now. */
      debt_if_deleted: z.nullable(carriedDebtView),
      /** The debt or expiry carried over if it is retried, when it failed. */
      carried_debt: z.nullable(carriedDebtView),
      /** The reason staff gave for the suspension; null without one. */
      suspend_note: z.nullable(z.string()),
    }),
  },
  usage: {
    method: 'GET',
    path: '/api/servers/:id/usage',
    summary: 'Get a server’s live usage',
    description: 'Asks the panel.',
    params: serverParams,
    access: 'signed-in',
    asStaff: 'admin.servers.list',
    limit: 'usage',
    errors: ['NOT_FOUND'],
    response: usageAnswer,
  },
  usageHistory: {
    method: 'GET',
    path: '/api/servers/:id/usage/history',
    summary: 'Get a server’s usage by hour',
    description: 'Of servers that run on this installation’s own machine. Hours in which it did not run are missing.',
    params: serverParams,
    access: 'signed-in',
    asStaff: 'admin.servers.list',
    limit: 'usage',
    errors: ['NOT_FOUND', 'FORBIDDEN'],
    response: z.object({
      /** Days that are kept. */
      days: z.int(),
      /** Oldest first, by their beginning. */
      hours: z.array(z.object({ at: isoTime, average: usageFigures, highest: usageFigures })),
    }),
  },
  power: {
    method: 'POST',
    path: '/api/servers/:id/power',
    summary: 'Start, stop, restart or kill a server',
    params: serverParams,
    body: powerInput,
    access: 'signed-in',
    asStaff: 'admin.servers.edit',
    limit: 'power',
    errors: [
      'NOT_FOUND',
      'FORBIDDEN',
      'SERVER_SUSPENDED',
      'SERVER_NOT_READY',
      'SERVER_BUSY',
      'NO_GAME_PROCESS',
      'POWER_UNAVAILABLE',
      'PANEL_UNREACHABLE',
    ],
  },
  updateVariables: {
    method: 'PATCH',
    path: '/api/servers/:id/variables',
    summary: 'Change a server’s variables',
    description: 'They count from the next start. Those that are left out stay as they are.',
    params: serverParams,
    body: startupInput,
    access: 'signed-in',
    asStaff: 'admin.servers.edit',
    errors: ['NOT_FOUND', 'FORBIDDEN', 'SERVER_SUSPENDED', 'SERVER_BUSY', 'SERVER_NOT_READY', 'EGG_UNAVAILABLE'],
  },
  setPrimaryPort: {
    method: 'PUT',
    path: '/api/servers/:id/ports/primary',
    summary: 'Choose a server’s primary port',
    description: 'Of the ports it has. Its address is shown at once; the server listens there from its next start.',
    params: serverParams,
    body: primaryPortInput,
    access: 'signed-in',
    asStaff: 'admin.servers.edit',
    errors: [
      'NOT_FOUND',
      'FORBIDDEN',
      'SERVER_SUSPENDED',
      'SERVER_BUSY',
      'SERVER_NOT_READY',
      'PRIMARY_PORT_UNAVAILABLE',
    ],
  },
  reinstall: {
    method: 'POST',
    path: '/api/servers/:id/reinstall',
    summary: 'Reinstall a server',
    description: 'Over the existing files, by a job.',
    params: serverParams,
    access: 'signed-in',
    limit: 'power',
    idempotent: true,
    errors: ['NOT_FOUND', 'SERVER_SUSPENDED', 'SERVER_NOT_READY', 'SERVER_BUSY'],
  },
  update: {
    method: 'PATCH',
    path: '/api/servers/:id',
    summary: 'Change a server',
    params: serverParams,
    body: serverUpdateInput,
    access: 'signed-in',
    idempotent: true,
    errors: [
      'NOT_FOUND',
      'SERVER_SUSPENDED',
      'SERVER_BUSY',
      'SERVER_NOT_READY',
      'BELOW_USAGE',
      'BELOW_EGG_MINIMUM',
      'NOT_ENOUGH_MEMORY',
      'NOT_ENOUGH_DISK',
      'NOT_ENOUGH_CPU',
      'NOT_ENOUGH_PORTS',
      'NOT_ENOUGH_DATABASES',
      'NOT_ENOUGH_BACKUPS',
    ],
  },
  renew: {
    method: 'POST',
    path: '/api/servers/:id/renew',
    summary: 'Renew a server',
    params: serverParams,
    /**
     * The price and the expiry the owner saw: the price shown is the price charged, and a repeated click is not a
     * second period.
     */
    body: serverRenewInput,
    access: 'signed-in',
    flag: 'server_renew_enabled',
    idempotent: true,
    errors: [
      'NOT_FOUND',
      'INSUFFICIENT_CREDITS',
      'RENEW_TOO_FAR',
      'PRICE_CHANGED',
      'SERVER_NOT_READY',
      'SERVER_SUSPENDED',
      'CONFLICT',
      'SPENDING_BLOCKED',
      'ACCOUNT_FROZEN',
    ],
    response: z.object({ expires_at: isoTime, balance: z.int() }),
  },
  renewAll: {
    method: 'POST',
    path: '/api/servers/renew-due',
    summary: 'Renew all servers that are due',
    description: 'Everything suspended for expiry or due within 3 days, the oldest first, as far as the balance goes.',
    body: renewAllInput,
    access: 'signed-in',
    flag: 'server_renew_enabled',
    idempotent: true,
    errors: ['INSUFFICIENT_CREDITS', 'PRICE_CHANGED', 'SPENDING_BLOCKED', 'ACCOUNT_FROZEN'],
    response: z.object({ renewed: z.int(), skipped: z.int(), balance: z.int() }),
  },
  autoRenew: {
    method: 'PUT',
    path: '/api/servers/:id/auto-renew',
    summary: 'Turn auto-renewal on or off',
    params: serverParams,
    body: autoRenewInput,
    access: 'signed-in',
    errors: ['NOT_FOUND'],
  },
  delete: {
    method: 'DELETE',
    path: '/api/servers/:id',
    summary: 'Delete a server',
    params: serverParams,
    body: serverDeleteInput,
    access: 'signed-in',
    errors: ['NOT_FOUND', 'NAME_MISMATCH', 'SERVER_BUSY'],
  },
  cancel: {
    method: 'POST',
    path: '/api/servers/:id/cancel',
    summary: 'Cancel a server in the queue',
    description: 'Only while it waits. Everything reserved is released.',
    params: serverParams,
    access: 'signed-in',
    idempotent: true,
    errors: ['NOT_FOUND', 'NOT_CANCELLABLE'],
  },
  retry: {
    method: 'POST',
    path: '/api/servers/:id/retry',
    summary: 'Retry a failed server',
    description: 'With the same checks as a new one.',
    params: serverParams,
    query: serverRetryQuery,
    access: 'signed-in',
    flag: 'allow_servers',
    verified: true,
    idempotent: true,
    errors: [
      'NOT_FOUND',
      'CONFLICT',
      'PRICE_CHANGED',
      'INSUFFICIENT_CREDITS',
      'SPENDING_BLOCKED',
      'LOCATION_FULL',
      'LOCATION_UNAVAILABLE',
      'EGG_UNAVAILABLE',
      'EGG_CATEGORY_MISMATCH',
      'VIP_ONLY',
      'BELOW_EGG_MINIMUM',
      'NOT_ENOUGH_MEMORY',
      'NOT_ENOUGH_DISK',
      'NOT_ENOUGH_CPU',
      'NOT_ENOUGH_SLOTS',
      'NOT_ENOUGH_PORTS',
      'NOT_ENOUGH_DATABASES',
      'NOT_ENOUGH_BACKUPS',
    ],
  },
});

const subuserParams = z.object({ id, user: id });

/** Who works on servers of others. */
export const subusers = group({
  add: {
    method: 'POST',
    path: '/api/servers/:id/subusers',
    summary: 'Share a server',
    description:
      'The user works on it at once, and is notified. Rights that others need come with them. Renewing, resizing, ' +
      'deleting and sharing stay the owner’s.',
    params: serverParams,
    body: subuserInput,
    access: 'signed-in',
    verified: true,
    idempotent: true,
    limit: 'subuser',
    errors: [
      'NOT_FOUND',
      'SUBUSERS_UNAVAILABLE',
      'SUBUSER_IS_OWNER',
      'SUBUSER_EXISTS',
      'SUBUSER_LIMIT',
      'SHARED_SERVER_LIMIT',
      'ACCOUNT_UNVERIFIED',
    ],
  },
  setRights: {
    method: 'PUT',
    path: '/api/servers/:id/subusers/:user',
    summary: 'Change what a sub-user may do',
    params: subuserParams,
    body: subuserRightsInput,
    access: 'signed-in',
    errors: ['NOT_FOUND'],
  },
  remove: {
    method: 'DELETE',
    path: '/api/servers/:id/subusers/:user',
    summary: 'Remove a sub-user',
    params: subuserParams,
    access: 'signed-in',
    errors: ['NOT_FOUND'],
  },
  get: {
    method: 'GET',
    path: '/api/shared-servers/:id',
    summary: 'Get a server that is shared with you',
    description: 'To staff it answers with every server that runs on this installation’s own machine.',
    params: serverParams,
    access: 'signed-in',
    asStaff: 'admin.servers.list',
    errors: ['NOT_FOUND'],
    response: z.object({
      server: sharedServerView,
      /** The caller may do here, as staff, more than is shared with them. */
      as_staff: z.boolean(),
      activity,
      ports: z.array(z.string()),
      /** With their values now; none without the right `startup`. */
      variables: z.array(z.extend(variableView, { value: z.string() })),
    }),
  },
  leave: {
    method: 'DELETE',
    path: '/api/shared-servers/:id',
    summary: 'Leave a server that is shared with you',
    params: serverParams,
    access: 'signed-in',
    errors: ['NOT_FOUND'],
  },
});
