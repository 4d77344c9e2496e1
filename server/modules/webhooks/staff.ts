import { DomainError, fieldError } from '#shared/errors.ts';
import type { WebhookInput } from '#shared/schemas/webhook.ts';
import { ENDPOINTS_MAX, SECRET_OVERLAP_MS, TEST_TYPE, urlFault, wantsEvent } from '#shared/webhooks.ts';
import { writeAudit } from '../audit/index.ts';
import { OUTSIDE_NAMES } from '../events/index.ts';
import type { SignedIn } from '../kernel.ts';
import { assertMay } from '../permit.ts';
import type { Tx } from '../tx.ts';
import { WEBHOOKS_TOPIC, type WebhooksDeps } from './deps.ts';
import { newDelivery, requestSending } from './dispatching.ts';
import type { DeliveryCursor, EndpointChange, WebhookEndpoint } from './ports.ts';
import { bodyOf } from './recording.ts';
import { splitDiscordUrl } from './discord-address.ts';
import { newSecret, sealSecret } from './secrets.ts';
import type { DeliveryState, EndpointKind } from '#shared/webhooks.ts';

/** Deliveries of a page of the list. */
const PAGE = 25;
/** Deliveries that are tried again in one transaction. */
const CHUNK = 500;

/** Endpoints for staff (behaviour 8.8): every command asks for its permission itself. */
export function staffOf(deps: WebhooksDeps) {
  return { ...readingOf(deps), ...writingOf(deps), ...endingOf(deps), ...sendingAgainOf(deps) };
}

/** What staff read. */
function readingOf({ uow, plugin }: WebhooksDeps) {
  /** All endpoints with how they do. Throws FORBIDDEN. */
  async function list(ctx: SignedIn) {
    assertMay(ctx, 'admin.plugins.list');
    return uow.read(async (tx) =>
      Promise.all(
        (await tx.webhooks.listEndpoints()).map(async (one) => ({ ...one, ...(await tx.webhooks.figures(one.id)) })),
      ),
    );
  }

  /** Names of all events that an endpoint may be given. Throws FORBIDDEN. */
  async function names(ctx: SignedIn) {
    assertMay(ctx, 'admin.plugins.edit');
    return OUTSIDE_NAMES;
  }

  /** Whether anything is sent to endpoints of a kind: its built-in plugin is on. */
  const isOn = (kind: EndpointKind) => plugin.isOn(kind);

  const load = (id: string) =>
    uow.read(async (tx) => ({
      ...found(await tx.webhooks.findEndpoint(id)),
      ...(await tx.webhooks.figures(id)),
    }));

  /** One with how it does. Throws FORBIDDEN, NOT_FOUND. */
  async function get(ctx: SignedIn, id: string) {
    assertMay(ctx, 'admin.plugins.list');
    return load(id);
  }

  /** The same for who changes it. Throws FORBIDDEN, NOT_FOUND. */
  async function forEditing(ctx: SignedIn, id: string) {
    assertMay(ctx, 'admin.plugins.edit');
    return load(id);
  }

  /** A page of what was sent, or waits, the newest first. Throws FORBIDDEN, NOT_FOUND. */
  async function deliveries(ctx: SignedIn, id: string, state: DeliveryState | null, before: DeliveryCursor | null) {
    assertMay(ctx, 'admin.plugins.list');
    return uow.read(async (tx) => {
      found(await tx.webhooks.findEndpoint(id));
      const rows = await tx.webhooks.listDeliveries(id, state, before, PAGE + 1);
      const last = rows.at(PAGE - 1);
      return {
        rows: rows.slice(0, PAGE),
        older: rows.length > PAGE && last ? { ms: last.createdMs, id: last.id } : null,
      };
    });
  }

  /** A delivery with what was sent and what was answered. Throws FORBIDDEN, NOT_FOUND. */
  async function delivery(ctx: SignedIn, id: string) {
    assertMay(ctx, 'admin.plugins.list');
    return uow.read(async (tx) => {
      const one = found(await tx.webhooks.findDelivery(id));
      const endpoint = found(await tx.webhooks.findEndpoint(one.endpointId));
      return { ...one, endpoint, attempts: await tx.webhooks.listAttempts(id) };
    });
  }

  return { isOn, names, list, get, forEditing, deliveries, delivery };
}

