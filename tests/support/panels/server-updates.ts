import { nodeOf, ok, rowOf, type Answer, type Call, type Route } from './context.ts';
import { crash, display, notFound } from './errors.ts';
import type { Body, Json, ServerRow } from './rows.ts';
import { at, demand, unique, type Rule, type Rules } from './rules.ts';
import { environmentOf, serverRules, whole } from './server-rules.ts';
import type { PanelState } from './state.ts';

const ids = (value: Json | undefined): number[] => (Array.isArray(value) ? value.map(Number) : []);

/** Name and owner each time; an external id and a description that are left out are blanked (5). */
async function details({ state, params, body, daemons, show, includes }: Call): Promise<Answer> {
  const row = rowOf(state.servers, params[0]);
  const { external_id = [], name = [], description = [], user = [] } = serverRules(state, row.id);
  demand(body, { external_id, name, description, user }, { user: 'User ID' });
  const before = row.ownerId;
  state.nameServer(row.id, typeof body['external_id'] === 'string' ? body['external_id'] : null);
  row.name = String(body['name']);
  row.description = String(body['description'] ?? '');
  row.ownerId = Number(body['user']);
  row.updatedMs = state.now();
  // Tokens of the old owner are revoked on the machine; a failure of that is nobody's business.
  if (row.ownerId !== before) await daemons.denyTokens(nodeOf(state, row), row).catch(() => 0);
  return ok(show.server(row, includes));
}

const LIMITS = ['memory', 'swap', 'io', 'cpu', 'disk'] as const;
function buildRules(state: PanelState, row: ServerRow): Rules {
  const own = serverRules(state, row.id);
  const pelican = state.dialect === 'pelican';
  const without = (name: string): Rule[] => (own[name] ?? []).filter((rule) => rule !== 'required');
  const rules: Record<string, readonly Rule[]> = {
    allocation: [
      ...(pelican ? ['sometimes'] : ['required']),
      'bail',
      unique((value) =>
        [...state.servers.values()].every((other) => other.id === row.id || other.allocationId !== Number(value)),
      ),
    ],
    [pelican ? 'oom_killer' : 'oom_disabled']: ['sometimes', 'boolean'],
    limits: ['sometimes', 'array'],
  };
  for (const name of LIMITS) rules[`limits.${name}`] = ['required_with:limits', ...without(name)];
  rules['limits.threads'] = own['threads'] ?? [];
  // The old flat form is gone with Pelican (8).
  if (!pelican) for (const name of LIMITS) rules[name] = ['required_without:limits', ...without(name)];
  return {
    ...rules,
    add_allocations: ['bail', 'array'],
    'add_allocations.*': ['integer'],
    remove_allocations: ['bail', 'array'],
    'remove_allocations.*': ['integer'],
    feature_limits: ['required', 'array'],
    'feature_limits.databases': own['databases'] ?? [],
    'feature_limits.allocations': own['allocations'] ?? [],
    'feature_limits.backups': own['backups'] ?? [],
  };
}
const BUILD_NAMES = {
  'feature_limits.databases': 'Database Limit',
  'feature_limits.allocations': 'Allocation Limit',
  'feature_limits.backups': 'Backup Limit',
};

