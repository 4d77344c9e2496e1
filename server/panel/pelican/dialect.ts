import type { Dialect } from '../http/dialect.ts';
import { readEggs } from '../http/shapes.ts';

/**
 * Pelican (panel contract, section 8): no locations and no nests, tags in their place, one name of an account, 256
 * calls a minute.
 */
export const pelican: Dialect = {
  name: 'pelican',
  limits: { application: 256, client: 256 },
  // The state of a server that runs is asked of its machine, so a page takes longer.
  pageSize: 100,
  rights: [
    { right: 'servers', level: 'read' },
    { right: 'servers', level: 'write' },
    { right: 'users', level: 'read' },
    { right: 'users', level: 'write' },
    { right: 'nodes', level: 'read' },
    { right: 'allocations', level: 'read' },
    { right: 'eggs', level: 'read' },
  ],
  userBody: ({ externalId, email }, _, username) => ({ external_id: externalId, email, username }),
  async locations(_, nodes) {
    const all = await nodes();
    if (all.outcome !== 'ok') return all;
    const tags = [...new Set(all.value.flatMap((node) => node.tags))].toSorted();
    return { outcome: 'ok', value: tags.map((tag) => ({ id: tag, name: tag, description: '' })) };
  },
  async eggs(client) {
    const { answer } = await client.call(
      {
        kind: 'read',
        api: 'application',
        right: 'eggs',
        method: 'GET',
        path: '/eggs?include=variables',
        read: readEggs,
      },
      'background',
    );
    return answer;
  },
  eggProbe: () => '/eggs?per_page=1',
  passwordPath: '/password-reset/request',
};
