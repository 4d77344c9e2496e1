import { DomainError } from '#shared/errors.ts';
import { SOURCE_NAMES, type EarningSource } from '#shared/earning-sources.ts';
import type { AffectedCount, SettingEffect } from '#shared/setting-effects.ts';
import type { SettingKey, SettingValues } from '#shared/settings.ts';
import { dayIn } from '#shared/time.ts';
import type { Clock } from '../kernel.ts';
import type { LongReads } from '../tx.ts';
import type { AffectedQuestion } from './ports.ts';

/** More than these are not counted: counting is a walk, and nobody decides by the figures behind it. */
const COUNTED_MAX = 1000;
/** How long counting may take, ms; without its figures a change is reviewed all the same. */
const LIMIT_MS = 2000;

interface Change {
  readonly before: string | number | boolean;
  readonly after: string | number | boolean;
}
interface Now {
  readonly nowMs: number;
  /** The running day of `app_timezone`, YYYY-MM-DD. */
  readonly day: string;
  /** The host name of the installation's address. */
  readonly host: string;
}
/** In: a change. Out: what to count; null where nobody who is here now notices it. */
type Effect = (change: Change, now: Now) => AffectedQuestion | null;

/** Counts whatever the new value is, only when something is turned off, only when it is turned on. */
const always =
  (
    who: Exclude<
      SettingEffect,
      'usersWithoutFactor' | 'usersAtCap' | 'openOrders' | 'signedInStaff' | 'droppedBackups'
    >,
  ): Effect =>
  () => ({ who });
const whenOff =
  (effect: Effect): Effect =>
  (change, now) =>
    change.after === false ? effect(change, now) : null;
const whenOn =
  (effect: Effect): Effect =>
  (change, now) =>
    change.after === true ? effect(change, now) : null;

const ordersOf =
  (provider: 'stripe' | 'paypal' | 'manual' | null): Effect =>
  () => ({ who: 'openOrders', provider });
const signedInStaff: Effect = (_, { nowMs }) => ({ who: 'signedInStaff', nowMs });

/** A lower cap stops those who have already earned as much today; 0 is none. */
const capOf =
  (source: EarningSource): Effect =>
  ({ before, after }, { day }) => {
    const isLower = Number(after) > 0 && (before === 0 || Number(after) < Number(before));
    return isLower ? { who: 'usersAtCap', source, day, cap: Number(after) } : null;
  };

/**
 * Whom changes of settings affect at once. Settings that hold for what comes later (limits of new users, prices of the
 * store) have no row.
 */
const EFFECTS: Readonly<Partial<Record<SettingKey, Effect>>> = {
  // Their days and dates; the days of caps begin at another hour for everybody.
  app_timezone: always('usersWithoutZone'),
  // A passkey works at the domain alone that it was made for.
  app_url: ({ after }, { host }) =>
    after === '' || hostOf(String(after)) === host ? null : { who: 'usersWithPasskey' },
  force_2fa: ({ after }) => (after === 'nobody' ? null : { who: 'usersWithoutFactor', staffOnly: after === 'staff' }),
  mail_verification: whenOn(always('unconfirmedUsers')),
  zero_trust_enabled: whenOn(signedInStaff),
  zero_trust_staff_networks: signedInStaff,
  afk_enabled: whenOff(always('afkSessions')),
  afk_per_minute: always('afkSessions'),
  code_redemption_enabled: whenOff(always('usableCodes')),
  referrals_enabled: whenOff(always('openReferrals')),
  credits_recharge_enabled: whenOff(ordersOf(null)),
  stripe_enabled: whenOff(ordersOf('stripe')),
  paypal_enabled: whenOff(ordersOf('paypal')),
  manual_payments_enabled: whenOff(ordersOf('manual')),
  currency: ordersOf(null),
  allow_tickets: whenOff(always('openTickets')),
  allow_servers: whenOff(always('queueEntries')),
  queue_give_up_hours: always('queueEntries'),
  server_renew_enabled: always('renewedServers'),
  server_renew_cost: always('renewedServers'),
  server_renew_days: always('renewedServers'),
  renew_grace_days: always('expiredServers'),
  mail_host: always('queuedMails'),
  mail_per_minute: always('queuedMails'),
  ...(Object.fromEntries(SOURCE_NAMES.map((source) => [`${source}_daily_cap`, capOf(source)])) as Partial<
    Record<SettingKey, Effect>
  >),
};

const hostOf = (address: string): string => URL.parse(address)?.hostname ?? '';

export interface EffectDeps {
  readonly long: LongReads;
  readonly clock: Clock;
  readonly settings: { current(): SettingValues };
  /** The address of the installation. */
  readonly appUrl: () => string;
  /** How many daily backups go with the next one, where so many are kept from now on. */
  readonly countDroppedBackups: (keep: number) => number;
}

/** Counts whom changes of settings affect, away from the thread that answers everybody. */
export function createSettingEffects({ long, clock, settings, appUrl, countDroppedBackups }: EffectDeps) {
  /** Backups are files: they are counted where they lie. */
  function droppedBackups(change: Change | undefined): AffectedCount | null {
    const count =
      change && Number(change.after) < Number(change.before) ? countDroppedBackups(Number(change.after)) : 0;
    return count > 0 ? { who: 'droppedBackups', count, more: false } : null;
  }

  /** In: changes by their keys. Out: those that affect rows of the database that could be counted. */
  async function countRows(changes: ReadonlyMap<SettingKey, Change>): Promise<Map<SettingKey, AffectedCount>> {
    const nowMs = clock.now();
    const now = { nowMs, day: dayIn(nowMs, settings.current().app_timezone), host: hostOf(appUrl()) };
    const questions = [...changes].flatMap(([key, change]) => {
      const question = EFFECTS[key]?.(change, now);
      return question ? [{ key, question }] : [];
    });
    if (questions.length === 0) return new Map();
    try {
      return await long.read(
        async (tx) => {
          const counts = new Map<SettingKey, AffectedCount>();
          for (const { key, question } of questions) {
            const found = await tx.settings.countAffected(question, COUNTED_MAX + 1);
            counts.set(key, { who: question.who, count: Math.min(found, COUNTED_MAX), more: found > COUNTED_MAX });
          }
          return counts;
        },
        { for: 'visitor', limitMs: LIMIT_MS },
      );
    } catch (error) {
      // Too many wait for figures, or these take too long: what changes is shown without them.
      if (error instanceof DomainError && error.code === 'SERVER_UNAVAILABLE') return new Map();
      throw error;
    }
  }

  /** In: changes by their keys. Out: those that affect anybody who could be counted. */
  return async (changes: ReadonlyMap<SettingKey, Change>): Promise<ReadonlyMap<SettingKey, AffectedCount>> => {
    const counts = await countRows(changes);
    const dropped = droppedBackups(changes.get('backup_keep'));
    return dropped ? counts.set('backup_keep', dropped) : counts;
  };
}
