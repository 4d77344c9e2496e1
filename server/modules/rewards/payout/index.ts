export { createPayout, type Payout, type PayoutResult, type ReviewPolicy, type Reward } from './service.ts';