/** What staff write. */
function writingOf(deps: WebhooksDeps) {
  const { uow, clock, ids } = deps;

  /**
   * Makes one. Out: its secret, this once; '' of a channel of Discord, whose secret staff brought. Throws FORBIDDEN,
   * VALIDATION_FAILED, WEBHOOK_LIMIT.
   */
  async function create(ctx: SignedIn, input: WebhookInput): Promise<{ id: string; secret: string }> {
    assertMay(ctx, 'admin.plugins.edit');
    const { kind, url, token } = targetOf(deps, input, null);
    return uow.run(async (tx) => {
      if ((await tx.webhooks.countEndpoints()) >= ENDPOINTS_MAX) throw new DomainError('WEBHOOK_LIMIT');
      const id = ids.uuid();
      const { secret, sealed } = secretFor(deps, { id, url }, token);
      const nowMs = clock.now();
      await tx.webhooks.addEndpoint({
        ...input,
        id,
        kind,
        url,
        disabledCause: input.enabled ? null : 'staff',
        secret: sealed,
        oldSecret: null,
        oldUntilMs: null,
        secretSetMs: nowMs,
        failingSinceMs: null,
        unreached: 0,
        pausedUntilMs: 0,
        revision: 1,
        createdMs: nowMs,
        updatedMs: nowMs,
      });
      await writeAudit(tx, deps, ctx, {
        action: 'webhooks.create',
        target: id,
        after: toAuditFacts({ ...input, url }),
      });
      tx.touch(WEBHOOKS_TOPIC);
      return { id, secret };
    });
  }

  /**
   * Changes one. In: the revision that the caller saw. An address at another origin gets a new secret, as the one it
   * has may be known where it leads now (attacks T57). Out: that secret, this once, or null. Throws FORBIDDEN,
   * NOT_FOUND, VALIDATION_FAILED; CONFLICT where somebody else changed it since.
   */
  async function update(ctx: SignedIn, id: string, input: WebhookInput, seen: number) {
    assertMay(ctx, 'admin.plugins.edit');
    return uow.run(async (tx) => {
      const before = found(await tx.webhooks.lockEndpoint(id));
      const { url, token } = targetOf(deps, input, before);
      if (before.revision !== seen) throw new DomainError('CONFLICT');
      const moved = new URL(before.url).origin !== new URL(url).origin;
      const fresh = moved || token !== null ? secretFor(deps, { id, url }, token) : null;
      const { name, events, ordered, enabled } = input;
      const nowMs = clock.now();
      const change: EndpointChange = {
        name,
        url,
        events,
        ordered,
        enabled,
        ...(fresh ? { secret: fresh.sealed, oldSecret: null, oldUntilMs: null, secretSetMs: nowMs } : {}),
        ...healthAfter(before, input, fresh !== null),
        revision: seen + 1,
        updatedMs: nowMs,
      };
      await tx.webhooks.updateEndpoint(id, change);
      await writeAudit(tx, deps, ctx, {
        action: 'webhooks.edit',
        target: id,
        before: toAuditFacts(before),
        after: toAuditFacts({ ...input, url }),
      });
      await requestSending(tx, deps, id);
      tx.touch(WEBHOOKS_TOPIC);
      return { revision: seen + 1, secret: fresh && token === null ? fresh.secret : null };
    });
  }

  return { create, update };
}

