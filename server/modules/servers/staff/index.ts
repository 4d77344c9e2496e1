export { reconcileNow as compareNow } from './drift.ts';
export { createStaff } from './staff.ts';
