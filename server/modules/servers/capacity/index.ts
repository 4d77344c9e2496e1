export { nodesOf } from './policy.ts';
export { readRoom, refreshRoom, sweepReservations } from './refresh.ts';
export {
  availability,
  confirmPlace,
  placeOf,
  readBook,
  releasePlace,
  replacePlace,
  reserveChange,
  reservePlace,
  type RoomLeft,
} from './reserve.ts';
