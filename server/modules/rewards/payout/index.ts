export { createPayout, type Judge, type Payout, type Paid, type Reward } from './service.ts';
