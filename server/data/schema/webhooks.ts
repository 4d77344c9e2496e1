import type { Bit, Ms } from './values.ts';

export interface WebhookEndpoints {
  id: string;
  kind: string;
  name: string;
  url: string;
  events: string;
  ordered: Bit;
  enabled: Bit;
  disabled_cause: string | null;
  secret: string;
  old_secret: string | null;
  old_until_ms: Ms | null;
  secret_set_ms: Ms;
  failing_since_ms: Ms | null;
  unreached: number;
  paused_until_ms: Ms;
  revision: number;
  removed_ms: Ms | null;
  created_ms: Ms;
  updated_ms: Ms;
}

export interface WebhookEvents {
  id: string;
  name: string;
  object: string;
  body: string;
  dispatched: Bit;
  created_ms: Ms;
}

export interface WebhookDeliveries {
  id: string;
  endpoint_id: string;
  event_id: string;
  event: string;
  object: string;
  state: string;
  fault: string | null;
  tries: number;
  tries_before: number;
  next_ms: Ms;
  created_ms: Ms;
  resent_ms: Ms | null;
  done_ms: Ms | null;
}

export interface WebhookAttempts {
  delivery_id: string;
  number: number;
  at_ms: Ms;
  took_ms: number;
  fault: string | null;
  status: number | null;
  answer: string;
}

export interface WebhooksTables {
  webhook_endpoints: WebhookEndpoints;
  webhook_events: WebhookEvents;
  webhook_deliveries: WebhookDeliveries;
  webhook_attempts: WebhookAttempts;
}