/** What ends: a secret, or an endpoint. */
function endingOf(deps: WebhooksDeps) {
  const { uow, clock } = deps;

  /** Gives one a new secret; the old one signs as well for a day. Out: it, this once. Throws FORBIDDEN, NOT_FOUND. */
  async function rotate(ctx: SignedIn, id: string): Promise<{ secret: string }> {
    assertMay(ctx, 'admin.plugins.edit');
    return uow.run(async (tx) => {
      const before = found(await tx.webhooks.lockEndpoint(id));
      // A channel's token is Discord's to change.
      if (before.kind === 'discord') throw new DomainError('NOT_FOUND');
      const { secret, sealed } = newSecret(deps, before);
      const nowMs = clock.now();
      await tx.webhooks.updateEndpoint(id, {
        secret: sealed,
        oldSecret: before.secret,
        oldUntilMs: nowMs + SECRET_OVERLAP_MS,
        secretSetMs: nowMs,
        updatedMs: nowMs,
      });
      await writeAudit(tx, deps, ctx, { action: 'webhooks.rotate', target: id, after: { name: before.name } });
      tx.touch(WEBHOOKS_TOPIC);
      return { secret };
    });
  }

  /** Deletes one for good, with its deliveries. Throws FORBIDDEN, NOT_FOUND. */
  async function remove(ctx: SignedIn, id: string): Promise<void> {
    assertMay(ctx, 'admin.plugins.edit');
    await uow.run(async (tx) => {
      const before = found(await tx.webhooks.lockEndpoint(id));
      await tx.webhooks.removeEndpoint(id, clock.now());
      await writeAudit(tx, deps, ctx, { action: 'webhooks.delete', target: id, before: toAuditFacts(before) });
      tx.touch(WEBHOOKS_TOPIC);
    });
  }

  return { rotate, remove };
}

/** Sending on demand. */
function sendingAgainOf(deps: WebhooksDeps) {
  const { uow, clock, ids } = deps;

  /** Sends an event of its own type, which says nothing. Out: the delivery. Throws as `lockOn`, FORBIDDEN. */
  async function test(ctx: SignedIn, id: string): Promise<{ id: string }> {
    assertMay(ctx, 'admin.plugins.edit');
    return uow.run(async (tx) => {
      const endpoint = await lockOn(tx, deps, id);
      const nowMs = clock.now();
      const body = bodyOf(TEST_TYPE, 1, nowMs, { endpointId: id });
      const event = { id: ids.uuid(), name: TEST_TYPE, object: '', body, createdMs: nowMs };
      await tx.webhooks.addEvent(event, true);
      const delivery = newDelivery(deps, endpoint, event);
      await tx.webhooks.addDeliveries([delivery]);
      await tx.webhooks.updateEndpoint(id, { pausedUntilMs: 0 });
      await requestSending(tx, deps, id);
      await writeAudit(tx, deps, ctx, { action: 'webhooks.test', target: id, after: { name: endpoint.name } });
      tx.touch(WEBHOOKS_TOPIC);
      return { id: delivery.id };
    });
  }

  /**
   * Sends a delivery that is over once more under the same id, with as many attempts and as much time as a new one.
   * Throws as `lockOn`, FORBIDDEN, DELIVERY_WAITING.
   */
  async function resend(ctx: SignedIn, id: string): Promise<void> {
    assertMay(ctx, 'admin.plugins.edit');
    await uow.run(async (tx) => {
      const { endpointId } = found(await tx.webhooks.findDelivery(id));
      const endpoint = await lockOn(tx, deps, endpointId);
      const delivery = found(await tx.webhooks.lockDelivery(id));
      if (delivery.state === 'waiting') throw new DomainError('DELIVERY_WAITING');
      const nowMs = clock.now();
      const anew = { fault: null, triesBefore: delivery.tries, resentMs: nowMs, nextMs: nowMs, doneMs: null };
      await tx.webhooks.updateDelivery(id, { state: 'waiting', ...anew });
      await tx.webhooks.updateEndpoint(endpointId, { pausedUntilMs: 0 });
      await requestSending(tx, deps, endpointId);
      await writeAudit(tx, deps, ctx, {
        action: 'webhooks.resend',
        target: endpointId,
        after: { name: endpoint.name },
      });
      tx.touch(WEBHOOKS_TOPIC);
    });
  }

  /**
   * Sends everything that failed since a moment (UTC ms) once more. Out: how many deliveries. Throws as `lockOn`,
   * FORBIDDEN.
   */
  async function resendFailed(ctx: SignedIn, id: string, sinceMs: number): Promise<{ count: number }> {
    assertMay(ctx, 'admin.plugins.edit');
    await uow.run(async (tx) => {
      const endpoint = await lockOn(tx, deps, id);
      await tx.webhooks.updateEndpoint(id, { pausedUntilMs: 0 });
      await writeAudit(tx, deps, ctx, { action: 'webhooks.resend', target: id, after: { name: endpoint.name } });
    });
    let count = 0;
    for (let again = CHUNK; again === CHUNK;) {
      again = await uow.run(async (tx) => {
        const some = await tx.webhooks.retryFailed(id, sinceMs, clock.now(), CHUNK);
        if (some > 0) await requestSending(tx, deps, id);
        tx.touch(WEBHOOKS_TOPIC);
        return some;
      });
      count += again;
    }
    return { count };
  }

  return { test, resend, resendFailed };
}

