export { createPayout, type Payout, type Paid, type ReviewPolicy, type Reward } from './service.ts';
