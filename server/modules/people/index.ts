export { createNotes, type Notes } from './notes.ts';
export { createSupportPin, type SupportPins } from './support-pin.ts';
export { createPeople, type People, type UserDetails } from './service.ts';
export type { UserListQuery } from './list.ts';
export type { PeopleCursor, PeopleQuery, PeopleSort, ListedUser } from './ports.ts';
export { createUserBulkAll, type UserBulkAll } from './bulk-all.ts';
export { createUserBulk, type UserBulk } from './bulk.ts';
export { createWaysIn, type WaysInQuery } from './ways-in.ts';
export { createUserLimits, type UserLimits } from './limits.ts';
