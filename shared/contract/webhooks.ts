import * as z from 'zod/mini';
import { PAST_CURSOR } from '../past-cursor.ts';
import { id, isoTime } from '../schemas/primitives.ts';
import { webhookChange, webhookInput } from '../schemas/webhook.ts';
import { DELIVERY_FAULTS, DELIVERY_STATES, DISABLED_CAUSES, ENDPOINT_KINDS } from '../webhooks.ts';
import { group } from './endpoint.ts';

const one = z.object({ id });
const state = z.enum(DELIVERY_STATES);
const fault = z.nullable(z.enum(DELIVERY_FAULTS));

const endpoint = z.object({
  id,
  kind: z.enum(ENDPOINT_KINDS),
  name: z.string(),
  /** Of a channel of Discord without its secret part. */
  url: z.string(),
  /** Names of events, groups of them (`server.*`), or `*`. */
  events: z.array(z.string()),
  ordered: z.boolean(),
  enabled: z.boolean(),
  disabled_cause: z.nullable(z.enum(DISABLED_CAUSES)),
  /** Since when nothing was delivered; null: the last attempt went well. */
  failing_since: z.nullable(isoTime),
  secret_set_at: isoTime,
  /** Until when the secret before the last rotation signs as well; null: it does not. */
  old_secret_until: z.nullable(isoTime),
  revision: z.int(),
  created_at: isoTime,
  /** Deliveries that wait, and that failed: counted up to 1,000. */
  waiting: z.int(),
  failed: z.int(),
  delivered_at: z.nullable(isoTime),
});
export type WebhookRow = z.infer<typeof endpoint>;

const delivery = z.object({
  id,
  event: z.string(),
  object: z.string(),
  state,
  fault,
  tries: z.int(),
  /** When it is tried next; null: it is over. */
  next_at: z.nullable(isoTime),
  created_at: isoTime,
  done_at: z.nullable(isoTime),
});
export type DeliveryRow = z.infer<typeof delivery>;

/** What receivers of webhooks have to know: the same on every installation of a version. */
export const webhookEvents = group({
  /** Every event that there is, each with the JSON Schema of its data and an example. */
  list: {
    summary: 'List the events of webhooks',
    method: 'GET',
    path: '/api/webhook-events',
    access: 'open',
    errors: [],
    response: z.object({
      events: z.array(
        z.object({
          name: z.string(),
          version: z.int(),
          description: z.string(),
          /** The field that says what it is about; null: it is about the installation. */
          object: z.nullable(z.string()),
          schema: z.object({
            $schema: z.string(),
            type: z.literal('object'),
            properties: z.record(
              z.string(),
              z.object({ type: z.union([z.string(), z.array(z.string())]), enum: z.optional(z.array(z.string())) }),
            ),
            required: z.array(z.string()),
          }),
          example: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
        }),
      ),
    }),
  },
});

