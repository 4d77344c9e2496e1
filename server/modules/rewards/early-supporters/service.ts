import { DomainError } from '#shared/errors.ts';
import type { SettingValues } from '#shared/settings.ts';
import { DAY, HOUR } from '#shared/time.ts';
import { subscriber, type Events } from '../../events/index.ts';
import type { Clock, Log } from '../../kernel.ts';
import type { Tx, UnitOfWork } from '../../tx.ts';
import type { Payout } from '../payout/index.ts';
import { currentChecks, qualifies, recheckDelay, type Checks } from '../referrals/index.ts';
import type { Supporter, SupporterReason } from './ports.ts';

/** Users checked in one run of the task, and accounts looked at in one step of the walk; the rest follow. */
const BATCH = 200;
const STEP = 1000;
/** Steps of the walk in one run. */
const STEPS = 10;

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: { current(): SettingValues };
  readonly payout: Pick<Payout, 'pay'>;
  readonly events: Pick<Events, 'emit'>;
  /** Whether addresses have to be confirmed (the setting, and mails leave the house). */
  readonly asksVerification: () => boolean;
}
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

/** The ledger's reference of a user's reward (behaviour 2, 4.7). */
const referenceOf = (userId: string): string => `early_supporters:${userId}`;

/**
 * Early supporters (behaviour 4.7): the first so many users who qualify as a referred newcomer would get credits once,
 * and a badge. A place is taken when they qualify, so that what delays the reward costs nobody their place.
 */
export function createEarlySupporters(deps: Deps) {
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

  /** Whose turn it is: those with a place first; who waits for one only where there is one. */
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

  /** Something happened that may let a user qualify: they are checked in the task's next run. */
  async function nominate(tx: Tx, userId: string): Promise<void> {
    if (!isEnabled()) return;
    const user = await tx.identity.findUser(userId);
    if (!user) return;
    const { referral_min_age_hours: hours } = deps.settings.current();
    const now = clock.now();
    await tx.earlySupporters.nominate(userId, now, Math.max(now, user.createdMs + hours * HOUR));
  }

  /** Notes what became of a reward on hold; nothing where the reference is none of ours. */
  async function recordDecision(tx: Tx, reference: string, outcome: 'released' | 'rejected'): Promise<void> {
    const userId = /^early_supporters:(.+)$/.exec(reference)?.[1];
    if (userId === undefined) return;
    const row = await tx.earlySupporters.lock(userId);
    if (row?.state !== 'held') return;
    await tx.earlySupporters.change(userId, { state: outcome === 'released' ? 'paid' : 'refused' });
    if (outcome === 'rejected') await tx.earlySupporters.releasePlace();
  }

  /** Ends what a deleted account waits for; its place is free again. What was paid stays in the books. */
  async function withdraw(tx: Tx, userId: string): Promise<void> {
    const row = await tx.earlySupporters.lock(userId);
    if (row?.state !== 'pending' && row?.state !== 'qualified') return;
    await tx.earlySupporters.change(userId, { state: 'refused' });
    if (row.state === 'qualified') await tx.earlySupporters.releasePlace();
  }

  const subscriptions = [
    subscriber('user.verified', (tx, { userId }) => nominate(tx, userId)),
    subscriber('server.ready', (tx, { userId }) => nominate(tx, userId)),
    subscriber('afk.minutes_paid', (tx, { userId }) => nominate(tx, userId)),
    subscriber('user.deleted', (tx, { userId }) => withdraw(tx, userId)),
    subscriber('reward.released', (tx, { reference }) => recordDecision(tx, reference, 'released')),
    subscriber('reward.rejected', (tx, { reference }) => recordDecision(tx, reference, 'rejected')),
  ];
  return { check, checkDue, view, subscriptions };
}

/** Gives a user who qualifies a place. Out: whether they have one and their reward is still to be paid. */
async function takePlace(deps: Deps, tx: Tx, userId: string): Promise<boolean> {
  const user = await tx.identity.lockUser(userId);
  const row = await tx.earlySupporters.lock(userId);
  if (row?.state !== 'pending') return row?.state === 'qualified';
  const now = deps.clock.now();
  const checks = user?.status === 'active' ? await currentChecks(deps, tx, user) : null;
  if (!checks || !qualifies(checks)) {
    const nextCheckMs = now + (checks ? recheckDelay(now - row.createdMs) : DAY);
    await tx.earlySupporters.change(userId, { nextCheckMs });
    return false;
  }
  const { early_supporters_count: count, early_supporters_amount: credits } = deps.settings.current();
  // Without a place they stay due, so that they have the next one that is free.
  if (!(await tx.earlySupporters.takePlace(count))) return false;
  await tx.earlySupporters.change(userId, { state: 'qualified', credits, qualifiedMs: now, nextCheckMs: now });
  return true;
}

/** Pays a user who has a place, in a transaction of its own: once, whatever runs it how often. */
async function pay(deps: Deps, userId: string): Promise<void> {
  try {
    await deps.uow.run((tx) => payOnce(deps, tx, userId));
  } catch (error) {
    const code = error instanceof DomainError ? error.code : null;
    if (code !== 'BUDGET_SPENT' && code !== 'DAILY_CAP_REACHED') throw error;
    await deps.uow.run((tx) => postpone(deps, tx, userId, code === 'BUDGET_SPENT' ? 'budget' : 'cap'));
  }
}

async function payOnce(deps: Deps, tx: Tx, userId: string): Promise<void> {
  const user = await tx.identity.lockUser(userId);
  const row = await tx.earlySupporters.lock(userId);
  if (row?.state !== 'qualified') return;
  if (user?.status !== 'active') {
    // Banned or deleted in the moment between: the place is free again, and who comes back waits for one.
    await tx.earlySupporters.change(userId, { state: 'pending', nextCheckMs: deps.clock.now() + DAY });
    return tx.earlySupporters.releasePlace();
  }
  if (user.verifiedMs === null && deps.asksVerification()) return postpone(deps, tx, userId, 'unverified');
  const reward = { userId, amount: row.credits, reference: referenceOf(userId) };
  const paid = await deps.payout.pay(tx, { ...reward, source: 'early_supporters', subject: null });
  await tx.earlySupporters.change(userId, { state: paid.state, txId: paid.txId, reason: null });
  await deps.events.emit(tx, 'early_supporter.paid', { ...reward, held: paid.state === 'held' });
}

/** What waits is tried again within the hour, and keeps its place. */
async function postpone({ clock }: Deps, tx: Tx, userId: string, reason: SupporterReason): Promise<void> {
  const row = await tx.earlySupporters.lock(userId);
  if (row?.state === 'qualified') await tx.earlySupporters.change(userId, { reason, nextCheckMs: clock.now() + HOUR });
}
