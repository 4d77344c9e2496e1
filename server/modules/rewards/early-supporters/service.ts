import { HOUR } from '#shared/time.ts';
import type { Tx } from '../../tx.ts';
import { currentChecks, type Checks } from '../referrals/index.ts';
import type { SupportersDeps } from './deps.ts';
import { followUsers } from './follow.ts';
import { pay, takePlace } from './places.ts';
import type { Supporter, SupporterReason } from './ports.ts';

/** Users checked in one run of the task, and accounts looked at in one step of the walk; the rest follow. */
const BATCH = 200;
const STEP = 1000;
/** Steps of the walk in one run. */
const STEPS = 10;

/** What the dashboard says of early supporters. */
interface SupporterView {
  /** Places that are free, and all there are. */
  readonly left: number;
  readonly count: number;
  /** Credits of the caller's reward: theirs once it is fixed, what the setting says before. */
  readonly credits: number;
  readonly state: Supporter['state'];
  readonly reason: SupporterReason | null;
  /** Which conditions the caller meets; null once they have met them all. */
  readonly checks: Checks | null;
}
export type EarlySupporters = ReturnType<typeof createEarlySupporters>;

/**
 * Early supporters (behaviour 4.7): the first so many users who qualify as a referred newcomer would get credits once,
 * and a badge. A place is taken when they qualify, so that what delays the reward costs nobody their place.
 */
export function createEarlySupporters(deps: SupportersDeps) {
  const { uow, clock, log } = deps;
  const isEnabled = () => deps.settings.current().early_supporters_enabled;
  const count = () => deps.settings.current().early_supporters_count;

  /** Checks one user and pays what is due. Safe to run twice, at once, and again after a crash at any point. */
  async function check(userId: string): Promise<void> {
    if (!isEnabled()) return;
    const isQualified = await uow.run((tx) => takePlace(deps, tx, userId));
    if (isQualified) await pay(deps, userId);
  }

  /** Checks what is due. For the scheduler. Out: how many were checked. */
  async function checkDue(): Promise<number> {
    if (!isEnabled()) {
      // Who qualifies while the feature is off is found by the next walk.
      if (await uow.read((tx) => tx.earlySupporters.hasWalked())) await uow.run((tx) => tx.earlySupporters.rewind());
      return 0;
    }
    if (await hasPlaces()) await walk();
    const due = await listDue();
    for (const userId of due)
      // One that fails holds up no other; it is checked again later.
      await check(userId).catch(async (error: unknown) => {
        log.error('early_supporter.check_failed', { user: userId, error: String(error) });
        await uow.run((tx) => tx.earlySupporters.change(userId, { nextCheckMs: clock.now() + HOUR }));
      });
    return due.length;
  }

  const hasPlaces = () => uow.read(async (tx) => (await tx.earlySupporters.taken()) < count());

  /** Users who are to be checked: those with a place first; who waits for one only where one is free. */
  function listDue(): Promise<string[]> {
    return uow.read(async (tx) => {
      const now = clock.now();
      const qualified = await tx.earlySupporters.due('qualified', now, BATCH);
      if ((await tx.earlySupporters.taken()) >= count()) return qualified;
      return [...qualified, ...(await tx.earlySupporters.due('pending', now, BATCH))];
    });
  }

  /** Takes up accounts that played before the feature was on. */
  async function walk(): Promise<void> {
    const { referral_afk_minutes: afkMinutes, referral_min_age_hours: hours } = deps.settings.current();
    for (let step = 0; step < STEPS; step += 1) {
      const seen = await uow.run((tx) =>
        tx.earlySupporters.walk({ afkMinutes, minAgeMs: hours * HOUR }, clock.now(), STEP),
      );
      if (seen < STEP) return;
    }
  }

  /** What the caller's dashboard shows; null where the feature is off. */
  async function view(tx: Tx, userId: string): Promise<SupporterView | null> {
    const user = isEnabled() ? await tx.identity.findUser(userId) : null;
    if (!user) return null;
    const own = await tx.earlySupporters.find(userId);
    const state = own?.state ?? 'pending';
    return {
      left: Math.max(0, count() - (await tx.earlySupporters.taken())),
      count: count(),
      credits: own && state !== 'pending' ? own.credits : deps.settings.current().early_supporters_amount,
      state,
      reason: own?.reason ?? null,
      checks: state === 'pending' ? await currentChecks(deps, tx, user) : null,
    };
  }

  return { check, checkDue, view, subscriptions: followUsers(deps) };
}
