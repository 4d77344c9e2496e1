import { BACKLOG_MAX, wantsEvent } from '#shared/webhooks.ts';
import { enqueue } from '../jobs/index.ts';
import type { Tx } from '../tx.ts';
import { disable } from './disabling.ts';
import { DISPATCH_JOB, SEND_JOB, type WebhooksDeps } from './deps.ts';
import type { WebhookDelivery, WebhookEndpoint, WebhookEvent } from './ports.ts';

/** Events of one transaction: few, so that nobody waits long behind it. */
const BATCH = 50;

/** Has the new events given to the endpoints; asked for often, done once. */
export async function requestDispatch({ uow, ids, clock }: WebhooksDeps): Promise<void> {
  await uow.run((tx) => enqueue(tx, ids, clock, { kind: DISPATCH_JOB, payload: {}, uniqueKey: DISPATCH_JOB }));
}

/** Has what is due sent to an endpoint, in the running transaction; once, however often it is asked for. */
export async function requestSending(
  tx: Tx,
  { ids, clock }: Pick<WebhooksDeps, 'ids' | 'clock'>,
  endpointId: string,
): Promise<void> {
  await enqueue(tx, ids, clock, { kind: SEND_JOB, payload: { endpointId }, uniqueKey: `${SEND_JOB}:${endpointId}` });
}

/** Gives every new event to the endpoints that want it, in the order in which they happened. */
export async function dispatch(deps: WebhooksDeps): Promise<void> {
  while (await deps.uow.run((tx) => dispatchSome(tx, deps)));
}

/** The next events. Out: whether there may be more. */
async function dispatchSome(tx: Tx, deps: WebhooksDeps): Promise<boolean> {
  const found = await tx.webhooks.listNew(BATCH);
  if (found.length === 0) return false;
  const endpoints = (await tx.webhooks.listEndpoints()).filter(
    ({ enabled, kind }) => enabled && deps.plugin.isOn(kind),
  );
  for (const endpoint of endpoints) {
    const wanted = found.filter(({ name }) => wantsEvent(endpoint.events, name));
    if (wanted.length > 0) await addDeliveries(tx, deps, endpoint, wanted);
  }
  await deps.subscribers?.add(tx, found);
  await tx.webhooks.markDispatched(found.map(({ id }) => id));
  return found.length === BATCH;
}

async function addDeliveries(
  tx: Tx,
  deps: WebhooksDeps,
  endpoint: WebhookEndpoint,
  events: readonly WebhookEvent[],
): Promise<void> {
  if ((await tx.webhooks.countWaiting(endpoint.id, BACKLOG_MAX)) >= BACKLOG_MAX)
    return disable(tx, deps, endpoint, 'backlog');
  await tx.webhooks.addDeliveries(events.map((event) => newDelivery(deps, endpoint, event)));
  await requestSending(tx, deps, endpoint.id);
}

/** A delivery of an event to an endpoint, to be sent now. */
export function newDelivery(
  { ids, clock }: Pick<WebhooksDeps, 'ids' | 'clock'>,
  endpoint: WebhookEndpoint,
  event: WebhookEvent,
): WebhookDelivery {
  const nowMs = clock.now();
  return {
    id: ids.uuid(),
    endpointId: endpoint.id,
    eventId: event.id,
    event: event.name,
    object: event.object,
    state: 'waiting',
    fault: null,
    tries: 0,
    triesBefore: 0,
    nextMs: nowMs,
    createdMs: nowMs,
    resentMs: null,
    doneMs: null,
  };
}
