import { DomainError } from '#shared/errors.ts';
import { DAY } from '#shared/time.ts';
import { subscriber } from '../events/index.ts';
import type { SignedIn } from '../kernel.ts';
import { assertMay } from '../permit.ts';
import { deleteInSlices, walkInSlices } from '../retention.ts';
import { createCompare, listOthers, type OtherAccount } from './compare.ts';
import type { AbuseDeps } from './deps.ts';
import { createReviewPolicy } from './review-policy.ts';
import { createAppeals, createReview } from './review.ts';
import type { Reason } from './score.ts';
import { createScores } from './scores.ts';
import { createKnownVpn, createSignals } from './signals.ts';
import { createVpn } from './vpn.ts';

/** Deleted users that are asked for at once. */
const DELETED = 500;

/** A score, and what follows from it. */
interface Explanation {
  readonly score: number;
  readonly reasons: readonly Reason[];
  /** From which score rewards wait; 0: never. */
  readonly threshold: number;
  /** Rewards that wait: how many, and their credits. */
  readonly held: { readonly count: number; readonly credits: number };
  /** Accounts that have something in common with the user's. */
  readonly others: readonly OtherAccount[];
}
export type Abuse = ReturnType<typeof createAbuse>;

/** Signals, score, held rewards, VPN and ad-blocker check (behaviour 4.6). */
export function createAbuse(deps: AbuseDeps) {
  const { uow, long, clock, settings } = deps;
  const scores = createScores(deps);
  const vpn = createVpn(deps);
  const signals = createSignals(deps, vpn, scores.forget);
  const parts = { signals, vpn };
  const reviewPolicy = createReviewPolicy(deps, (tx, userId, fresh) => scores.of(tx, userId, parts, fresh));
  const review = createReview(deps, (tx, userId) => scores.of(tx, userId, parts, true));

  /**
   * The score of a user with what adds up to it, computed now, and the rewards of theirs that wait. For staff. Throws
   * FORBIDDEN, NOT_FOUND.
   */
  function explain(ctx: SignedIn, userId: string): Promise<Explanation> {
    assertMay(ctx, 'admin.users.edit');
    return uow.run(async (tx) => {
      if (!(await tx.identity.findUser(userId))) throw new DomainError('NOT_FOUND');
      const { score, reasons } = await scores.of(tx, userId, parts, true);
      const held = await tx.abuse.listOpen(userId);
      const credits = held.reduce((sum, { amount }) => sum + amount, 0);
      const { abuse_threshold: threshold } = settings.current();
      return { score, reasons, threshold, held: { count: held.length, credits }, others: await listOthers(tx, userId) };
    });
  }

  /** Deletes expired signals, VPN verdicts and challenges. For the scheduler. */
  async function purge(): Promise<void> {
    const now = clock.now();
    const beforeMs = now - settings.current().abuse_signal_days * DAY;
    await deleteInSlices(uow, (tx, limit) => tx.abuse.deleteSignals(beforeMs, limit));
    await deleteSignalsOfDeleted();
    await walkInSlices(uow, (tx, afterKey, limit) => tx.abuse.deleteVerdicts(now, afterKey, limit));
    await walkInSlices(uow, (tx, afterId, limit) => tx.challenge.forget(now, afterId, limit));
  }

  async function deleteSignalsOfDeleted(): Promise<void> {
    for (;;) {
      const userIds = await long.read((tx) => tx.abuse.listDeletedWithSignals(DELETED), { for: 'job' });
      for (const userId of userIds) await uow.run((tx) => tx.abuse.deleteSignalsOf(userId));
      if (userIds.length < DELETED) return;
    }
  }

  return {
    reviewPolicy,
    observe: signals.observe,
    recordPaymentMeans: signals.recordPaymentMeans,
    // A registration is recorded as a signal, so that a farm is visible before it earns.
    subscriptions: [subscriber('user.registered', signals.recordRegistration)],
    createAdsToken: signals.createAdsToken,
    confirmAds: signals.confirmAds,
    assertAdsLoaded: signals.assertAdsLoaded,
    ...review,
    ...createAppeals(deps),
    explain,
    compare: createCompare(uow, (tx, userId) => scores.of(tx, userId, parts, true)),
    purge,
    loadLists: vpn.load,
    uploadList: vpn.upload,
    findUploadedList: vpn.findUploadedList,
    vpnJob: vpn.job,
    isKnownVpn: createKnownVpn(deps, vpn),
  };
}
