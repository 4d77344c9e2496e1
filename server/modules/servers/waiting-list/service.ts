import { withDeps } from '../core/index.ts';
import {
  findWaitingPlace,
  joinWaitingList,
  leaveWaitingList,
  listWaitingLines,
  notifyWaiting,
} from './waiting-list.ts';
import type { WaitingListDeps } from './deps.ts';

/** Who waits for capacity at locations that are full. */
export type WaitingList = ReturnType<typeof createWaitingList>;

/** Who waits for capacity at locations that are full. */
export const createWaitingList = (deps: WaitingListDeps) =>
  withDeps(deps, {
    join: joinWaitingList,
    leave: leaveWaitingList,
    notify: notifyWaiting,
    find: findWaitingPlace,
    list: listWaitingLines,
  });
