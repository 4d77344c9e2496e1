import type { ScheduledTask } from '../jobs/scheduler.ts';
import { ATTENTION_TOPIC, createAttention } from '../modules/attention/index.ts';
import { subscriber, type EventName, type Subscription } from '../modules/events/index.ts';
import { createOverview } from '../modules/overview/index.ts';
import { MINUTE } from '#shared/time.ts';
import type { Foundation } from './foundation.ts';

/** Events after which something may need a person, or no longer does. */
const EVENTS = [
  'reward.held',
  'reward.released',
  'reward.rejected',
  'server.failed',
  'server.ready',
  'server.deleted',
  'outage.reported',
  'outage.ended',
  'order.credited',
  'order.disputed',
  'order.mismatched',
  'order.sync_failed',
  'payment.unknown',
  'payment.event_failed',
  'refund.failed',
  'ledger.faults_found',
  'ledger.faults_mended',
] as const satisfies readonly EventName[];

/** The overview of staff; what needs a person, with the events that change it, and the task that notifies staff of it. */
export function composeOverview(foundation: Foundation) {
  const attention = createAttention(foundation);
  const subscriptions: Subscription[] = EVENTS.map((name) => subscriber(name, async (tx) => tx.touch(ATTENTION_TOPIC)));
  const tasks: ScheduledTask[] = [{ name: 'attention.report', everyMs: MINUTE, run: () => attention.report() }];
  return { services: { attention, overview: createOverview(foundation) }, subscriptions, tasks };
}
