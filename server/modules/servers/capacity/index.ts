export { eligibleNodes as nodesOf } from './policy.ts';
export { refreshOrRetry as readRoom, refreshNodes as refreshRoom, sweepReservations } from './refresh.ts';
export {
  freeCapacity as availability,
  confirm as confirmPlace,
  findPlacement as placeOf,
  loadCapacity as readBook,
  release as releasePlace,
  relocate as replacePlace,
  reserveChange,
  reserve as reservePlace,
  type FreeCapacity as RoomLeft,
} from './reserve.ts';
