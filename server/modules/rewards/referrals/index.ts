export { createReferrals, type Referrals } from './service.ts';
export { currentChecks } from './evaluate.ts';
export { publicReason, qualifies, recheckDelay, type Checks } from './policy.ts';
