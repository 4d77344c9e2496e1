import { define, type Migration } from './migration.ts';

/** Who earned from a source on a day: read when a cap is lowered, and by what forgets old days. */
export const earnedByDay: Migration = {
  name: '0063_earned_by_day',
  up: (step) => define(step, ['CREATE INDEX earn_counters_day ON earn_counters (day, source)']),
};
