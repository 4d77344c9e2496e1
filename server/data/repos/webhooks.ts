import { alongIndex, type Param, type Raw } from '#server/data/raw.ts';
import { findRow, insertRow, listRows, lockRow, updateRow } from '#server/data/row.ts';
import type { WebhookAttempts, WebhookDeliveries, WebhookEndpoints, WebhookEvents } from '#server/data/schema.ts';
import type {
  EndpointChange,
  WebhookAttempt,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEvent,
  WebhooksRepo,
} from '#server/modules/webhooks/ports.ts';
import type { DeliveryFault, DeliveryState, DisabledCause, EndpointKind } from '#shared/webhooks.ts';

/** Rows of a figure that are counted. */
const COUNTED = 1000;
/** Rows of one statement. */
const ROWS_AT_ONCE = 50;

// What stands in these columns was written here.
const toEndpoint = (row: WebhookEndpoints): WebhookEndpoint => ({
  id: row.id,
  kind: row.kind as EndpointKind,
  name: row.name,
  url: row.url,
  events: JSON.parse(row.events) as string[],
  ordered: row.ordered === 1,
  enabled: row.enabled === 1,
  disabledCause: row.disabled_cause as DisabledCause | null,
  secret: row.secret,
  oldSecret: row.old_secret,
  oldUntilMs: row.old_until_ms,
  secretSetMs: row.secret_set_ms,
  failingSinceMs: row.failing_since_ms,
  unreached: row.unreached,
  pausedUntilMs: row.paused_until_ms,
  revision: row.revision,
  createdMs: row.created_ms,
  updatedMs: row.updated_ms,
});
const COLUMNS = {
  name: 'name',
  url: 'url',
  events: 'events',
  ordered: 'ordered',
  enabled: 'enabled',
  disabledCause: 'disabled_cause',
  secret: 'secret',
  oldSecret: 'old_secret',
  oldUntilMs: 'old_until_ms',
  secretSetMs: 'secret_set_ms',
  failingSinceMs: 'failing_since_ms',
  unreached: 'unreached',
  pausedUntilMs: 'paused_until_ms',
  revision: 'revision',
  updatedMs: 'updated_ms',
} as const satisfies Readonly<Record<keyof EndpointChange, keyof WebhookEndpoints>>;

const stored = (value: unknown): Param =>
  typeof value === 'boolean' ? Number(value) : Array.isArray(value) ? JSON.stringify(value) : (value as Param);
const changeOf = (change: EndpointChange): Partial<WebhookEndpoints> =>
  Object.fromEntries(
    Object.entries(COLUMNS).flatMap(([key, column]) => {
      const value: unknown = Object.getOwnPropertyDescriptor(change, key)?.value;
      return value === undefined ? [] : [[column, stored(value)]];
    }),
  );

const toDelivery = (row: WebhookDeliveries): WebhookDelivery => ({
  id: row.id,
  endpointId: row.endpoint_id,
  eventId: row.event_id,
  event: row.event,
  object: row.object,
  state: row.state as DeliveryState,
  fault: row.fault as DeliveryFault | null,
  tries: row.tries,
  triesBefore: row.tries_before,
  nextMs: row.next_ms,
  createdMs: row.created_ms,
  resentMs: row.resent_ms,
  doneMs: row.done_ms,
});
const toAttempt = (row: WebhookAttempts): WebhookAttempt => ({
  number: row.number,
  atMs: row.at_ms,
  tookMs: row.took_ms,
  fault: row.fault as DeliveryFault | null,
  status: row.status,
  answer: row.answer,
});
const toEvent = (row: WebhookEvents): WebhookEvent => ({
  id: row.id,
  name: row.name,
  object: row.object,
  body: row.body,
  createdMs: row.created_ms,
});

const ADD_DELIVERY = `INSERT INTO webhook_deliveries
  (id, endpoint_id, event_id, event, object, state, fault, tries, tries_before, next_ms, created_ms, resent_ms, done_ms)
  VALUES `;
const DELIVERY_MARKS = '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';
/** Inserts so many deliveries: a handful of texts, which the driver keeps prepared. */
const addDeliveriesText = (rows: number): string =>
  `${ADD_DELIVERY}${Array.from({ length: rows }, () => DELIVERY_MARKS).join()} ON CONFLICT DO NOTHING`;
