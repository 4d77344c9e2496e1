export { createPeople, type People, type PersonView } from './service.ts';
export type { PeopleQuery, PeopleSort, PersonRow } from './ports.ts';
