import { isStaff } from '#shared/can.ts';
import {
  DIGEST_HOUR,
  NOTIFICATION_SUBJECTS,
  SUBJECT_NAMES,
  waysOf,
  type MailWay,
  type NotificationChoices,
  type NotificationSubject,
  type NotificationTimes,
  type NotificationWays,
} from '#shared/notifications.ts';
import type { SettingValues } from '#shared/settings.ts';
import type { Clock, SignedIn } from '../kernel.ts';
import type { MailContact } from '../mailing/ports.ts';
import type { Tx, UnitOfWork } from '../tx.ts';
import { nextHour } from './hours.ts';

/** Of whoever chose nothing. */
export const DEFAULT_TIMES: NotificationTimes = { digestHour: DIGEST_HOUR, quiet: null };

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly settings: { current(): Pick<SettingValues, 'app_timezone'> };
}
type ChosenWays = readonly (NotificationWays & { readonly subject: NotificationSubject })[];
export type NotificationSettings = ReturnType<typeof createNotificationChoices>;

/** The time zone of a user: their own, else the installation's. IANA name. */
export function zoneOf({ settings }: Pick<Deps, 'settings'>, user: Pick<MailContact, 'timeZone'> | null): string {
  return user?.timeZone ?? settings.current().app_timezone;
}

/** By which ways, and when, users want what they are notified of (behaviour 7.5). */
export function createNotificationChoices(deps: Deps) {
  const { uow, clock } = deps;
  /** Those that the caller may choose for. */
  const subjectsOf = ({ actor }: SignedIn): NotificationSubject[] =>
    SUBJECT_NAMES.filter((name) => NOTIFICATION_SUBJECTS[name].group !== 'staff' || isStaff(actor.permissions));

  /** What the caller chose, with the default where they did not, and their time zone. */
  function get(ctx: SignedIn): Promise<NotificationTimes & { timeZone: string; ways: ChosenWays }> {
    return uow.read(async (tx) => {
      const stored = await tx.notifications.findChoices(ctx.actor.userId);
      const { digestHour, quiet } = stored ?? DEFAULT_TIMES;
      return {
        digestHour,
        quiet,
        timeZone: zoneOf(deps, await tx.identity.findContact(ctx.actor.userId)),
        ways: subjectsOf(ctx).map((subject) => ({ subject, ...waysOf(stored?.choices ?? {}, subject) })),
      };
    });
  }

  /**
   * Stores what the caller chose. In: the subjects that come by each way; of what is not named, nothing comes. Of
   * subjects that the caller does not see, what was chosen stays; security stays on.
   */
  function save(
    ctx: SignedIn,
    chosen: NotificationTimes & {
      readonly app: readonly NotificationSubject[];
      readonly mail: Readonly<Partial<Record<NotificationSubject, MailWay>>>;
      readonly push: readonly NotificationSubject[];
    },
  ): Promise<void> {
    const { userId } = ctx.actor;
    return uow.run(async (tx) => {
      const stored = await tx.notifications.findChoices(userId);
      const choices: { -readonly [S in NotificationSubject]?: NotificationWays } = { ...stored?.choices };
      for (const name of subjectsOf(ctx)) {
        const mail = chosen.mail[name] ?? 'off';
        choices[name] = { app: chosen.app.includes(name), mail, push: chosen.push.includes(name) };
      }
      await write(tx, userId, choices, chosen);
    });
  }

  /** Gives the caller the ways of whoever chose nothing. */
  function reset({ actor }: SignedIn): Promise<void> {
    return uow.run((tx) => write(tx, actor.userId, {}, DEFAULT_TIMES));
  }

  async function write(tx: Tx, userId: string, choices: NotificationChoices, times: NotificationTimes): Promise<void> {
    const { digestHour, quiet } = times;
    const nowMs = clock.now();
    await tx.notifications.putChoices(userId, { choices, digestHour, quiet }, nowMs);
    const zone = zoneOf(deps, await tx.identity.findContact(userId));
    await tx.notifications.moveDigest(userId, nextHour(nowMs, digestHour, zone));
  }

  return { get, save, reset };
}
