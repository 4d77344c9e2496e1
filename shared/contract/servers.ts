import * as z from 'zod/mini';
import { RESOURCE_KINDS } from '../constants.ts';
import { amount, id, when } from '../schemas/primitives.ts';
import {
  QUEUE_STATES, SERVER_STATES, SUSPEND_REASONS, autoRenewInput, renewAllInput, serverCreateInput, serverDeleteInput, serverRenewInput, serverUpdateInput,
} from '../schemas/server.ts';
import { group } from './endpoint.ts';

const resources = z.object({ memory: z.int(), disk: z.int(), cpu: z.int(), ports: z.int(), databases: z.int(), backups: z.int() });
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
  steps: z.array(z.object({ at: when, code: z.string(), detail: z.nullable(z.string()) })),
  can_cancel: z.boolean(),
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
  egg: z.object({ id: z.string(), name: z.string(), shape: z.string(), hue: z.int() }),
  location: z.object({ id: z.string(), name: z.string(), code: z.string() }),
  resources,
  /** Installation progress 0–100 while installing. */
  progress: z.nullable(z.int()),
  created_at: when,
  expires_at: z.nullable(when),
  /** When an expired server is deleted. */
  deletes_at: z.nullable(when),
  auto_renew: z.boolean(),
  queue: z.nullable(queueView),
  /** What the owner may do now, decided by the server. */
  can: z.object({ update: z.boolean(), renew: z.boolean(), delete: z.boolean(), retry: z.boolean() }),
});
export type ServerView = z.infer<typeof serverView>;

const renewView = z.object({ cost: amount, days: z.int(), new_expiry: z.nullable(when), allowed: z.boolean(), reason: z.nullable(z.string()), balance: z.int() });

const serverParams = z.object({ id });

export const dashboard = group({
  get: {
    method: 'GET',
    path: '/api/dashboard',
    access: 'signed-in',
    errors: [],
    response: z.object({
      now: when,
      balance: z.int(),
      earned_today: z.int(),
      earned_30_days: z.int(),
      /** Balance at the end of each of the last 30 days, oldest first. */
      history: z.array(z.int()),
      afk: z.nullable(z.object({ earned_today: z.int(), cap: z.int() })),
      meters,
      servers: z.array(serverView),
      renew_cost: amount,
      due: amount,
      statement: z.array(z.object({ id: z.string(), at: when, kind: z.string(), subject: z.nullable(z.string()), amount: z.int(), balance_after: z.int() })),
      /** What to do next, most urgent first (`dashboard:next.<code>`). */
      next: z.array(z.object({ code: z.string(), subject: z.nullable(z.string()), amount: z.nullable(z.int()), at: z.nullable(when), route: z.string(), id: z.nullable(z.string()) })),
    }),
  },
});

