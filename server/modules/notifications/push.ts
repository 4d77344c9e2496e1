import { DomainError } from '#shared/errors.ts';
import { isPushService } from '#shared/push.ts';
import type { SettingValues } from '#shared/settings.ts';
import { MINUTE } from '#shared/time.ts';
import { deviceName } from '../audit/index.ts';
import { enqueue } from '../jobs/index.ts';
import type { Clock, Ids, Sealer, SignedIn } from '../kernel.ts';
import type { Tx, UnitOfWork } from '../tx.ts';
import type { PushKeys, PushSender, PushSubscription, PushTarget } from './push-ports.ts';

export const PUSH_JOB = 'notifications.push';
/** Tries of one push. */
const PUSH_ATTEMPTS = 5;
/** Browsers of one user; another one takes the place of the oldest. */
const DEVICES_MAX = 10;
/** Notifications of a user in a minute, above which none is pushed: they are in the app (services, webpush). */
const PER_MINUTE = 20;
const SEALED = { purpose: 'push', place: 'vapid' } as const;

export interface PushDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly sealer: Sealer;
  readonly settings: { current(): Pick<SettingValues, 'push_enabled'> };
  readonly sender: PushSender;
}
/** What the job of a push is given; without a notification it is a test. */
export interface PushPayload {
  readonly subscriptionId: string;
  readonly notificationId: string | null;
}
export type Push = ReturnType<typeof createPush>;

/** Pushes to browsers (behaviour 7.5): who takes them, and the keys by which push services know the installation. */
export function createPush(deps: PushDeps) {
  const { uow, clock, ids, settings } = deps;

  /** Has a notification pushed to every browser of its user, not before a moment (UTC ms). */
  async function enqueuePushes(
    tx: Tx,
    { id, userId }: { readonly id: string; readonly userId: string },
    fromMs: number,
  ): Promise<void> {
    if (!settings.current().push_enabled) return;
    const subscriptions = await tx.push.listOf(userId);
    if (subscriptions.length === 0) return;
    if ((await tx.notifications.countSince(userId, clock.now() - MINUTE)) > PER_MINUTE) return;
    for (const each of subscriptions) await addJob(tx, { subscriptionId: each.id, notificationId: id }, fromMs);
  }

  const addJob = (tx: Tx, payload: PushPayload, runAtMs: number) =>
    enqueue(tx, ids, clock, {
      kind: PUSH_JOB,
      payload,
      uniqueKey: `push:${payload.subscriptionId}:${payload.notificationId ?? 'test'}`,
      maxAttempts: PUSH_ATTEMPTS,
      runAtMs,
    });

  /** The key that browsers subscribe with, and the caller's browsers; null where the host pushes nothing. */
  async function get({ actor }: SignedIn): Promise<{ key: string; devices: PushSubscription[] } | null> {
    if (!settings.current().push_enabled) return null;
    const { publicKey } = await getKeys(deps);
    return { key: publicKey, devices: await uow.read((tx) => tx.push.listOf(actor.userId)) };
  }

  /**
   * Notes that the caller's browser takes pushes, until its session ends; whoever had the same browser before loses it.
   * Throws FORBIDDEN where the host pushes nothing or no browser calls, VALIDATION_FAILED at `endpoint` for what is no
   * push service of browsers (attacks T44).
   */
  async function subscribe({ actor, userAgent }: SignedIn, target: PushTarget): Promise<void> {
    if (!settings.current().push_enabled || actor.sessionId === '') throw new DomainError('FORBIDDEN');
    if (!isPushService(target.endpoint))
      throw new DomainError('VALIDATION_FAILED', { fields: { endpoint: ['INVALID'] } });
    const { userId, sessionId } = actor;
    await uow.run(async (tx) => {
      const others = (await tx.push.listOf(userId)).filter(({ endpoint }) => endpoint !== target.endpoint);
      for (const old of others.slice(DEVICES_MAX - 1)) await tx.push.remove(old.id);
      const own = { id: ids.uuid(), userId, sessionId, device: deviceName(userAgent) };
      await tx.push.put({ ...target, ...own, createdMs: clock.now(), reachedMs: null });
    });
  }

  /** One of the caller's browsers takes none any more. Throws NOT_FOUND. */
  async function unsubscribe({ actor }: SignedIn, id: string): Promise<void> {
    await uow.run(async (tx) => {
      if ((await tx.push.find(id))?.userId !== actor.userId) throw new DomainError('NOT_FOUND');
      await tx.push.remove(id);
    });
  }

  /** Sends a push to each of the caller's browsers. Out: how many there are. */
  async function sendTest({ actor }: SignedIn): Promise<number> {
    if (!settings.current().push_enabled) return 0;
    return uow.run(async (tx) => {
      const devices = await tx.push.listOf(actor.userId);
      for (const { id } of devices) await addJob(tx, { subscriptionId: id, notificationId: null }, clock.now());
      return devices.length;
    });
  }

  return { enqueue: enqueuePushes, get, subscribe, unsubscribe, sendTest };
}

/**
 * The keys of the installation, made when they are first needed. Those that the key of the installation does not open
 * are replaced, and every subscription ends with them: push services would refuse what is signed otherwise.
 */
export async function getKeys({
  uow,
  clock,
  sealer,
  sender,
}: Pick<PushDeps, 'uow' | 'clock' | 'sealer' | 'sender'>): Promise<PushKeys> {
  for (;;) {
    const stored = await uow.read((tx) => tx.push.findKeys());
    if (stored) {
      const opened = sealer.open(SEALED.purpose, SEALED.place, stored.privateKey);
      if ('text' in opened) return { ...stored, privateKey: opened.text };
      await uow.run((tx) => tx.push.removeKeys(stored.publicKey));
    }
    const made = await sender.createKeys();
    const privateKey = sealer.seal(SEALED.purpose, SEALED.place, made.privateKey);
    // Another process may have been first: then its keys hold.
    await uow.run((tx) => tx.push.addKeys({ ...made, privateKey }, clock.now()));
  }
}
