import {
  createNotes,
  createPeople,
  createSupportPin,
  createUserLimits,
  createWaysIn,
} from '../modules/people/index.ts';
import type { Foundation } from './foundation.ts';

/** Users as staff see and change them (behaviour 8.3). */
export function composePeople(foundation: Foundation) {
  return {
    people: createPeople(foundation),
    notes: createNotes(foundation),
    waysIn: createWaysIn(foundation),
    userLimits: createUserLimits(foundation),
    supportPins: createSupportPin(foundation),
  };
}
