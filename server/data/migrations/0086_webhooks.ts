import { DELIVERY_STATES } from '#shared/webhooks.ts';
import { bit, define, oneOf, type Migration } from './migration.ts';

/**
 * Outgoing webhooks (behaviour 8.8): endpoints, the outbox of events (`dispatched`: given to the endpoints), what is on
 * its way to whom, and each attempt. Deliveries have no foreign keys: there may be very many, and they are deleted by
 * and by.
 */
export const webhooks: Migration = {
  name: '0086_webhooks',
  up: (step) =>
    define(step, [
      `CREATE TABLE webhook_endpoints (
        id TEXT NOT NULL PRIMARY KEY,
        name TEXT NOT NULL,
        url TEXT NOT NULL,
        events TEXT NOT NULL,
        ${bit('ordered')},
        ${bit('enabled')},
        disabled_cause TEXT,
        secret TEXT NOT NULL,
        old_secret TEXT,
        old_until_ms INTEGER,
        secret_set_ms INTEGER NOT NULL,
        failing_since_ms INTEGER,
        unreached INTEGER NOT NULL,
        paused_until_ms INTEGER NOT NULL,
        revision INTEGER NOT NULL,
        removed_ms INTEGER,
        created_ms INTEGER NOT NULL,
        updated_ms INTEGER NOT NULL
      )STRICT`,
      `CREATE TABLE webhook_events (
        id TEXT NOT NULL PRIMARY KEY,
        name TEXT NOT NULL,
        object TEXT NOT NULL,
        body TEXT NOT NULL,
        ${bit('dispatched')},
        created_ms INTEGER NOT NULL
      )STRICT`,
      'CREATE INDEX webhook_events_new ON webhook_events (created_ms, id) WHERE dispatched = 0',
      'CREATE INDEX webhook_events_by_time ON webhook_events (created_ms)',
      `CREATE TABLE webhook_deliveries (
        id TEXT NOT NULL PRIMARY KEY,
        endpoint_id TEXT NOT NULL,
        event_id TEXT NOT NULL,
        event TEXT NOT NULL,
        object TEXT NOT NULL,
        ${oneOf('state', DELIVERY_STATES)},
        fault TEXT,
        tries INTEGER NOT NULL,
        next_ms INTEGER NOT NULL,
        created_ms INTEGER NOT NULL,
        done_ms INTEGER,
        UNIQUE (event_id, endpoint_id)
      )STRICT`,
      "CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint_id, next_ms) WHERE state = 'waiting'",
      "CREATE INDEX webhook_deliveries_line ON webhook_deliveries (endpoint_id, object, id) WHERE state = 'waiting'",
      'CREATE INDEX webhook_deliveries_list ON webhook_deliveries (endpoint_id, created_ms, id)',
      'CREATE INDEX webhook_deliveries_state ON webhook_deliveries (endpoint_id, state, created_ms, id)',
      'CREATE INDEX webhook_deliveries_done ON webhook_deliveries (done_ms) WHERE done_ms IS NOT NULL',
      `CREATE TABLE webhook_attempts (
        delivery_id TEXT NOT NULL,
        number INTEGER NOT NULL,
        at_ms INTEGER NOT NULL,
        took_ms INTEGER NOT NULL,
        fault TEXT,
        status INTEGER,
        answer TEXT NOT NULL,
        PRIMARY KEY (delivery_id, number)
      )STRICT`,
    ]),
};
