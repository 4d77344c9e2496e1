export { joinWait, leaveWait, linesOf, tellWaiting, waitAt } from './waiting-list.ts';
