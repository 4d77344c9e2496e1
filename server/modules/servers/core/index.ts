export { getServerFor, lockServerFor, staffRightsOf, type NeededRight, type ServerAccess } from './access.ts';
export { createServerHistory, type ServerAct, type ServerHistory } from './history.ts';
export { createServerJobs, placeKeyOf, SERVER_JOBS, type ServerJobs } from './jobs.ts';
export { lockOwnServer, lockServer } from './locks.ts';
export { toServerFacts } from './server-facts.ts';
export type { Limits, Settings } from './settings.ts';
export { DUE_MS, renewalTerms } from './terms.ts';
export {
  QUEUE,
  RECHECK_MS,
  SERVER_KINDS,
  assertAmounts,
  assertEggMinimum,
  assertFits,
  checkVariables,
  deletionPlan,
  toEnvironment,
  estimateMs,
  firstPollMs,
  missedFor,
  pollPauseMs,
  reminderDue,
  renewRefusal,
  renewedExpiry,
  withJitter,
  suspendsAt,
  syncPauseMs,
  resourcesTaken,
  typicalBuildMs,
  updateRefusal,
  buildSlots,
} from './policy.ts';
export type * from './staff-ports.ts';
export { withDeps } from './with-deps.ts';
