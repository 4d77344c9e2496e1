import type { DisabledCause } from '#shared/webhooks.ts';
import type { Tx } from '../tx.ts';
import { WEBHOOKS_TOPIC, type WebhooksDeps } from './deps.ts';
import type { WebhookEndpoint } from './ports.ts';

/** Switches an endpoint off by itself and notifies staff. What still waits for it is given up by the next sending. */
export async function disable(
  tx: Tx,
  { clock, events }: Pick<WebhooksDeps, 'clock' | 'events'>,
  { id, name }: WebhookEndpoint,
  cause: Exclude<DisabledCause, 'staff'>,
): Promise<void> {
  await tx.webhooks.updateEndpoint(id, { enabled: false, disabledCause: cause });
  await events.emit(tx, 'webhook.disabled', { endpointId: id, name, cause, atMs: clock.now() });
  tx.touch(WEBHOOKS_TOPIC);
}
