import { DAY } from '#shared/time.ts';
import { outsideEvents } from '../events/index.ts';
import { requestDispatch, dispatch, requestSending } from './dispatching.ts';
import { DISPATCH_JOB, EVENTS_TOPIC, SEND_JOB, REQUEST_SENDING_JOB, type WebhooksDeps } from './deps.ts';
import { recordingOf } from './recording.ts';
import { purge, sendDue, sweep } from './sending.ts';
import { staffOf } from './staff.ts';

export { DISPATCH_JOB, SEND_JOB, REQUEST_SENDING_JOB, WEBHOOKS_TOPIC, type OutboxSubscribers } from './deps.ts';
export type * from './ports.ts';
export type Webhooks = ReturnType<typeof createWebhooks>;

const endpointIdOf = (payload: unknown): string => (payload as { readonly endpointId: string }).endpointId;

/**
 * Outgoing webhooks (behaviour 8.8): events leave as signed requests (Standard Webhooks), at least once, in the order
 * of each object where that is asked for.
 */
export function createWebhooks(deps: WebhooksDeps) {
  const { uow, bus, log } = deps;
  const recording = recordingOf(deps);
  /** Whether a request for dispatching is under way: events come in crowds. */
  let asking = false;
  async function ask(): Promise<void> {
    if (asking) return;
    asking = true;
    // What is emitted until the next turn of the loop is in the same crowd.
    await new Promise((resolve) => setImmediate(resolve));
    asking = false;
    await requestDispatch(deps);
  }
  bus.subscribe(EVENTS_TOPIC, () => {
    ask().catch((error: unknown) => log.warn('webhooks.dispatch_not_asked', { error: String(error) }));
  });

  return {
    subscriptions: recording.subscriptions,
    staff: staffOf(deps),
    /** Every event that an endpoint may be given. */
    catalogue: outsideEvents,
    jobs: {
      [DISPATCH_JOB]: () => dispatch(deps),
      [SEND_JOB]: (payload: unknown) => sendDue(deps, endpointIdOf(payload)),
      [REQUEST_SENDING_JOB]: (payload: unknown) => uow.run((tx) => requestSending(tx, deps, endpointIdOf(payload))),
    },
    sweep: () => sweep(deps, () => requestDispatch(deps)),
    purge: () => purge(deps, DAY),
  };
}
