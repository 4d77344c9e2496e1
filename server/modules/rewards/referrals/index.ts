export { createReferrals, type Referrals } from './service.ts';
export { publicReason } from './policy.ts';
