import {
  isAlways,
  NOTIFICATION_KINDS,
  waysOf,
  type NotificationFacts,
  type NotificationKind,
  type NotificationSubject,
  type NotificationWays,
} from '#shared/notifications.ts';
import { notificationPath } from '#shared/notification-path.ts';
import { MAIL_TEMPLATES } from '#shared/mails.ts';
import { href } from '#shared/routes/href.ts';
import type { SettingValues } from '#shared/settings.ts';
import type { Clock, Ids } from '../kernel.ts';
import type { Mailing } from '../mailing/index.ts';
import type { Tx, UnitOfWork } from '../tx.ts';
import { DEFAULT_TIMES, zoneOf } from './choices.ts';
import { endOfQuiet, nextHour } from './hours.ts';
import type { NotificationRow, Reader } from './ports.ts';
import type { Push } from './push.ts';
import { sentenceOf, type SentenceTexts } from './sentence.ts';

/** Rows the bell shows, newest first. */
const SHOWN = 50;

/** Kinds for which the product has a mail of their own: of the same name, and caused by the same event. */
const OWN_MAILS: ReadonlySet<string> = new Set(MAIL_TEMPLATES);

export interface NotificationDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly mailing: Pick<Mailing, 'sendTo'>;
  readonly settings: { current(): Pick<SettingValues, 'app_timezone'> };
  readonly texts: SentenceTexts;
  /** Absent: nothing is pushed. */
  readonly push?: Pick<Push, 'enqueue'>;
}
export type NotificationData = NotificationFacts;
/** Which ways out of the app a notification has, to whoever chose them. */
export interface OutsideWays {
  readonly mail: boolean;
  readonly push: boolean;
}
const ALL_WAYS: OutsideWays = { mail: true, push: true };
/** A notification before it is written. */
export interface NewNotice {
  readonly userId: string;
  readonly kind: NotificationKind;
  /** The data of its sentence. */
  readonly data?: NotificationFacts;
  /** For what is made only once. */
  readonly uniqueKey?: string | null;
  /** All when absent. */
  readonly outside?: OutsideWays | undefined;
}
export type Notifications = ReturnType<typeof createNotifications>;

/**
 * Notifications (behaviour 7.5): in the app, by mail at once, in one mail a day, and pushed to browsers, as their users
 * chose (decision 068). The server keeps a kind and its data; the sentence in the app is the client's.
 */
