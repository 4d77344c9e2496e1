import { listed, NO_CONTENT, ok, rowOf, whole, type Answer, type Call, type Route } from './context.ts';
import { display, notFound } from './errors.ts';
import { like, type Listing } from './query.ts';
import type { AllocationRow, EggRow, NestRow } from './rows.ts';
import { demand } from './rules.ts';
import { createSeeder } from './seed.ts';

const ALLOCATIONS: Listing<AllocationRow> = {
  filters: {
    ip: (row, wanted) => wanted.split(',').includes(row.ip),
    port: (row, wanted) => wanted.split(',').includes(String(row.port)),
    ip_alias: like((row) => row.alias),
    // A number is a server's id; anything else, 0 too, means the unassigned ones (2).
    server_id: (row, wanted) => (Number(wanted) > 0 ? row.serverId === Number(wanted) : row.serverId === null),
  },
};
const NESTS: Listing<NestRow> = {};

/** Ports and ranges of them as texts; what is there already is passed over in silence (4). */
function createAllocations({ state, params, body }: Call): Answer {
  const node = rowOf(state.nodes, params[0]);
  demand(body, {
    ip: ['required', 'string'],
    alias: ['sometimes', 'nullable', 'string', 'max:191'],
    ports: ['required', 'array'],
    'ports.*': ['string'],
  });
  const ranges = Array.isArray(body['ports']) ? body['ports'].map(String) : [];
  const ports = ranges.flatMap((range) => {
    const [from = 0, to = from] = range.split('-').map(Number);
    if (!(from > 1024) || to > 65_535)
      throw display(
        'PortOutOfRangeException',
        'Ports in an allocation must be greater than 1024 and less than or equal to 65535.',
      );
    return Array.from({ length: to - from + 1 }, (_, at) => from + at);
  });
  const ip = String(body['ip']);
  const there = new Set(
    state
      .allocationsOfNode(node.id)
      .filter((each) => each.ip === ip)
      .map((each) => each.port),
  );
  // Each port takes an id, whether it was new or not, as an "insert or ignore" does.
  for (const port of ports) {
    if (there.has(port)) state.nextId('allocations');
    else
      createSeeder(state).addAllocations(node.id, {
        ip,
        alias: typeof body['alias'] === 'string' ? body['alias'] : null,
        ports: [port],
      });
  }
  return NO_CONTENT;
}
function removeAllocation({ state, params }: Call): Answer {
  const node = rowOf(state.nodes, params[0]);
  const row = rowOf(state.allocations, params[1]);
  if (row.nodeId !== node.id) throw notFound();
  if (row.serverId !== null) {
    throw display(
      'ServerUsingAllocationException',
      'A server is currently assigned to this allocation. An allocation can only be deleted if no server is currently assigned.',
    );
  }
  state.removeAllocation(row.id);
  return NO_CONTENT;
}
export const ALLOCATION_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/nodes/{name}/allocations',
    right: 'allocations',
    work: (call) =>
      listed(call, call.state.allocationsOfNode(rowOf(call.state.nodes, call.params[0]).id), ALLOCATIONS, (row) =>
        call.show.allocation(row, call.includes),
      ),
  },
  { method: 'POST', path: '/nodes/{name}/allocations', right: 'allocations', work: createAllocations },
  { method: 'DELETE', path: '/nodes/{name}/allocations/{name}', right: 'allocations', work: removeAllocation },
];

const eggsOf = ({ state }: Call, fits: (egg: EggRow) => boolean) => [...state.eggs.values()].filter(fits);
/** Eggs of a nest: no pages, no meta (4). */
function eggsOfNest(call: Call): Answer {
  const nest = rowOf(call.state.nests, call.params[0]);
  return ok(whole(eggsOf(call, (egg) => egg.nestId === nest.id).map((egg) => call.show.egg(egg, call.includes))));
}
function eggOfNest({ state, params, show, includes }: Call): Answer {
  const egg = rowOf(state.eggs, params[1]);
  if (egg.nestId !== rowOf(state.nests, params[0]).id) throw notFound();
  return ok(show.egg(egg, includes));
}
export const NEST_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/nests',
    right: 'nests',
    work: (call) => listed(call, [...call.state.nests.values()], NESTS, (row) => call.show.nest(row, call.includes)),
  },
  {
    method: 'GET',
    path: '/nests/{name}',
    right: 'nests',
    work: ({ state, params, show, includes }) => ok(show.nest(rowOf(state.nests, params[0]), includes)),
  },
  { method: 'GET', path: '/nests/{name}/eggs', right: 'eggs', work: eggsOfNest },
  { method: 'GET', path: '/nests/{name}/eggs/{name}', right: 'eggs', work: eggOfNest },
];
/** Pelican: all eggs at once, no pages (8). */
export const EGG_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/eggs',
    right: 'eggs',
    work: (call) => ok(whole(eggsOf(call, () => true).map((egg) => call.show.egg(egg, call.includes)))),
  },
  {
    method: 'GET',
    path: '/eggs/{name}',
    right: 'eggs',
    work: ({ state, params, show, includes }) => ok(show.egg(rowOf(state.eggs, params[0]), includes)),
  },
];
