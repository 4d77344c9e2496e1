export { createRedeem, type Redeem, type Redeemed, type RedeemPage } from './service.ts';
