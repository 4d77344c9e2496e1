import type { Handlers } from '#server/http/implement.types.ts';
import type { EndpointFigures, WebhookDelivery, WebhookEndpoint, Webhooks } from '#server/modules/webhooks/index.ts';
import type { adminWebhooks, webhookEvents, DeliveryRow, WebhookRow } from '#shared/contract/webhooks.ts';
import { HOUR, iso } from '#shared/time.ts';
import { parseCursor } from '../account-activity.ts';

interface Services {
  readonly webhooks: Pick<Webhooks, 'staff' | 'catalogue'>;
  readonly clock: { now(): number };
}

const toRow = (one: WebhookEndpoint & EndpointFigures, nowMs: number): WebhookRow => ({
  id: one.id,
  kind: one.kind,
  name: one.name,
  url: one.url,
  events: [...one.events],
  ordered: one.ordered,
  enabled: one.enabled,
  disabled_cause: one.disabledCause,
  failing_since: iso(one.failingSinceMs),
  secret_set_at: iso(one.secretSetMs),
  old_secret_until: one.oldUntilMs !== null && one.oldUntilMs > nowMs ? iso(one.oldUntilMs) : null,
  revision: one.revision,
  created_at: iso(one.createdMs),
  waiting: one.waiting,
  failed: one.failed,
  delivered_at: iso(one.deliveredMs),
});

const toDelivery = (one: WebhookDelivery): DeliveryRow => ({
  id: one.id,
  event: one.event,
  object: one.object,
  state: one.state,
  fault: one.fault,
  tries: one.tries,
  next_at: one.state === 'waiting' ? iso(one.nextMs) : null,
  created_at: iso(one.createdMs),
  done_at: iso(one.doneMs),
});

/** What may be heard of. */
export function webhookEventsHandlers({ webhooks }: Pick<Services, 'webhooks'>): Handlers<typeof webhookEvents> {
  return { list: () => Promise.resolve({ events: webhooks.catalogue().map((event) => ({ ...event })) }) };
}

/** Outgoing webhooks for staff. */
export function webhooksHandlers({ webhooks, clock }: Services): Handlers<typeof adminWebhooks> {
  const { staff } = webhooks;
  return {
    list: async (ctx) => ({
      rows: (await staff.list(ctx)).map((one) => toRow(one, clock.now())),
      on: { standard: staff.isOn('standard'), discord: staff.isOn('discord') },
    }),
    options: async (ctx) => ({ names: [...(await staff.names(ctx))] }),
    create: (ctx, { body }) => staff.create(ctx, body),
    async get(ctx, { params }) {
      const found = await staff.get(ctx, params.id);
      return { webhook: toRow(found, clock.now()), on: staff.isOn(found.kind) };
    },
    async edit(ctx, { params }) {
      const names = [...(await staff.names(ctx))];
      return { webhook: toRow(await staff.forEditing(ctx, params.id), clock.now()), names };
    },
    save: (ctx, { params, body }) => staff.update(ctx, params.id, body.webhook, body.revision),
    rotate: (ctx, { params }) => staff.rotate(ctx, params.id),
    remove: (ctx, { params }) => staff.remove(ctx, params.id),
    test: (ctx, { params }) => staff.test(ctx, params.id),
    async deliveries(ctx, { params, query }) {
      const { state = null, before } = query;
      const { rows, older } = await staff.deliveries(ctx, params.id, state, parseCursor(before));
      return { rows: rows.map(toDelivery), older: older && `${older.ms}.${older.id}` };
    },
    async delivery(ctx, { params }) {
      const { endpoint, attempts, ...one } = await staff.delivery(ctx, params.id);
      return {
        delivery: toDelivery(one),
        webhook: {
          id: endpoint.id,
          kind: endpoint.kind,
          name: endpoint.name,
          url: endpoint.url,
          enabled: endpoint.enabled,
        },
        event_id: one.eventId,
        body: one.body,
        attempts: attempts.map(({ number, atMs, tookMs, fault, status, answer }) => ({
          number,
          at: iso(atMs),
          took_ms: tookMs,
          fault,
          status,
          answer,
        })),
      };
    },
    resend: (ctx, { params }) => staff.resend(ctx, params.id),
    resendFailed: (ctx, { params, body }) => staff.resendFailed(ctx, params.id, clock.now() - body.hours * HOUR),
  };
}
