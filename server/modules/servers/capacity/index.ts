export { eligibleNodes } from './policy.ts';
export { refreshOrRetry, refreshNodes, sweepReservations } from './refresh.ts';
export {
  freeCapacity,
  confirm,
  findPlacement,
  loadCapacity,
  release,
  relocate,
  reserveChange,
  reserve,
  type FreeCapacity,
} from './reserve.ts';
