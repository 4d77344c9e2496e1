import { notificationPath } from '#shared/notification-path.ts';
import { NOTIFICATION_KINDS, isAlways, isNotificationKind } from '#shared/notifications.ts';
import type { PushText } from '#shared/push.ts';
import { href } from '#shared/routes/href.ts';
import type { SettingValues } from '#shared/settings.ts';
import { DAY, HOUR, MINUTE, SECOND } from '#shared/time.ts';
import type { LeasedJob } from '../jobs/index.ts';
import type { Log, SignedIn } from '../kernel.ts';
import { findText } from '../mailing/index.ts';
import type { Tx } from '../tx.ts';
import { getKeys, type PushDeps, type PushPayload } from './push.ts';
import type { PushMessage, PushOutcome, PushSubscription } from './push-ports.ts';
import { sentenceOf, type SentenceTexts } from './sentence.ts';

/** A push service keeps a push so long for a browser that is away. */
const TTL_S = DAY / SECOND;
/** Characters of a sentence: a screen shows fewer. */
const BODY_MAX = 300;

interface Deps extends PushDeps {
  readonly log: Log;
  readonly texts: SentenceTexts;
  readonly settings: { current(): Pick<SettingValues, 'push_enabled' | 'app_name' | 'app_timezone'> };
}

/**
 * The job of one push to one browser. An answer that got lost means another try: the push has the same topic and tag
 * then, so that it takes the place of the first, and nobody sees two.
 */
export function createPushJob(deps: Deps) {
  const { uow, clock, settings, sender, log } = deps;
  type Job = Pick<LeasedJob, 'id' | 'leaseToken' | 'attempts' | 'maxAttempts'>;
  const finish = (tx: Tx, job: Job) => tx.jobs.finish(job.id, job.leaseToken, clock.now());

  async function record(job: Job, { id }: PushSubscription, outcome: PushOutcome): Promise<void> {
    const error = 'error' in outcome ? outcome.error : '';
    await uow.run(async (tx) => {
      if (outcome.kind === 'later' && job.attempts < job.maxAttempts) {
        const pauseMs = outcome.afterMs ?? Math.min(MINUTE * 4 ** (job.attempts - 1), HOUR);
        await tx.jobs.retry(job.id, job.leaseToken, clock.now() + pauseMs, error);
        return;
      }
      if (outcome.kind === 'sent') await tx.push.markReached(id, clock.now());
      // The browser took its permission back, or is gone.
      if (outcome.kind === 'gone') await tx.push.remove(id);
      await finish(tx, job);
    });
    if (error !== '') log.warn(`push.${outcome.kind}`, { subscription_id: id, error, attempt: job.attempts });
  }

  return {
    leaseMs: MINUTE,
    endsItself: true,
    async handle(payload: unknown, job: Job): Promise<void> {
      const { subscriptionId, notificationId } = payload as PushPayload;
      const found = await uow.read(async (tx) => {
        const subscription = await tx.push.find(subscriptionId);
        const message = subscription && (await messageFor(tx, deps, subscription, notificationId));
        return subscription && message && { subscription, message };
      });
      if (!found || !settings.current().push_enabled) return void (await uow.run((tx) => finish(tx, job)));
      const { subscription, message } = found;
      await record(job, subscription, await sender.send(await getKeys(deps), subscription, message));
    },
  };
}

/** What a browser is sent; null where there is nothing to say any more, because it was read meanwhile. */
async function messageFor(
  tx: Tx,
  { texts, settings }: Pick<Deps, 'texts' | 'settings'>,
  { userId }: PushSubscription,
  notificationId: string | null,
): Promise<PushMessage | null> {
  const contact = await tx.identity.findContact(userId);
  if (!contact) return null;
  const { app_name: title, app_timezone: ownZone } = settings.current();
  const said = notificationId === null ? null : await tx.notifications.find(notificationId);
  if (notificationId !== null && (said === null || (said.shown && said.read))) return null;
  const reader = { locale: contact.locale, timeZone: contact.timeZone ?? ownZone };
  const body = said ? sentenceOf(texts, said, reader) : findText(texts, contact.locale, ['pushTest']);
  const path = (said && notificationPath(said.kind, said.data)) ?? href('dashboard');
  const tag = notificationId ?? 'test';
  const text: PushText = { title, body: body.slice(0, BODY_MAX), path, tag };
  const isUrgent = said !== null && isNotificationKind(said.kind) && isAlways(NOTIFICATION_KINDS[said.kind]);
  return {
    text: JSON.stringify(text),
    ttlS: TTL_S,
    urgency: isUrgent ? 'high' : 'normal',
    topic: tag.replaceAll('-', '').slice(0, 32),
  };
}

/**
 * Tries what a push takes: sends one to the newest browser of whoever asks, at once. Out: what it is called and what
 * came of it; null where they have none, or the host pushes nothing.
 */
export function createPushTest(deps: Deps) {
  return async ({ actor }: Pick<SignedIn, 'actor'>): Promise<{ device: string; outcome: PushOutcome } | null> => {
    if (!deps.settings.current().push_enabled) return null;
    const found = await deps.uow.read(async (tx) => {
      const [subscription] = await tx.push.listOf(actor.userId);
      const message = subscription && (await messageFor(tx, deps, subscription, null));
      return subscription && message && { subscription, message };
    });
    if (!found) return null;
    const { subscription, message } = found;
    const outcome = await deps.sender.send(await getKeys(deps), subscription, message);
    if (outcome.kind === 'gone') await deps.uow.run((tx) => tx.push.remove(subscription.id));
    return { device: subscription.device, outcome };
  };
}
