import { DAY } from '#shared/time.ts';
import { subscriber } from '../events/index.ts';
import type { AbuseDeps } from './deps.ts';
import { createReviewPolicy } from './review-policy.ts';
import { createAppeals, createReview } from './review.ts';
import { createScores } from './scores.ts';
import { createKnownVpn, createSignals } from './signals.ts';
import { createVpn } from './vpn.ts';

export type Abuse = ReturnType<typeof createAbuse>;

/** Signals, score, held rewards, VPN and ad-blocker check (behaviour 4.6). */
export function createAbuse(deps: AbuseDeps) {
  const { uow, clock, settings } = deps;
  const scores = createScores(deps);
  const vpn = createVpn(deps);
  const signals = createSignals(deps, vpn, scores.forget);
  const parts = { signals, vpn };
  const reviewPolicy = createReviewPolicy(deps, (tx, userId, fresh) => scores.of(tx, userId, parts, fresh));
  const review = createReview(deps, (tx, userId) => scores.of(tx, userId, parts, true));

  /** Deletes expired signals, VPN verdicts and challenges. For the scheduler. */
  function purge(): Promise<void> {
    return uow.run(async (tx) => {
      const now = clock.now();
      await tx.abuse.deleteSignals(now - settings.current().abuse_signal_days * DAY);
      await tx.abuse.deleteVerdicts(now);
      await tx.challenge.forget(now);
    });
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
    purge,
    loadLists: vpn.load,
    uploadList: vpn.upload,
    findUploadedList: vpn.findUploadedList,
    vpnJob: vpn.job,
    isKnownVpn: createKnownVpn(deps, vpn),
  };
}
