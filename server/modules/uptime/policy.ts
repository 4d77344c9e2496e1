import { DAY, HOUR } from '#shared/time.ts';
import type { Downtime } from './ports.ts';

/** A shorter silence is a restart or an upgrade: it takes nobody the chance to act. */
export const OUTAGE_MS = HOUR;
/** Short downtimes count up to so long after a moment; see `backSince`. */
const SHORT_COUNT_MS = 7 * DAY;

/**
 * Since when the product was up for somebody who had to act before a moment: the end of the latest downtime that
 * counts, 0 without one. An downtime of a day or more always counts. A shorter one counts where it ended within a week
 * after the moment, so that a machine that is switched off every night does not put things off for ever.
 */
export function backSince(downtimes: readonly Downtime[], dueMs: number): number {
  const counting = downtimes.filter(
    ({ fromMs, untilMs }) => untilMs - fromMs >= DAY || untilMs <= dueMs + SHORT_COUNT_MS,
  );
  return Math.max(0, ...counting.map(({ untilMs }) => untilMs));
}
