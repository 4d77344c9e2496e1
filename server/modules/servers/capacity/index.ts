export { eligibleNodes } from './policy.ts';
export { findPlacement, freeCapacity, type FreeCapacity } from './reserve.ts';
export { createCapacity, type Capacity } from './service.ts';