/** Gives and takes ports. Out: the default after it. What is in use, unknown or elsewhere is passed over in silence (5). */
function changePorts(state: PanelState, row: ServerRow, body: Body): number {
  const pelican = state.dialect === 'pelican';
  const mine = new Set(state.allocationsOfServer(row.id).map((each) => each.id));
  const added = ids(body['add_allocations']).filter((id) => {
    const port = state.allocations.get(id);
    return port?.serverId === null && port.nodeId === row.nodeId;
  });
  const removed = ids(body['remove_allocations']).filter((id) => mine.has(id) && !added.includes(id));
  let wanted = Number(body['allocation']);
  const takesDefault = removed.includes(wanted);
  if (takesDefault && pelican) wanted = [...mine].find((id) => !removed.includes(id)) ?? added[0] ?? 0;
  else if (takesDefault) {
    if (added[0] === undefined)
      throw display(
        'DisplayException',
        'You are attempting to delete the default allocation for this server but there is no fallback allocation to use.',
      );
    wanted = added[0];
  }
  if (wanted !== row.allocationId && !mine.has(wanted) && !added.includes(wanted)) {
    if (pelican) throw notFound();
    throw display('DisplayException', 'The requested default allocation is not currently assigned to this server.');
  }
  for (const id of added) state.assign(id, row.id);
  for (const id of removed) state.assign(id, null);
  return wanted;
}
/**
 * Limits, feature limits and ports (5). Feature limits that are left out or null are blanked; threads and the OOM
 * killer are kept.
 */
async function build({ state, params, body, daemons, show, includes }: Call): Promise<Answer> {
  const row = rowOf(state.servers, params[0]);
  demand(body, buildRules(state, row), BUILD_NAMES);
  // Pelican lets it pass and then misses it (8).
  if (body['allocation'] === undefined) throw crash('ErrorException');
  row.allocationId = changePorts(state, row, body) || null;
  const limits: Body =
    typeof body['limits'] === 'object' && body['limits'] !== null && !Array.isArray(body['limits'])
      ? body['limits']
      : body;
  for (const name of LIMITS) if (limits[name] !== undefined) row[name] = whole(limits[name]);
  if ('threads' in limits) row.threads = typeof limits['threads'] === 'string' ? limits['threads'] : null;
  const flag = body[state.dialect === 'pelican' ? 'oom_killer' : 'oom_disabled'];
  if (flag !== undefined)
    row.oomDisabled = [true, 1, '1'].some((each) => each === flag) === (state.dialect === 'pterodactyl');
  const feature = (name: string): number | null => {
    const value = at(body, `feature_limits.${name}`);
    return value === undefined || value === null ? null : whole(value);
  };
  row.databaseLimit = feature('databases');
  row.allocationLimit = feature('allocations');
  row.backupLimit = feature('backups') ?? 0;
  row.updatedMs = state.now();
  // Saved is saved: a machine that does not answer fetches it later (5).
  await daemons.sync(nodeOf(state, row), row).catch(() => 0);
  return ok(show.server(row, includes));
}

/**
 * Everything each time with Pterodactyl; an empty environment changes nothing (5). Pelican can do without command and
 * image (8). No machine is asked.
 */
function startup({ state, params, body, show, includes }: Call): Answer {
  const row = rowOf(state.servers, params[0]);
  const own = serverRules(state, row.id);
  const pelican = state.dialect === 'pelican';
  demand(body, {
    startup: pelican ? ['sometimes', 'string'] : (own['startup'] ?? []),
    environment: ['present', 'array'],
    egg: own['egg'] ?? [],
    image: pelican ? ['sometimes', 'string'] : (own['image'] ?? []),
    skip_scripts: ['present', 'boolean'],
  });
  const environment = body['environment'];
  const isEmpty = typeof environment !== 'object' || environment === null || Object.keys(environment).length === 0;
  const eggId = Number(body['egg']);
  if (!isEmpty) for (const [id, value] of environmentOf(state, eggId, environment)) row.variables.set(id, value);
  row.eggId = eggId;
  if (typeof body['startup'] === 'string') row.startup = body['startup'];
  if (typeof body['image'] === 'string') row.image = body['image'];
  row.skipScripts = body['skip_scripts'] === true;
  row.updatedMs = state.now();
  return ok(show.server(row, includes));
}

export const UPDATE_ROUTES: readonly Route[] = [
  { method: 'PATCH', path: '/servers/{name}/details', right: 'servers', work: details },
  { method: 'PATCH', path: '/servers/{name}/build', right: 'servers', work: build },
  { method: 'PATCH', path: '/servers/{name}/startup', right: 'servers', work: startup },
];
