import * as z from 'zod/mini';
import { amount, isoTime } from '../schemas/primitives.ts';
import {
  REINSTALL,
  autoRenewInput,
  availabilityQuery,
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
import { HALT_REASONS, LIVE_PROBLEMS } from '../server-codes.ts';
import { startupInput } from '../schemas/subuser.ts';
import { group } from './endpoint.ts';
import {
  activity,
  carriedDebtView,
  meters,
  serverParams,
  serverView,
  sharedServerView,
  subuserView,
  variableView,
  waitView,
} from './server-views.ts';

const renewView = z.object({
  cost: amount,
  days: z.int(),
  new_expiry: z.nullable(isoTime),
  allowed: z.boolean(),
  reason: z.nullable(z.string()),
  balance: z.int(),
});

/** The availability of a location or an egg for a draft; `reason` is an error code if there is none. */
const availabilityView = z.object({
  id: z.string(),
  left: z.int(),
  available: z.boolean(),
  reason: z.nullable(z.string()),
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
      /** Who plays on it, and some of their names; null where the game does not say. */
      players: z.nullable(z.object({ online: z.int(), max: z.int(), names: z.array(z.string()) })),
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
    description:
      'Everything suspended for expiry or due within 3 days, by the priority of each, then the oldest first, as far as the balance goes.',
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
    description:
      'Also says whether the server is renewed before or after the others where the balance does not pay for all.',
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
