export { createReferrals, type Referrals, type ReferralsDeps, type ReferralsPage } from './service.ts';
export { publicReason, type Checks } from './policy.ts';
