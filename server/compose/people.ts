import type { Identity } from '../modules/identity/index.ts';
import { createNotes, createPeople, createSupportPin, createUserBulk, createWaysIn } from '../modules/people/index.ts';
import type { Foundation } from './foundation.ts';

/** Users as staff see them, and what they do with several at once. */
export function composePeople(foundation: Foundation, identity: Pick<Identity, 'confirmAddressOf'>) {
  return {
    people: createPeople(foundation),
    userBulk: createUserBulk({ ...foundation, identity }),
    notes: createNotes(foundation),
    waysIn: createWaysIn(foundation),
    supportPins: createSupportPin(foundation),
  };
}
