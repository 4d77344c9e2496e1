import type { SettingValues } from '#shared/settings.ts';
import { HOUR } from '#shared/time.ts';
import { subscriber, type Events } from '../../events/index.ts';
import { networkOf } from '../../identity/index.ts';
import type { Clock, Ids, Log, SignedIn } from '../../kernel.ts';
import type { Tx, UnitOfWork } from '../../tx.ts';
import type { Payout } from '../payout/index.ts';
import { createReferralCodes } from './codes.ts';
import { currentChecks, evaluateReferral, type EvaluationDeps } from './evaluate.ts';
import { paySide, referenceOf } from './pay.ts';
import { monthStart, recheckDelay, type Checks } from './policy.ts';
import type { Invited, Referral, Side, Totals } from './ports.ts';

/** Referrals checked in one run of the task; the rest follow in the next. */
const BATCH = 200;

interface ReferralsDeps extends EvaluationDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly settings: { current(): SettingValues };
  readonly payout: Pick<Payout, 'pay'>;
  readonly events: Pick<Events, 'emit'>;
}
interface ReferralsPage {
  readonly code: string | null;
  readonly list: readonly Invited[];
  readonly totals: Totals;
  /** Rewards counted in this calendar month; the most of it is a setting. */
  readonly month: number;
  /** How the caller came here themselves, and what is still missing; null where nobody brought them. */
  readonly own: { readonly referral: Referral; readonly checks: Checks } | null;
}
export type Referrals = ReturnType<typeof createReferrals>;

/** Referrals (behaviour 4.4): a newcomer and the one who brought them are rewarded once the newcomer has settled in. */
export function createReferrals(deps: ReferralsDeps) {
  const { uow, clock, log } = deps;
  const enabled = () => deps.settings.current().referrals_enabled;

  const { makeCode, codeFor, findOwner, checkCode } = createReferralCodes(deps);

  /**
   * Joins the transaction that makes an account: gives it a code of its own and notes who brought it. A code that is
   * unknown stops nothing; the newcomer gets a notification. `address`: where they registered from.
   */
  async function addReferral(tx: Tx, newcomer: { userId: string; referral: string; address: string }): Promise<void> {
    const { userId } = newcomer;
    await codeFor(tx, userId);
    const { state, ownerId, code } = await findOwner(tx, newcomer.referral);
    if (state === 'unknown')
      await deps.events.emit(tx, 'referral.code_unknown', { userId, code: newcomer.referral.trim().slice(0, 40) });
    if (ownerId === null || ownerId === userId) return;
    const now = clock.now();
    const row = {
      newcomerId: userId,
      referrerId: ownerId,
      code,
      network: networkOf(newcomer.address),
      createdMs: now,
      nextCheckMs: now + HOUR,
    };
    await tx.referrals.add(row);
  }

  /**
   * Something happened that may let a newcomer qualify: it is checked in the task's next run. Cheap, for any
   * transaction.
   */
  const recheck = (tx: Tx, userId: string): Promise<void> => tx.referrals.recheck(userId, clock.now());

  /** Checks one referral and pays what is due. Safe to run twice, at once, and again after a crash at any point. */
  async function check(newcomerId: string): Promise<void> {
    const state = await uow.run((tx) => decideReferral(deps, tx, newcomerId, enabled()));
    if (state !== 'qualified') return;
    await paySide(deps, newcomerId, 'newcomer');
    await paySide(deps, newcomerId, 'referrer');
  }

  /** Checks what is due. For the scheduler. Out: how many were checked. */
  async function checkDue(): Promise<number> {
    const due = await uow.read((tx) => tx.referrals.due(clock.now(), BATCH));
    for (const newcomerId of due) {
      // One that fails holds up no other; it is checked again later.
      await check(newcomerId).catch(async (error: unknown) => {
        log.error('referral.check_failed', { newcomer: newcomerId, error: String(error) });
        await uow.run((tx) => tx.referrals.change(newcomerId, { nextCheckMs: clock.now() + HOUR }));
      });
    }
    return due.length;
  }

  /** What the caller's page shows. `offset` and `limit` of the list. */
  function page(ctx: SignedIn, range: { offset: number; limit: number }): Promise<ReferralsPage> {
    const { userId } = ctx.actor;
    return uow.read(async (tx) => {
      const own = await tx.referrals.of(userId);
      const self = own && (await tx.identity.findUser(userId));
      return {
        code: await tx.referrals.codeOf(userId),
        list: await tx.referrals.list(userId, range),
        totals: await tx.referrals.totals(userId),
        month: await tx.referrals.rewardedSince(userId, monthStart(clock.now(), deps.settings.current().app_timezone)),
        own: own && self ? { referral: own, checks: await currentChecks(deps, tx, self) } : null,
      };
    });
  }

  /** Notes what became of a reward on hold; nothing where the reference is none of ours. */
  async function recordDecision(tx: Tx, reference: string, outcome: 'released' | 'rejected'): Promise<void> {
    const [, newcomerId, word] = /^referral:([^:]+):(newcomer|referrer)$/.exec(reference) ?? [];
    if (newcomerId === undefined || word === undefined) return;
    const side = word as Side;
    const row = await tx.referrals.lock(newcomerId);
    if (row?.[side].state !== 'held' || referenceOf(newcomerId, side) !== reference) return;
    const part = { ...row[side], state: outcome === 'released' ? 'paid' : 'refused' } as const;
    await tx.referrals.change(newcomerId, {
      [side]: part,
      ...(side === 'referrer' && outcome === 'rejected' ? { reason: 'review' } : {}),
    });
  }

  const subscriptions = [
    subscriber('user.registered', addReferral),
    subscriber('user.verified', (tx, { userId }) => recheck(tx, userId)),
    subscriber('server.ready', (tx, { userId }) => recheck(tx, userId)),
    subscriber('afk.minutes_paid', (tx, { userId }) => recheck(tx, userId)),
    subscriber('reward.released', (tx, { reference }) => recordDecision(tx, reference, 'released')),
    subscriber('reward.rejected', (tx, { reference }) => recordDecision(tx, reference, 'rejected')),
  ];
  return { makeCode, checkCode, addReferral, check, checkDue, page, subscriptions };
}

