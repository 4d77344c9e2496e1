import type { Identities } from '../modules/identities/index.ts';
import type { Identity } from '../modules/identity/index.ts';
import {
  createNotes,
  createPeople,
  createSupportPin,
  createUserBulk,
  createUserLimits,
  createWaysIn,
} from '../modules/people/index.ts';
import type { Foundation } from './foundation.ts';

/** Users as staff see and change them, one or several at once (behaviour 8.3). */
export function composePeople(
  foundation: Foundation,
  identity: Pick<Identity, 'confirmAddressOf'>,
  identities: Pick<Identities, 'listLogins'>,
) {
  return {
    people: createPeople(foundation),
    userBulk: createUserBulk({ ...foundation, identity }),
    notes: createNotes(foundation),
    waysIn: createWaysIn({ ...foundation, identities }),
    userLimits: createUserLimits(foundation),
    supportPins: createSupportPin(foundation),
  };
}