/** Throws NOT_FOUND for null. */
function found<T>(value: T | null): T {
  if (value === null) throw new DomainError('NOT_FOUND');
  return value;
}

/** An endpoint that is on, locked. Throws NOT_FOUND, WEBHOOK_OFF, PLUGIN_OFF. */
async function lockOn(tx: Tx, { plugin }: Pick<WebhooksDeps, 'plugin'>, id: string): Promise<WebhookEndpoint> {
  const endpoint = found(await tx.webhooks.lockEndpoint(id));
  if (!plugin.isOn(endpoint.kind)) throw new DomainError('PLUGIN_OFF');
  if (!endpoint.enabled) throw new DomainError('WEBHOOK_OFF');
  return endpoint;
}

/**
 * Where an endpoint is. In: what it was before; null for a new one. Out: the address as it is kept, and the token that
 * staff brought with it; null where there is none, or it stays the one it is. Refuses an address that may not be used,
 * another kind, and patterns that name no event. Throws VALIDATION_FAILED.
 */
function targetOf(
  { settings }: Pick<WebhooksDeps, 'settings'>,
  { kind, url, events }: WebhookInput,
  before: WebhookEndpoint | null,
): { readonly kind: EndpointKind; readonly url: string; readonly token: string | null } {
  const { outbound_private_networks: open, discord_api_url: apiUrl } = settings.current();
  const fault = urlFault(url, open);
  if (fault) throw fieldError('url', fault);
  if (before && kind !== undefined && kind !== before.kind) throw fieldError('kind', 'INVALID');
  if (!events.every((pattern) => OUTSIDE_NAMES.some((name) => wantsEvent([pattern], name))))
    throw fieldError('events', 'INVALID');
  if ((before?.kind ?? kind) !== 'discord') return { kind: 'standard', url, token: null };
  const target = splitDiscordUrl(url, apiUrl);
  // Another address without its token would get the token of this one (attacks T57).
  if (!target || (target.token === null && target.url !== before?.url)) throw fieldError('url', 'DISCORD_URL');
  return { kind: 'discord', ...target };
}

/** The secret of an endpoint: the token that staff brought, or a new one that they are shown. */
function secretFor(deps: WebhooksDeps, endpoint: { readonly id: string; readonly url: string }, token: string | null) {
  return token === null ? newSecret(deps, endpoint) : { secret: '', sealed: sealSecret(deps.sealer, endpoint, token) };
}

/** One that is switched on, or moved, begins anew; what staff left off keeps its cause. */
function healthAfter(before: WebhookEndpoint, { enabled }: WebhookInput, moved: boolean): EndpointChange {
  const anew = { failingSinceMs: null, unreached: 0, pausedUntilMs: 0 };
  if (!enabled) return { disabledCause: before.disabledCause ?? 'staff', ...(moved ? anew : {}) };
  return before.enabled && !moved ? {} : { disabledCause: null, ...anew };
}

/** What the audit log keeps of one: of its address the origin alone, as what follows may be secret. */
function toAuditFacts({ name, url, events, ordered, enabled }: WebhookInput | WebhookEndpoint) {
  return { name, url: new URL(url).origin, events, ordered, enabled };
}