const deliveryParams = (one: WebhookDelivery): Param[] => [
  one.id,
  one.endpointId,
  one.eventId,
  one.event,
  one.object,
  one.state,
  one.fault,
  one.tries,
  one.triesBefore,
  one.nextMs,
  one.createdMs,
  one.resentMs,
  one.doneMs,
];

/** Outgoing webhooks in the database. */
export function createWebhooksRepo(raw: Raw): WebhooksRepo {
  return { ...endpointsPart(raw), ...eventsPart(raw), ...sendingPart(raw), ...listsPart(raw), ...endsPart(raw) };
}

type Endpoints =
  | 'listEndpoints'
  | 'findEndpoint'
  | 'lockEndpoint'
  | 'countEndpoints'
  | 'addEndpoint'
  | 'updateEndpoint'
  | 'removeEndpoint'
  | 'figures';
function endpointsPart(raw: Raw): Pick<WebhooksRepo, Endpoints> {
  const present = (row: WebhookEndpoints | undefined) => (row && row.removed_ms === null ? toEndpoint(row) : null);
  const count = async (endpointId: string, state: DeliveryState) => {
    const row = await raw.one<{ n: number }>(
      `SELECT COUNT(*) AS n FROM (SELECT 1 AS one FROM webhook_deliveries${alongIndex(raw, 'webhook_deliveries_state')}
        WHERE endpoint_id = ? AND state = ? LIMIT ${COUNTED}) AS found`,
      [endpointId, state],
    );
    return Number(row?.n ?? 0);
  };
  return {
    async listEndpoints() {
      const rows = await raw.all<WebhookEndpoints>(
        'SELECT * FROM webhook_endpoints WHERE removed_ms IS NULL ORDER BY created_ms, id',
      );
      return rows.map(toEndpoint);
    },
    findEndpoint: async (id) => present(await findRow(raw, 'webhook_endpoints', { id })),
    lockEndpoint: async (id) => present(await lockRow(raw, 'webhook_endpoints', { id })),
    async countEndpoints() {
      const row = await raw.one<{ n: number }>('SELECT COUNT(*) AS n FROM webhook_endpoints WHERE removed_ms IS NULL');
      return Number(row?.n ?? 0);
    },
    addEndpoint: ({ id, kind, createdMs, ...rest }) =>
      insertRow(raw, 'webhook_endpoints', {
        ...(changeOf(rest) as WebhookEndpoints),
        id,
        kind,
        removed_ms: null,
        created_ms: createdMs,
      }),
    updateEndpoint: (id, change) => updateRow(raw, 'webhook_endpoints', changeOf(change), { id }),
    removeEndpoint: (id, nowMs) =>
      updateRow(
        raw,
        'webhook_endpoints',
        { removed_ms: nowMs, enabled: 0, url: '', secret: '', old_secret: null },
        { id },
      ),
    async figures(endpointId) {
      const last = await raw.one<{ at_ms: number | null }>(
        `SELECT done_ms AS at_ms FROM webhook_deliveries${alongIndex(raw, 'webhook_deliveries_state')}
          WHERE endpoint_id = ? AND state = 'delivered' ORDER BY created_ms DESC, id DESC LIMIT 1`,
        [endpointId],
      );
      return {
        waiting: await count(endpointId, 'waiting'),
        failed: await count(endpointId, 'failed'),
        deliveredMs: last?.at_ms ?? null,
      };
    },
  };
}

function eventsPart(raw: Raw): Pick<WebhooksRepo, 'addEvent' | 'listNew' | 'markDispatched'> {
  return {
    addEvent: ({ id, name, object, body, createdMs }, dispatched) =>
      insertRow(raw, 'webhook_events', {
        id,
        name,
        object,
        body,
        dispatched: dispatched ? 1 : 0,
        created_ms: createdMs,
      }),
    async listNew(limit) {
      const rows = await raw.all<WebhookEvents>(
        `SELECT * FROM webhook_events${alongIndex(raw, 'webhook_events_new')} WHERE dispatched = 0
          ORDER BY created_ms, id LIMIT ?`,
        [limit],
      );
      return rows.map(toEvent);
    },
    async markDispatched(eventIds) {
      for (let from = 0; from < eventIds.length; from += ROWS_AT_ONCE) {
        const some = eventIds.slice(from, from + ROWS_AT_ONCE);
        await raw.run(`UPDATE webhook_events SET dispatched = 1 WHERE id IN (${some.map(() => '?').join()})`, some);
      }
    },
  };
}

