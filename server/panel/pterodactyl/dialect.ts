import type { Dialect } from '../http/dialect.ts';
import { allPages } from '../http/pages.ts';
import { readLocations, readNests } from '../http/shapes.ts';

/**
 * Pterodactyl (panel contract, sections 1 to 6): locations and nests, two names of a person, 240 and 720 calls a
 * minute.
 */
export const pterodactyl: Dialect = {
  name: 'pterodactyl',
  limits: { application: 240, client: 720 },
  pageSize: 200,
  rights: [
    { right: 'servers', level: 'read' },
    { right: 'servers', level: 'write' },
    { right: 'users', level: 'read' },
    { right: 'users', level: 'write' },
    { right: 'nodes', level: 'read' },
    { right: 'allocations', level: 'read' },
    { right: 'locations', level: 'read' },
    { right: 'nests', level: 'read' },
    { right: 'eggs', level: 'read' },
  ],
  // Language and administrator are not named, so they stay as they are; without a password the panel writes a letter
  // with the link to set one.
  userBody: ({ externalId, email }, { firstName, lastName }, username) => ({
    external_id: externalId,
    email,
    username,
    first_name: firstName,
    last_name: lastName,
  }),
  locations: (client) =>
    allPages(client, {
      right: 'locations',
      path: '/locations?sort=id&per_page=200',
      read: readLocations,
      ref: ({ id }) => id,
    }),
  async eggs(client) {
    // The only way to all eggs in few calls. Nests have no order to be asked for.
    const nests = await allPages(client, {
      right: 'nests',
      path: '/nests?include=eggs.variables&per_page=100',
      read: readNests,
      ref: ({ id }) => id,
    });
    if (nests.outcome !== 'ok') return nests;
    // Something included that the key may not read is left out without an error (panel contract, section 1).
    if (nests.value.some(({ eggs }) => eggs === null)) return { outcome: 'refused', reason: 'right:eggs' };
    return { outcome: 'ok', value: nests.value.flatMap(({ eggs }) => eggs ?? []) };
  },
  eggProbe: (nest) => `/nests/${nest}/eggs`,
  passwordPath: '/auth/password',
};
