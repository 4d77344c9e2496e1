import { DAY } from '#shared/time.ts';
import type { ScheduledTask } from '../jobs/scheduler.ts';
import { placeSignalOf } from '../modules/abuse/index.ts';
import type { Identities } from '../modules/identities/index.ts';
import type { Identity } from '../modules/identity/index.ts';
import {
  createNotes,
  createPeople,
  createSupportPin,
  createUserBulk,
  createUserBulkAll,
  createUserLimits,
  createWaysIn,
} from '../modules/people/index.ts';
import type { Foundation } from './foundation.ts';

/** Users as staff see and change them, one or several at once (behaviour 8.3). */
export function composePeople(
  foundation: Foundation,
  identity: Pick<Identity, 'confirmAddressOf' | 'confirmAddressIn'>,
  identities: Pick<Identities, 'listLogins'>,
) {
  const deps = { ...foundation, findPlaceTrace: findPlaceTraceWith(foundation) };
  const userBulkAll = createUserBulkAll({ ...deps, identity });
  const services = {
    people: createPeople(deps),
    userBulk: createUserBulk({ ...foundation, identity }),
    userBulkAll,
    notes: createNotes(foundation),
    waysIn: createWaysIn({ ...foundation, identities }),
    userLimits: createUserLimits(foundation),
    supportPins: createSupportPin(foundation),
  };
  const tasks: ScheduledTask[] = [{ name: 'people.bulk.purge', everyMs: DAY, run: userBulkAll.purge }];
  return { services, tasks, jobs: userBulkAll.jobs };
}

/** Finds by what signal users are known who came from an address. */
export const findPlaceTraceWith =
  ({ keyed }: Pick<Foundation, 'keyed'>) =>
  (address: string) =>
    placeSignalOf(keyed, address);
