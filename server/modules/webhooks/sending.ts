import { MINUTE, SECOND } from '#shared/time.ts';
import { DELIVERY_LIFE_MS, FAILING_MS, RETRY_PAUSES_MS } from '#shared/webhooks.ts';
import { enqueue } from '../jobs/index.ts';
import type { Tx } from '../tx.ts';
import { REQUEST_SENDING_JOB, WEBHOOKS_TOPIC, type WebhooksDeps } from './deps.ts';
import { disable } from './disabling.ts';
import { requestSending } from './dispatching.ts';
import type { EndpointChange, SendOutcome, WebhookDelivery, WebhookEndpoint } from './ports.ts';
import { secretsOf } from './secrets.ts';

/** Requests to one endpoint at once; one that does not answer gets a single one. */
const AT_ONCE = 10;
/** Rounds of requests of one job: then others have their turn. */
const ROUNDS = 20;
/** Rows that are given up in one transaction. */
const CHUNK = 500;
/** The pause after the first attempt that did not reach an endpoint, doubled each time, and the longest. */
const UNREACHED_MS = 2 * SECOND;
const UNREACHED_MAX_MS = 10 * MINUTE;

type Due = WebhookDelivery & { readonly body: string };

/** Sends what is due to one endpoint. It may run twice for the same delivery: it is sent at least once. */
export async function sendDue(deps: WebhooksDeps, endpointId: string): Promise<void> {
  const { uow, clock, plugin, senders } = deps;
  for (let round = 0; round < ROUNDS; round += 1) {
    const endpoint = await uow.read((tx) => tx.webhooks.findEndpoint(endpointId));
    if (!endpoint) return;
    if (!endpoint.enabled) return failAllWaiting(deps, endpoint);
    // What waits is taken up again by the sweep once the plugin is on.
    if (clock.now() < endpoint.pausedUntilMs || !plugin.isOn(endpoint.kind)) return;
    const pauseMs = senders[endpoint.kind].pauseMs?.(endpoint.url) ?? 0;
    if (pauseMs > 0) return pause(deps, endpoint, pauseMs);
    const limit = endpoint.unreached > 0 || endpoint.kind === 'discord' ? 1 : AT_ONCE;
    const due = await uow.read((tx) => tx.webhooks.listDue(endpointId, clock.now(), limit, endpoint.ordered));
    if (due.length === 0) return;
    await sendRound(deps, endpoint, due);
  }
  // Others have their turn; the rest goes on behind them.
  await uow.run((tx) => scheduleDeliveries(tx, deps, endpointId, clock.now()));
}

/** Leaves an endpoint alone for a while that its service asked for, without an attempt. */
async function pause(deps: WebhooksDeps, { id }: WebhookEndpoint, ms: number): Promise<void> {
  const untilMs = deps.clock.now() + ms;
  await deps.uow.run(async (tx) => {
    await tx.webhooks.updateEndpoint(id, { pausedUntilMs: untilMs });
    await scheduleDeliveries(tx, deps, id, untilMs);
  });
}

async function sendRound(deps: WebhooksDeps, endpoint: WebhookEndpoint, due: readonly Due[]): Promise<void> {
  const { uow, clock, sealer, senders } = deps;
  const atMs = clock.now();
  const secrets = secretsOf(sealer, endpoint, atMs);
  const outcomes = await Promise.all(
    due.map((delivery) =>
      secrets === null
        ? UNREADABLE
        : senders[endpoint.kind].send({ url: endpoint.url, secrets, id: delivery.eventId, atMs, body: delivery.body }),
    ),
  );
  await uow.run(async (tx) => {
    const now = await tx.webhooks.lockEndpoint(endpoint.id);
    for (const [index, delivery] of due.entries()) {
      const outcome = outcomes[index];
      if (outcome) await recordAttempt(tx, deps, delivery, atMs, outcome);
    }
    if (now?.enabled) await recordHealth(tx, deps, now, outcomes);
    tx.touch(WEBHOOKS_TOPIC);
  });
}
const UNREADABLE: SendOutcome = {
  fault: 'secret',
  status: null,
  answer: '',
  tookMs: 0,
  retryAfterMs: null,
  isGone: false,
};