export const servers = group({
  /** Everything the create page needs: places, software, the user's free resources. */
  options: {
    method: 'GET',
    path: '/api/servers/options',
    access: 'signed-in',
    flag: 'allow_servers',
    errors: [],
    response: z.object({
      locations: z.array(
        z.object({ id: z.string(), name: z.string(), code: z.string(), description: z.string(), slots_free: z.int(), vip_only: z.boolean(), available: z.boolean(), reason: z.nullable(z.string()) }),
      ),
      categories: z.array(
        z.object({
          id: z.string(),
          name: z.string(),
          description: z.string(),
          eggs: z.array(
            z.object({
              id: z.string(), name: z.string(), description: z.string(), shape: z.string(), hue: z.int(),
              min_memory: z.int(), min_disk: z.int(), min_cpu: z.int(), vip_only: z.boolean(), available: z.boolean(), reason: z.nullable(z.string()),
              variables: z.array(z.object({ env: z.string(), name: z.string(), description: z.string(), default_value: z.string(), rules: z.string(), kind: z.string(), options: z.array(z.string()) })),
            }),
          ),
        }),
      ),
      meters,
      renew: z.object({ enabled: z.boolean(), cost: amount, days: z.int() }),
      queue: z.object({ length: z.int(), estimate_s: z.int() }),
      panel: z.string(),
    }),
  },
  list: { method: 'GET', path: '/api/servers', access: 'signed-in', errors: [], response: z.object({ servers: z.array(serverView), meters }) },
  create: {
    method: 'POST',
    path: '/api/servers',
    body: serverCreateInput,
    access: 'signed-in',
    verified: true,
    flag: 'allow_servers',
    limit: 'create',
    idempotent: true,
    errors: [
      'EGG_UNAVAILABLE', 'EGG_CATEGORY_MISMATCH', 'LOCATION_UNAVAILABLE', 'LOCATION_FULL', 'VIP_ONLY', 'BELOW_EGG_MINIMUM', 'NOT_ENOUGH_MEMORY',
      'NOT_ENOUGH_DISK', 'NOT_ENOUGH_CPU', 'NOT_ENOUGH_SLOTS', 'NOT_ENOUGH_PORTS', 'NOT_ENOUGH_DATABASES', 'NOT_ENOUGH_BACKUPS', 'ACCOUNT_UNVERIFIED',
    ],
    response: z.object({ id: z.string(), queue_id: z.string() }),
  },
  get: {
    method: 'GET', path: '/api/servers/:id', params: serverParams, access: 'signed-in', errors: ['NOT_FOUND'],
    response: z.object({ server: serverView, meters, renew: renewView, panel: z.string(), activity: z.array(z.object({ id: z.string(), at: when, code: z.string(), detail: z.nullable(z.string()) })) }),
  },
  update: {
    method: 'PATCH', path: '/api/servers/:id', params: serverParams, body: serverUpdateInput, access: 'signed-in', idempotent: true,
    errors: [
      'NOT_FOUND', 'SERVER_SUSPENDED', 'SERVER_BUSY', 'SERVER_NOT_READY', 'BELOW_USAGE', 'BELOW_EGG_MINIMUM', 'NOT_ENOUGH_MEMORY', 'NOT_ENOUGH_DISK',
      'NOT_ENOUGH_CPU', 'NOT_ENOUGH_PORTS', 'NOT_ENOUGH_DATABASES', 'NOT_ENOUGH_BACKUPS',
    ],
  },
  renew: {
    method: 'POST', path: '/api/servers/:id/renew', params: serverParams,
    /** The price and the expiry the owner saw: price shown = price charged, and a repeated click is not a second period. */
    body: serverRenewInput,
    access: 'signed-in', flag: 'server_renew_enabled', idempotent: true,
    errors: ['NOT_FOUND', 'INSUFFICIENT_CREDITS', 'RENEW_TOO_FAR', 'PRICE_CHANGED', 'SERVER_NOT_READY', 'SERVER_SUSPENDED', 'CONFLICT', 'SPENDING_BLOCKED'],
    response: z.object({ expires_at: when, balance: z.int() }),
  },
  /** Renews everything that is suspended for expiry or due within 3 days, oldest expiry first, as far as the balance goes. */
  renewAll: {
    method: 'POST', path: '/api/servers/renew-due', body: renewAllInput, access: 'signed-in',
    flag: 'server_renew_enabled', idempotent: true, errors: ['INSUFFICIENT_CREDITS', 'PRICE_CHANGED', 'SPENDING_BLOCKED'],
    response: z.object({ renewed: z.int(), skipped: z.int(), balance: z.int() }),
  },
  autoRenew: {
    method: 'PUT', path: '/api/servers/:id/auto-renew', params: serverParams, body: autoRenewInput, access: 'signed-in', errors: ['NOT_FOUND'],
  },
  delete: {
    method: 'DELETE', path: '/api/servers/:id', params: serverParams, body: serverDeleteInput,
    access: 'signed-in', errors: ['NOT_FOUND', 'NAME_MISMATCH', 'SERVER_BUSY'],
  },
  /** Leaves the queue while still waiting; everything reserved is released. */
  cancel: { method: 'POST', path: '/api/servers/:id/cancel', params: serverParams, access: 'signed-in', errors: ['NOT_FOUND', 'NOT_CANCELLABLE'] },
  /** Puts a failed server into the queue again, with the same checks as a new one. */
  retry: {
    method: 'POST', path: '/api/servers/:id/retry', params: serverParams, access: 'signed-in', flag: 'allow_servers', verified: true, idempotent: true,
    errors: ['NOT_FOUND', 'CONFLICT', 'LOCATION_FULL', 'LOCATION_UNAVAILABLE', 'EGG_UNAVAILABLE', 'EGG_CATEGORY_MISMATCH', 'VIP_ONLY', 'BELOW_EGG_MINIMUM', 'NOT_ENOUGH_MEMORY', 'NOT_ENOUGH_DISK', 'NOT_ENOUGH_CPU', 'NOT_ENOUGH_SLOTS', 'NOT_ENOUGH_PORTS', 'NOT_ENOUGH_DATABASES', 'NOT_ENOUGH_BACKUPS'],
  },
});
