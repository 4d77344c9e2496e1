export { createWaitingList, type WaitingList } from './service.ts';
