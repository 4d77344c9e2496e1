export { createWaitingList, type WaitingList } from './service.ts';
export type { WaitingPlace } from './waiting-list.ts';
