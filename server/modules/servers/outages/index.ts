export {
  NOTICES,
  beginOutage,
  endOutages,
  notifyStaff,
  covers,
  outageOf,
  takeTries,
  type Wait,
  waitOf,
} from './outages.ts';
export { BUILD_LINE, waitingEntries } from './line.ts';
