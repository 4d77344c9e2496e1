import { define, type Migration } from './migration.ts';

/** Staff see payments of another dashboard among those of this one, by their time. */
export const importedPaymentsByTime: Migration = {
  name: '0211_imported_payments_by_time',
  up: (step) => define(step, ['CREATE INDEX imported_payments_paid ON imported_payments ((COALESCE(paid_ms, 0)), id)']),
};