export function createNotifications(deps: NotificationDeps) {
  const { uow, clock, ids } = deps;

  /**
   * Notifies users, each by the ways that they chose for the kind: one question and one statement, however many there
   * are. Of two with the same key the second is ignored. Out: what was read of them, by their ids.
   */
  async function notify(tx: Tx, notices: readonly NewNotice[]): Promise<ReadonlyMap<string, Reader>> {
    if (notices.length === 0) return new Map();
    const readers = await tx.notifications.listReaders([...new Set(notices.map(({ userId }) => userId))]);
    const made = notices.map(({ userId, kind, data = {}, uniqueKey = null, outside = ALL_WAYS }) => {
      const reader = readers.get(userId) ?? null;
      const wanted = waysOf(reader?.chosen?.choices ?? {}, NOTIFICATION_KINDS[kind]);
      const ways: NotificationWays = {
        ...wanted,
        mail: outside.mail ? wanted.mail : 'off',
        push: wanted.push && outside.push && reader?.hasBrowser === true,
      };
      return { notice: { id: ids.uuid(), userId, kind, data }, uniqueKey, ways, reader };
    });
    const added = await tx.notifications.addAll(
      made.map(({ notice, uniqueKey, ways }) => ({
        ...notice,
        uniqueKey,
        createdMs: clock.now(),
        shown: ways.app,
        digest: ways.mail === 'daily',
      })),
    );
    for (const { notice, ways, reader } of made) {
      if (!added.has(notice.id)) continue;
      if (ways.app) tx.touch(`notifications:${notice.userId}`);
      if (reader) await sendOutside(tx, deps, notice, { ways, reader });
    }
    return readers;
  }

  /**
   * When a mail of a kind may leave to a user, in UTC ms: now, or when their quiet hours end. Null: they want none, or
   * it stands in their mail of the day. `known`: what `notify` read of them in this transaction.
   */
  async function mailTime(
    tx: Tx,
    userId: string,
    kind: NotificationKind,
    known?: ReadonlyMap<string, Reader>,
  ): Promise<number | null> {
    const reader = known?.get(userId) ?? (await tx.notifications.listReaders([userId])).get(userId);
    if (!reader || waysOf(reader.chosen?.choices ?? {}, NOTIFICATION_KINDS[kind]).mail !== 'now') return null;
    return timeOf(deps, NOTIFICATION_KINDS[kind], reader);
  }

  /** The newest notifications of a user, and how many are unread. */
  function list(userId: string): Promise<{ unread: number; rows: NotificationRow[] }> {
    return uow.read(async (tx) => ({
      unread: await tx.notifications.unread(userId),
      rows: await tx.notifications.latest(userId, SHOWN),
    }));
  }

  /** Marks one notification of a user as read; does nothing where there is none, or it is read already. */
  function markRead(userId: string, id: string): Promise<void> {
    return uow.run(async (tx) => {
      if (await tx.notifications.markRead(userId, id, clock.now())) tx.touch(`notifications:${userId}`);
    });
  }

  /** Marks all notifications of a user as read. */
  async function markAllRead(userId: string): Promise<void> {
    const unread = await uow.read((tx) => tx.notifications.unread(userId));
    if (unread === 0) return;
    await uow.run(async (tx) => {
      await tx.notifications.markAllRead(userId, clock.now());
      tx.touch(`notifications:${userId}`);
    });
  }

  return { notify, mailTime, list, markRead, markAllRead };
}

interface Notice {
  readonly id: string;
  readonly userId: string;
  readonly kind: NotificationKind;
  readonly data: NotificationFacts;
}

/** Mails and pushes a notification, or has it wait for the mail of the day. */
async function sendOutside(
  tx: Tx,
  deps: NotificationDeps,
  { id, userId, kind, data }: Notice,
  { ways, reader }: { readonly ways: NotificationWays; readonly reader: Reader },
): Promise<void> {
  const subject = NOTIFICATION_KINDS[kind];
  const isAtOnce = ways.mail === 'now' && !OWN_MAILS.has(kind);
  const { chosen, contact } = reader;
  const fromMs = timeOf(deps, subject, reader);
  if (ways.push) await deps.push?.enqueue(tx, { id, userId }, fromMs);
  if (ways.mail === 'daily') {
    const { digestHour } = chosen ?? DEFAULT_TIMES;
    await tx.notifications.addDigest(userId, nextHour(deps.clock.now(), digestHour, zoneOf(deps, contact)));
  }
  if (isAtOnce) {
    const { locale } = contact;
    const sentence = sentenceOf(deps.texts, { kind, data }, { locale, timeZone: zoneOf(deps, contact) });
    const path = notificationPath(kind, data) ?? href('dashboard');
    await deps.mailing.sendTo(tx, userId, 'notification', { sentence, path }, `notification:${id}`, {
      fromMs,
      contact,
    });
  }
}

/** When mails and pushes of a subject may leave to a user: security at any hour. UTC ms. */
function timeOf(
  deps: Pick<NotificationDeps, 'clock' | 'settings'>,
  subject: NotificationSubject,
  { chosen, contact }: Pick<Reader, 'chosen' | 'contact'>,
): number {
  const nowMs = deps.clock.now();
  if (!chosen?.quiet || isAlways(subject)) return nowMs;
  return endOfQuiet(nowMs, chosen.quiet, zoneOf(deps, contact));
}
