import { ENDPOINTS } from '#shared/contract/index.ts';
import { EARNING_SOURCES, SOURCE_NAMES, type EarningSource, type FeatureSwitch } from '#shared/earning-sources.ts';
import { ACCOUNTS } from './access/accounts.ts';
import { COMMUNITY } from './access/community.ts';
import { HOSTING } from './access/hosting.ts';
import { PEOPLE } from './access/people.ts';
import { PLAYERS } from './access/players.ts';
import { SYSTEM } from './access/system.ts';
import type { Guard, Part } from './access/part.types.ts';
import { AREAS, PLAIN_AREAS } from './areas.ts';

/**
 * Who may call what, typed by hand beside the sentences it follows from, and never taken from the contract (attacks
 * T61): a permission that is loosened there by mistake fails here. A new endpoint gets its row in the same change, by
 * somebody who has thought about it, in the file of its kind (access/); an area of the admin pages follows a rule
 * (areas.ts), and so does an earning source of which nothing is written here (below).
 */
export const ACCESS: readonly Part[] = [...ACCOUNTS, ...PLAYERS, ...COMMUNITY, ...PEOPLE, ...HOSTING, ...SYSTEM];

/** An endpoint as it is written down by hand. */
export interface Row {
  readonly method: string;
  readonly path: string;
  readonly access: string;
  readonly guards: readonly string[];
}

/** What an area is made of. A form’s defaults belong to its command; many at once are the same command. */
function areaRows(area: string, permission: string, hasSwitch = true): Row[] {
  const row = (method: string, path: string, verb: string, ...guards: Guard[]): Row => ({
    method,
    path: `/api/admin/${area}${path}`,
    access: `${permission}.${verb}`,
    guards,
  });
  return [
    row('GET', '', 'list'),
    row('GET', '/export.csv', 'list'),
    row('GET', '/new', 'create'),
    row('POST', '', 'create', 'idempotent', 'limit:create'),
    row('GET', '/:id', 'edit'),
    row('PATCH', '/:id', 'edit', 'idempotent'),
    ...(hasSwitch ? [row('POST', '/set-enabled', 'edit')] : []),
    row('GET', '/:id/dependants', 'delete'),
    row('DELETE', '/:id', 'delete'),
    row('POST', '/delete', 'delete'),
  ];
}

const BY_HAND: readonly Row[] = ACCESS.flatMap(({ endpoints }) =>
  Object.entries(endpoints).map(([name, value]) => {
    const [method = '', path = ''] = name.split(' ');
    const [access, ...guards] = typeof value === 'string' ? [value] : value;
    return { method, path, access, guards };
  }),
);

/**
 * The rule of a plain earning source (behaviour 4), typed by hand: its reward is claimed at `POST /api/earn/<source>`
 * by whoever is logged in, has a verified address and sends a key, while its switch is on. What it shows at the same
 * address asks for less, and needs not be there.
 */
export const plainSourceRows = (source: string, enabled: FeatureSwitch, shows: boolean): readonly Row[] => [
  ...(shows
    ? [{ method: 'GET', path: `/api/earn/${source}`, access: 'signed-in', guards: [`flag:${enabled}`] } as const]
    : []),
  {
    method: 'POST',
    path: `/api/earn/${source}`,
    access: 'signed-in',
    guards: ['verified', 'idempotent', `flag:${enabled}`],
  },
];

/** Sources that a task pays: nobody asks for their reward, and their page is the dashboard. */
const PAID_BY_TASK: readonly EarningSource[] = ['early_supporters'];

/** Sources of which nothing is written above: all that is taken from elsewhere is whether there is something to show. */
const PLAIN_SOURCES: readonly Row[] = SOURCE_NAMES.filter(
  (source) =>
    !PAID_BY_TASK.includes(source) &&
    !BY_HAND.some(({ guards }) => guards.includes(`flag:${EARNING_SOURCES[source].enabled}`)),
).flatMap((source) =>
  plainSourceRows(
    source,
    EARNING_SOURCES[source].enabled,
    ENDPOINTS.some(({ method, path }) => method === 'GET' && path === `/api/earn/${source}`),
  ),
);

/** Every endpoint that is written down by hand. */
export const ROWS: readonly Row[] = [
  ...BY_HAND,
  ...PLAIN_SOURCES,
  ...Object.entries(AREAS).flatMap(([area, permission]) => areaRows(area, permission)),
  ...PLAIN_AREAS.flatMap(({ area, permission, hasSwitch }) => areaRows(area, permission, hasSwitch)),
];
