export { createNotes, type Notes } from './notes.ts';
export { createSupportPin, type SupportPins } from './support-pin.ts';
export { createPeople, type People, type PersonView } from './service.ts';
export type { PeopleQuery, PeopleSort, PersonRow } from './ports.ts';
export { createWaysIn, type WaysInQuery } from './ways-in.ts';
