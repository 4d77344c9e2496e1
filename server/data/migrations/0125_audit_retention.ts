import { define, type Migration } from './migration.ts';

/** What of the audit log is personal, by its age: found without the rows that were cleared before. */
export const auditRetention: Migration = {
  name: '0125_audit_retention',
  up: (step) => define(step, ['CREATE INDEX audit_personal ON audit (at_ms) WHERE address IS NOT NULL']),
};
