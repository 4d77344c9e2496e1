export {
  joinWaitingList as joinWait,
  leaveWaitingList as leaveWait,
  listWaits as linesOf,
  notifyWaiting as tellWaiting,
  findWait as waitAt,
} from './waiting-list.ts';
