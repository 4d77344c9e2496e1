import { DAY } from '#shared/time.ts';
import { subscriber } from '../events/index.ts';
import type { AbuseDeps } from './deps.ts';
import { createReviewPolicy } from './review-policy.ts';
import { createAppeals, createReview } from './review.ts';
import { createScores } from './scores.ts';
import { createSignals } from './signals.ts';
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

  /** Forgets signals and answers that are old enough. For the scheduler. */
  function forgetOld(): Promise<void> {
    return uow.run(async (tx) => {
      const now = clock.now();
      await tx.abuse.forget(now - settings.current().abuse_signal_days * DAY);
      await tx.abuse.forgetVerdicts(now);
      await tx.challenge.forget(now);
    });
  }

  return {
    reviewPolicy,
    observe: signals.observe,
    notePayment: signals.notePayment,
    // Registering is a sighting: a farm shows before it earns.
    subscriptions: [subscriber('user.registered', signals.noteRegistration)],
    adsToken: signals.adsToken,
    confirmAds: signals.confirmAds,
    requireAds: signals.requireAds,
    ...review,
    ...createAppeals(deps),
    forgetOld,
    loadLists: vpn.load,
    uploadList: vpn.upload,
    uploadedList: vpn.uploadedList,
    vpnJob: vpn.job,
  };
}
