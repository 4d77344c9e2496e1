export { reconcileNow } from './drift.ts';
export { createStaff } from './staff.ts';