type Sending =
  'addDeliveries' | 'countWaiting' | 'listDue' | 'listDueEndpoints' | 'lockDelivery' | 'updateDelivery' | 'addAttempt';
function sendingPart(raw: Raw): Pick<WebhooksRepo, Sending> {
  return {
    async addDeliveries(deliveries) {
      for (let from = 0; from < deliveries.length; from += ROWS_AT_ONCE) {
        const some = deliveries.slice(from, from + ROWS_AT_ONCE);
        await raw.run(addDeliveriesText(some.length), some.flatMap(deliveryParams));
      }
    },
    async countWaiting(endpointId, limit) {
      const row = await raw.one<{ n: number }>(
        `SELECT COUNT(*) AS n FROM (SELECT 1 AS one FROM webhook_deliveries${alongIndex(raw, 'webhook_deliveries_due')}
          WHERE endpoint_id = ? AND state = 'waiting' LIMIT ?) AS found`,
        [endpointId, limit],
      );
      return Number(row?.n ?? 0);
    },
    async listDue(endpointId, nowMs, limit, ordered) {
      const first = ordered
        ? ` AND (d.object = '' OR NOT EXISTS (SELECT 1 FROM webhook_deliveries b${alongIndex(raw, 'webhook_deliveries_line')}
            WHERE b.endpoint_id = d.endpoint_id AND b.object = d.object AND b.state = 'waiting' AND b.id < d.id))`
        : '';
      const rows = await raw.all<WebhookDeliveries & { body: string }>(
        `SELECT d.*, e.body FROM webhook_deliveries d${alongIndex(raw, 'webhook_deliveries_due')}
          JOIN webhook_events e ON e.id = d.event_id
          WHERE d.endpoint_id = ? AND d.state = 'waiting' AND d.next_ms <= ?${first}
          ORDER BY d.next_ms, d.id LIMIT ?`,
        [endpointId, nowMs, limit],
      );
      return rows.map((row) => ({ ...toDelivery(row), body: row.body }));
    },
    async listDueEndpoints(nowMs) {
      // One question an endpoint, each along the index: there are few of them, and very many deliveries.
      const rows = await raw.all<{ id: string }>(
        `SELECT p.id FROM webhook_endpoints p WHERE p.removed_ms IS NULL AND EXISTS (
          SELECT 1 FROM webhook_deliveries d${alongIndex(raw, 'webhook_deliveries_due')}
          WHERE d.endpoint_id = p.id AND d.state = 'waiting' AND (d.next_ms <= ? OR p.enabled = 0)) ORDER BY p.id`,
        [nowMs],
      );
      return rows.map(({ id }) => id);
    },
    async lockDelivery(id) {
      const row = await lockRow(raw, 'webhook_deliveries', { id });
      return row ? toDelivery(row) : null;
    },
    async updateDelivery(id, { state, fault, tries, triesBefore, nextMs, resentMs, doneMs }) {
      await updateRow(
        raw,
        'webhook_deliveries',
        {
          ...(state === undefined ? {} : { state }),
          ...(fault === undefined ? {} : { fault }),
          ...(tries === undefined ? {} : { tries }),
          ...(triesBefore === undefined ? {} : { tries_before: triesBefore }),
          ...(nextMs === undefined ? {} : { next_ms: nextMs }),
          ...(resentMs === undefined ? {} : { resent_ms: resentMs }),
          ...(doneMs === undefined ? {} : { done_ms: doneMs }),
        },
        { id },
      );
    },
    addAttempt: (deliveryId, { number, atMs, tookMs, fault, status, answer }) =>
      insertRow(raw, 'webhook_attempts', {
        delivery_id: deliveryId,
        number,
        at_ms: atMs,
        took_ms: tookMs,
        fault,
        status,
        answer,
      }),
  };
}

