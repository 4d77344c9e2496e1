import * as z from 'zod/mini';
import { isNotificationKind } from '#shared/notifications.ts';
import { writeAudit } from '../audit/index.ts';
import type { Clock, Ctx, Ids } from '../kernel.ts';
import type { Mailing } from '../mailing/index.ts';
import type { NewNotice, Notifications } from '../notifications/index.ts';
import type { Reader } from '../notifications/ports.ts';
import type { Tx } from '../tx.ts';
import { EVENTS, type EventName, type PayloadOf } from './catalogue.ts';
import type { EventMail, EventNotification } from './declare.ts';

interface Deps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly notifications: Pick<Notifications, 'notify' | 'mailTime'>;
  readonly mailing: Pick<Mailing, 'sendTo'>;
}
/** Runs in the transaction of the event: what it throws rolls everything back. No network, no waiting. */
interface SubscriptionTo<N extends EventName> {
  readonly event: N;
  readonly run: (tx: Tx, payload: PayloadOf<N>) => Promise<unknown>;
}
export type Subscription = { readonly [N in EventName]: SubscriptionTo<N> }[EventName];
export type Events = ReturnType<typeof createEvents>;

/** What a module does when an event of another happens. */
export function subscriber<N extends EventName>(event: N, run: SubscriptionTo<N>['run']): SubscriptionTo<N> {
  return { event, run };
}

/**
 * Events: what others want to hear of. Each is declared once (catalogue.ts), with what it causes by itself: a row of
 * the audit log, notifications, e-mails. Modules hear of each other's through subscriptions, which composition puts in
 * order.
 */
export function createEvents(deps: Deps) {
  const subscriptions: Subscription[] = [];

  /** Adds subscriptions behind those that are there: an event's run in this order. */
  function subscribe(more: readonly Subscription[]): void {
    subscriptions.push(...more);
  }

  /** The notifications of an event: to its user, or to each of the staff whom it concerns. */
  async function noticesOf<P>(
    tx: Tx,
    { kind, to, data, key, ways }: EventNotification<P>,
    payload: P,
  ): Promise<NewNotice[]> {
    const facts = data?.(payload) ?? {};
    const uniqueKey = key?.(payload) ?? null;
    if (typeof to === 'function')
      return [{ userId: to(payload), kind, data: facts, uniqueKey, outside: ways?.(payload) }];
    const holders = await tx.access.holders(to.permissions, to.limit);
    return holders.map((userId) => ({ userId, kind, data: facts, uniqueKey: `${uniqueKey}:${userId}` }));
  }

  /** Mails the user of an event, unless they want no mail of its kind at once. `known`: those whom it notified. */
  async function mail<P>(
    tx: Tx,
    { template, to, data, key, untilMs, ticketId }: EventMail<P>,
    payload: P,
    known: ReadonlyMap<string, Reader>,
  ): Promise<void> {
    const userId = to(payload);
    const until = untilMs?.(payload);
    const from = isNotificationKind(template)
      ? await deps.notifications.mailTime(tx, userId, template, known)
      : undefined;
    if (from === null) return;
    // What would be past by the end of the quiet hours does not wait for it.
    const fromMs = until !== undefined && from !== undefined && from >= until ? undefined : from;
    const more = { untilMs: until, fromMs, ticketId: ticketId?.(payload), contact: known.get(userId)?.contact };
    await deps.mailing.sendTo(tx, userId, template, data(payload, deps.clock.now()), key?.(payload), more);
  }

  /**
   * Says in the running transaction that something happened: it leaves its row in the audit log under `by` (null: the
   * system), notifies, mails and runs the subscriptions, in this order. All of it is part of the transaction: rolled
   * back, nobody heard. Throws what a subscription throws, and ZodError for what is no payload of the event.
   */
  async function emit<N extends EventName>(
    tx: Tx,
    name: N,
    payload: PayloadOf<N>,
    by: Ctx | null = null,
  ): Promise<void> {
    const event = EVENTS[name];
    const checked = z.parse(event.payload, payload);
    const { audit, notifications = [], mails = [] } = event;
    if (audit)
      await writeAudit(tx, deps, by, {
        action: audit.action,
        target: audit.target(checked),
        before: audit.before?.(checked),
        after: audit.after?.(checked),
      });
    const notices: NewNotice[] = [];
    const byId = by?.actor?.userId ?? null;
    for (const each of notifications)
      if (each.when?.(checked, byId) ?? true) notices.push(...(await noticesOf(tx, each, checked)));
    const known = await deps.notifications.notify(tx, notices);
    for (const each of mails) if (each.when?.(checked) ?? true) await mail(tx, each, checked, known);
    for (const each of subscriptions) if (isTo(each, name)) await each.run(tx, checked);
  }

  return { emit, subscribe };
}

function isTo<N extends EventName>(
  subscription: Subscription,
  name: N,
): subscription is Subscription & SubscriptionTo<N> {
  return subscription.event === name;
}