/**
 * Decides a pending referral; gives the state it is in then. While the feature is off nothing is decided and nothing
 * paid.
 */
async function decideReferral(
  deps: ReferralsDeps,
  tx: Tx,
  newcomerId: string,
  enabled: boolean,
): Promise<Referral['state'] | null> {
  const row = await tx.referrals.lock(newcomerId);
  if (!row || (row.state !== 'pending' && row.state !== 'qualified')) return row?.state ?? null;
  const now = deps.clock.now();
  if (!enabled) {
    await tx.referrals.change(newcomerId, { nextCheckMs: now + HOUR });
    return 'pending';
  }
  if (row.state === 'qualified') return row.state;
  const finding = await evaluateReferral(deps, tx, row);
  if ('missing' in finding) {
    await tx.referrals.change(newcomerId, { nextCheckMs: now + recheckDelay(now - row.createdMs) });
    return 'pending';
  }
  if ('rejected' in finding) {
    await tx.referrals.change(newcomerId, {
      state: 'rejected',
      reason: finding.rejected,
      closedMs: now,
      network: null,
    });
    return 'rejected';
  }
  const { referral_newcomer_credits: newcomer, referral_referrer_credits: referrer } = deps.settings.current();
  await tx.referrals.change(newcomerId, {
    state: 'qualified',
    qualifiedMs: now,
    nextCheckMs: now,
    newcomer: { state: 'open', credits: newcomer, txId: null },
    referrer: { state: 'open', credits: referrer, txId: null },
  });
  return 'qualified';
}