function listsPart(raw: Raw): Pick<WebhooksRepo, 'listDeliveries' | 'findDelivery' | 'listAttempts'> {
  return {
    async listDeliveries(endpointId, state, before, limit) {
      const index = alongIndex(raw, state ? 'webhook_deliveries_state' : 'webhook_deliveries_list');
      const rows = await raw.all<WebhookDeliveries>(
        `SELECT * FROM webhook_deliveries${index} WHERE endpoint_id = ?${state ? ' AND state = ?' : ''}
          ${before ? 'AND (created_ms, id) < (?, ?)' : ''} ORDER BY created_ms DESC, id DESC LIMIT ?`,
        [endpointId, ...(state ? [state] : []), ...(before ? [before.ms, before.id] : []), limit],
      );
      return rows.map(toDelivery);
    },
    async findDelivery(id) {
      const row = await findRow(raw, 'webhook_deliveries', { id });
      const event = row && (await findRow(raw, 'webhook_events', { id: row.event_id }));
      return row && event ? { ...toDelivery(row), body: event.body } : null;
    },
    listAttempts: async (deliveryId) =>
      (await listRows(raw, 'webhook_attempts', { delivery_id: deliveryId }, 'number')).map(toAttempt),
  };
}

function endsPart(raw: Raw): Pick<WebhooksRepo, 'failWaiting' | 'retryFailed' | 'purge'> {
  /** Deletes deliveries that a question finds, with their attempts. How many. */
  async function deleteSome(question: string, params: readonly Param[]): Promise<number> {
    const rows = await raw.all<{ id: string }>(question, params);
    for (const { id } of rows) {
      await raw.run('DELETE FROM webhook_attempts WHERE delivery_id = ?', [id]);
      await raw.run('DELETE FROM webhook_deliveries WHERE id = ?', [id]);
    }
    return rows.length;
  }
  return {
    async failWaiting(endpointId, fault, { sinceMs, nowMs, limit }) {
      const { changes } = await raw.run(
        `UPDATE webhook_deliveries SET state = 'failed', fault = ?, done_ms = ? WHERE id IN (
          SELECT id FROM webhook_deliveries${alongIndex(raw, 'webhook_deliveries_state')}
          WHERE endpoint_id = ? AND state = 'waiting' AND created_ms <= ?
          AND COALESCE(resent_ms, created_ms) <= ? ORDER BY created_ms, id LIMIT ?)`,
        [fault, nowMs, endpointId, sinceMs, sinceMs, limit],
      );
      return changes;
    },
    async retryFailed(endpointId, sinceMs, nowMs, limit) {
      const { changes } = await raw.run(
        `UPDATE webhook_deliveries
          SET state = 'waiting', fault = NULL, tries_before = tries, resent_ms = ?, next_ms = ?, done_ms = NULL
          WHERE id IN (
          SELECT id FROM webhook_deliveries${alongIndex(raw, 'webhook_deliveries_state')}
          WHERE endpoint_id = ? AND state = 'failed' AND created_ms >= ? ORDER BY created_ms, id LIMIT ?)`,
        [nowMs, nowMs, endpointId, sinceMs, limit],
      );
      return changes;
    },
    async purge(beforeMs, limit) {
      const ended = await deleteSome(
        `SELECT id FROM webhook_deliveries${alongIndex(raw, 'webhook_deliveries_done')}
          WHERE done_ms IS NOT NULL AND done_ms < ? LIMIT ?`,
        [beforeMs, limit],
      );
      if (ended > 0) return ended;
      const [gone] = await raw.all<{ id: string }>(
        'SELECT id FROM webhook_endpoints WHERE removed_ms IS NOT NULL ORDER BY id LIMIT 1',
      );
      if (gone) {
        const of = `SELECT id FROM webhook_deliveries${alongIndex(raw, 'webhook_deliveries_list')} WHERE endpoint_id = ? LIMIT ?`;
        const left = await deleteSome(of, [gone.id, limit]);
        if (left === 0) await raw.run('DELETE FROM webhook_endpoints WHERE id = ?', [gone.id]);
        return Math.max(left, 1);
      }
      const { changes } = await raw.run(
        `DELETE FROM webhook_events WHERE id IN (SELECT e.id FROM webhook_events e${alongIndex(raw, 'webhook_events_by_time')}
          WHERE e.created_ms < ? AND e.dispatched = 1
          AND NOT EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.event_id = e.id) LIMIT ?)`,
        [beforeMs, limit],
      );
      return changes;
    },
  };
}
