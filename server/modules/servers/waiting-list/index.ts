export { joinWaitingList, leaveWaitingList, listWaits, notifyWaiting, findWait } from './waiting-list.ts';