/** Outgoing webhooks for staff (behaviour 8.8). */
export const adminWebhooks = group({
  list: {
    summary: 'List webhooks',
    method: 'GET',
    path: '/api/admin/webhooks',
    access: 'admin.plugins.list',
    errors: [],
    /** `on`: whether the plugin of each kind is; while it is off, nothing is sent. */
    response: z.object({
      rows: z.array(endpoint),
      on: z.object({ standard: z.boolean(), discord: z.boolean() }),
    }),
  },
  /** Names of the events, for a new endpoint. */
  options: {
    summary: 'Get the choices for a new webhook',
    method: 'GET',
    path: '/api/admin/webhooks/new',
    access: 'admin.plugins.edit',
    errors: [],
    response: z.object({ names: z.array(z.string()) }),
  },
  create: {
    summary: 'Create a webhook',
    method: 'POST',
    path: '/api/admin/webhooks',
    body: webhookInput,
    access: 'admin.plugins.edit',
    limit: 'create',
    secret: true,
    errors: ['VALIDATION_FAILED', 'WEBHOOK_LIMIT'],
    /** Its secret, shown this once; '' of a channel of Discord, which is not signed to. */
    response: z.object({ id, secret: z.string() }),
  },
  get: {
    summary: 'Get a webhook',
    method: 'GET',
    path: '/api/admin/webhooks/:id',
    params: one,
    access: 'admin.plugins.list',
    errors: ['NOT_FOUND'],
    /** `on`: whether the plugin is; while it is off, nothing is sent. */
    response: z.object({ webhook: endpoint, on: z.boolean() }),
  },
  /** The same with the names of the events, for its form. */
  edit: {
    summary: 'Get a webhook and its choices',
    method: 'GET',
    path: '/api/admin/webhooks/:id/edit',
    params: one,
    access: 'admin.plugins.edit',
    errors: ['NOT_FOUND'],
    response: z.object({ webhook: endpoint, names: z.array(z.string()) }),
  },
  save: {
    summary: 'Change a webhook',
    method: 'PATCH',
    path: '/api/admin/webhooks/:id',
    params: one,
    body: webhookChange,
    access: 'admin.plugins.edit',
    secret: true,
    errors: ['NOT_FOUND', 'VALIDATION_FAILED', 'CONFLICT'],
    /** A new secret, shown this once, where the address is at another origin; otherwise null. */
    response: z.object({ revision: z.int(), secret: z.nullable(z.string()) }),
  },
  rotate: {
    summary: 'Replace the secret of a webhook',
    method: 'POST',
    path: '/api/admin/webhooks/:id/rotate',
    params: one,
    access: 'admin.plugins.edit',
    limit: 'create',
    secret: true,
    errors: ['NOT_FOUND'],
    response: z.object({ secret: z.string() }),
  },
  remove: {
    summary: 'Delete a webhook',
    method: 'DELETE',
    path: '/api/admin/webhooks/:id',
    params: one,
    access: 'admin.plugins.edit',
    errors: ['NOT_FOUND'],
  },
  /** Sends an event of the type `webhook.test`. Out: its delivery. */
  test: {
    summary: 'Send a test to a webhook',
    method: 'POST',
    path: '/api/admin/webhooks/:id/test',
    params: one,
    access: 'admin.plugins.edit',
    limit: 'create',
    errors: ['NOT_FOUND', 'WEBHOOK_OFF', 'PLUGIN_OFF'],
    response: z.object({ id }),
  },
  deliveries: {
    summary: 'List deliveries of a webhook',
    method: 'GET',
    path: '/api/admin/webhooks/:id/deliveries',
    params: one,
    query: z.object({
      state: z.optional(state),
      before: z.optional(z.string().check(z.regex(PAST_CURSOR, 'INVALID'))),
    }),
    access: 'admin.plugins.list',
    errors: ['NOT_FOUND'],
    /** `older`: where the next page begins; null: there is none. */
    response: z.object({ rows: z.array(delivery), older: z.nullable(z.string()) }),
  },
  delivery: {
    summary: 'Get a delivery of a webhook',
    method: 'GET',
    path: '/api/admin/webhook-deliveries/:id',
    params: one,
    access: 'admin.plugins.list',
    errors: ['NOT_FOUND'],
    response: z.object({
      delivery,
      webhook: z.object({ id, kind: z.enum(ENDPOINT_KINDS), name: z.string(), url: z.string(), enabled: z.boolean() }),
      /** The `webhook-id` of every attempt. */
      event_id: z.string(),
      body: z.string(),
      attempts: z.array(
        z.object({
          number: z.int(),
          at: isoTime,
          took_ms: z.int(),
          fault,
          status: z.nullable(z.int()),
          answer: z.string(),
        }),
      ),
    }),
  },
  resend: {
    summary: 'Send a delivery again',
    method: 'POST',
    path: '/api/admin/webhook-deliveries/:id/resend',
    params: one,
    access: 'admin.plugins.edit',
    limit: 'create',
    errors: ['NOT_FOUND', 'WEBHOOK_OFF', 'PLUGIN_OFF', 'DELIVERY_WAITING'],
  },
  /** Sends everything once more that failed in the last `hours`. Out: how many deliveries. */
  resendFailed: {
    summary: 'Send failed deliveries of a webhook again',
    method: 'POST',
    path: '/api/admin/webhooks/:id/resend',
    params: one,
    body: z.strictObject({ hours: z.int().check(z.minimum(1), z.maximum(24 * 30)) }),
    access: 'admin.plugins.edit',
    limit: 'create',
    errors: ['NOT_FOUND', 'WEBHOOK_OFF', 'PLUGIN_OFF', 'VALIDATION_FAILED'],
    response: z.object({ count: z.int() }),
  },
});
