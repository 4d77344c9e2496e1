export { createRedeem, type Redeem } from './service.ts';