/** Notes an attempt, and when the next one is; nothing where another run was faster. */
async function recordAttempt(
  tx: Tx,
  deps: WebhooksDeps,
  { id, endpointId, tries, triesBefore }: Due,
  atMs: number,
  { fault, status, answer, tookMs, retryAfterMs }: SendOutcome,
): Promise<void> {
  const now = await tx.webhooks.lockDelivery(id);
  if (now?.state !== 'waiting' || now.tries !== tries) return;
  const nowMs = deps.clock.now();
  await tx.webhooks.addAttempt(id, { number: tries + 1, atMs, tookMs, fault, status, answer });
  const pause = RETRY_PAUSES_MS[tries - triesBefore];
  if (fault === null)
    return tx.webhooks.updateDelivery(id, { state: 'delivered', fault, tries: tries + 1, doneMs: nowMs });
  if (pause === undefined)
    return tx.webhooks.updateDelivery(id, { state: 'failed', fault, tries: tries + 1, doneMs: nowMs });
  // Give or take a tenth, so that what failed together does not come back together.
  const nextMs = nowMs + Math.max(Math.round(pause * (0.9 + 0.2 * deps.random())), retryAfterMs ?? 0);
  await tx.webhooks.updateDelivery(id, { fault, tries: tries + 1, nextMs });
  await scheduleDeliveries(tx, deps, endpointId, nextMs);
}

/** Notes whether the endpoint is well: who is not reached is left alone for a while, and off after three days. */
async function recordHealth(
  tx: Tx,
  deps: WebhooksDeps,
  endpoint: WebhookEndpoint,
  outcomes: readonly SendOutcome[],
): Promise<void> {
  const nowMs = deps.clock.now();
  if (outcomes.some(({ isGone }) => isGone)) return disable(tx, deps, endpoint, 'gone');
  const delivered = outcomes.some(({ fault }) => fault === null);
  const since = delivered ? null : (endpoint.failingSinceMs ?? nowMs);
  if (since !== null && nowMs - since >= FAILING_MS) return disable(tx, deps, endpoint, 'failing');
  const unreached = outcomes.every(({ status }) => status === null) ? endpoint.unreached + 1 : 0;
  const alone = unreached === 0 ? 0 : Math.min(UNREACHED_MS * 2 ** Math.min(unreached - 1, 20), UNREACHED_MAX_MS);
  const asked = Math.max(0, ...outcomes.map(({ retryAfterMs }) => retryAfterMs ?? 0));
  const pauseMs = Math.max(alone, asked);
  const change: EndpointChange = {
    failingSinceMs: since,
    unreached,
    pausedUntilMs: pauseMs === 0 ? endpoint.pausedUntilMs : nowMs + pauseMs,
  };
  const same =
    since === endpoint.failingSinceMs &&
    unreached === endpoint.unreached &&
    change.pausedUntilMs === endpoint.pausedUntilMs;
  if (!same) await tx.webhooks.updateEndpoint(endpoint.id, change);
  if (pauseMs > 0) await scheduleDeliveries(tx, deps, endpoint.id, nowMs + pauseMs);
}

/** Has an endpoint's deliveries sent at a moment, to the second. */
async function scheduleDeliveries(
  tx: Tx,
  { ids, clock }: WebhooksDeps,
  endpointId: string,
  atMs: number,
): Promise<void> {
  const second = Math.ceil(atMs / SECOND);
  await enqueue(tx, ids, clock, {
    kind: REQUEST_SENDING_JOB,
    payload: { endpointId },
    uniqueKey: `${REQUEST_SENDING_JOB}:${endpointId}:${second}`,
    runAtMs: Math.max(atMs, clock.now()),
  });
}

/** Gives up everything that waits for an endpoint that is off. */
async function failAllWaiting({ uow, clock }: WebhooksDeps, { id }: WebhookEndpoint): Promise<void> {
  for (let given = CHUNK; given === CHUNK;) {
    const nowMs = clock.now();
    given = await uow.run((tx) => {
      tx.touch(WEBHOOKS_TOPIC);
      return tx.webhooks.failWaiting(id, 'disabled', { sinceMs: nowMs, nowMs, limit: CHUNK });
    });
  }
}

/**
 * By the clock: what a killed process left behind is taken up again, and what waited too long is given up. Every minute
 * is enough: everything else is a job.
 */
export async function sweep(deps: WebhooksDeps, requestDispatch: () => Promise<void>): Promise<void> {
  const { uow, clock } = deps;
  if ((await uow.read((tx) => tx.webhooks.listNew(1))).length > 0) await requestDispatch();
  const endpoints = await uow.read((tx) => tx.webhooks.listDueEndpoints(clock.now()));
  for (const endpointId of endpoints) {
    const nowMs = clock.now();
    const past = { sinceMs: nowMs - DELIVERY_LIFE_MS, nowMs, limit: CHUNK };
    await uow.run(async (tx) => {
      await tx.webhooks.failWaiting(endpointId, 'expired', past);
      await requestSending(tx, deps, endpointId);
    });
  }
}

/** Deletes what ended longer ago than deliveries are kept, and what is left of endpoints that were removed. */
export async function purge({ uow, clock, settings }: WebhooksDeps, dayMs: number): Promise<void> {
  const beforeMs = clock.now() - settings.current().webhook_retention_days * dayMs;
  while ((await uow.run((tx) => tx.webhooks.purge(beforeMs, CHUNK))) > 0);
}
