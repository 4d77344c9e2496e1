import type {
  Panel,
  PanelAnswer,
  PanelBuild,
  PanelServer,
  PanelServerSpec,
  ServerResources,
} from '#server/modules/servers/panel/ports.ts';
import type { Priority } from './bucket.ts';
import type { Call, PanelClient } from './client.ts';
import type { Dialect } from './dialect.ts';
import type { Reason } from './refusals.ts';
import { readServer, readServers, type FullServer } from './shapes.ts';

interface Asking {
  readonly client: PanelClient;
  readonly dialect: Dialect;
  readonly priority: Priority;
}

/** Ports, and the machine's name for those that listen on all its addresses. */
const INCLUDE = 'include=allocations,node';
/** Swap none, and the usual weight of disk use (panel contract, section 5): the product sells neither. */
const SWAP = 0;
const IO = 500;

/**
 * How many of the newest servers are looked at together: all of ours that are installed at the same time, and some that
 * others made meanwhile. A full page would take the panel, and us, twice the work.
 */
const NEWEST = 50;

const no = (reason: Reason): { outcome: 'refused'; reason: string } => ({ outcome: 'refused', reason });
/** A panel's id as its number; null where it is none. */
function numberOf(id: string): number | null {
  return /^\d{1,15}$/.test(id) ? Number(id) : null;
}
/** All of them as numbers, or null. */
function numbersOf(ids: readonly string[]): number[] | null {
  const numbers = ids.map(numberOf).filter((each) => each !== null);
  return numbers.length === ids.length ? numbers : null;
}

/**
 * The counts of a server. The limit of allocations is the number of ports the product gives: with all of them given,
 * the panel lets its owner take no further one, and one that was given up there can be replaced but never be exceeded.
 * Null would be none for the panel, and of databases all.
 */
function featureLimits({ databases, ports, backups }: ServerResources) {
  return { databases, allocations: ports, backups };
}
/** Zero is "unlimited" to the panel (attacks T22), so it is never sent for what is sold by amount. */
function amountsFit({ memory, disk, cpu, ports, databases, backups }: ServerResources): boolean {
  const whole = (value: number, least: number) => Number.isSafeInteger(value) && value >= least;
  return (
    [memory, disk, cpu, ports].every((value) => whole(value, 1)) &&
    [databases, backups].every((value) => whole(value, 0))
  );
}

/**
 * The body of a creation, or why there is none. Nothing starts by itself: its owner does that, and pays no memory
 * before.
 */
function createBody(spec: PanelServerSpec): { readonly body: object } | { readonly reason: Reason } {
  const { placement: place, egg, resources } = spec;
  const [user, eggId] = [numberOf(spec.userId), numberOf(egg.id)];
  if (user === null) return { reason: 'user' };
  if (eggId === null) return { reason: 'egg' };
  const [port, additional] = place ? [numberOf(place.allocation), numbersOf(place.additional)] : [null, null];
  if (port === null || additional === null) return { reason: 'place' };
  if (!amountsFit(resources)) return { reason: 'limits' };
  return {
    body: {
      external_id: spec.externalId,
      name: spec.name,
      description: spec.description,
      user,
      egg: eggId,
      docker_image: egg.dockerImage,
      startup: egg.startup,
      environment: spec.environment,
      limits: { memory: resources.memory, swap: SWAP, disk: resources.disk, io: IO, cpu: resources.cpu },
      feature_limits: featureLimits(resources),
      allocation: { default: port, additional },
      skip_scripts: false,
      start_on_completion: false,
    },
  };
}

type Callers = ReturnType<typeof callers>;
/** The calls about servers. */
function callers({ client, priority }: Asking) {
  const base = { api: 'application', right: 'servers' } as const;
  const call = <T>(rest: Omit<Call<T>, 'api' | 'right'>) =>
    client.call<T>({ ...base, ...rest }, priority).then(({ answer }) => answer);
  return {
    call,
    full: (panelId: string): Promise<PanelAnswer<FullServer>> =>
      numberOf(panelId) === null
        ? Promise.resolve(no('id'))
        : call({ kind: 'read', method: 'GET', path: `/servers/${panelId}?${INCLUDE}`, read: readServer }),
    /** A change that answers with the server. */
    patch: (panelId: string, part: string, body: object) =>
      call({ kind: 'write', method: 'PATCH', path: `/servers/${panelId}/${part}?${INCLUDE}`, body, read: readServer }),
    /** A command that answers with nothing. */
    plain: (method: 'POST' | 'DELETE', panelId: string, suffix: string): Promise<PanelAnswer<null>> =>
      numberOf(panelId) === null
        ? Promise.resolve(no('id'))
        : call({ kind: 'write', method, path: `/servers/${panelId}${suffix}`, read: () => null }),
  };
}
function serverOf(answer: PanelAnswer<FullServer>): PanelAnswer<PanelServer> {
  return answer.outcome === 'ok' ? { outcome: 'ok', value: answer.value.server } : answer;
}

/**
 * A change whose 404 may be about something in it, as with Pelican's ports and eggs: only the server's own is "not
 * found".
 */
async function changed(calls: Callers, panelId: string, part: string, body: object): Promise<PanelAnswer<FullServer>> {
  const answer = await calls.patch(panelId, part, body);
  if (answer.outcome !== 'not_found') return answer;
  const there = await calls.full(panelId);
  return there.outcome === 'ok' ? { outcome: 'conflict' } : there;
}

/**
 * Which port is the default after a change: the one that is, unless it goes; then another that stays, or the first that
 * comes.
 */
function defaultAfter(
  { server, defaultPort }: FullServer,
  { addAllocations, removeAllocations }: PanelBuild,
): string | null {
  const staying = (server.allocations ?? []).map((port) => port.id).filter((id) => !removeAllocations.includes(id));
  if (defaultPort !== null && !removeAllocations.includes(defaultPort)) return defaultPort;
  return staying[0] ?? addAllocations[0] ?? null;
}

/**
 * Limits and ports in one change. What the product does not know of (swap, disk weight) stays as it is. A port that is
 * another's is passed over by the panel without a word, so the answer's ports are compared: `conflict` where one is
 * missing or still there.
 */
async function setBuild(calls: Callers, panelId: string, build: PanelBuild): Promise<PanelAnswer<PanelServer>> {
  const { resources, addAllocations, removeAllocations } = build;
  if (!amountsFit(resources)) return no('limits');
  const [add, remove] = [numbersOf(addAllocations), numbersOf(removeAllocations)];
  if (add === null || remove === null) return no('place');
  const now = await calls.full(panelId);
  if (now.outcome !== 'ok') return now;
  // A key without the right to see ports cannot tell whether one was given.
  if (now.value.server.allocations === null) return no('right:allocations');
  const port = numberOf(defaultAfter(now.value, build) ?? '');
  if (port === null) return no('default_port');
  const { swap, io } = now.value;
  const answer = await changed(calls, panelId, 'build', {
    allocation: port,
    limits: { memory: resources.memory, swap, disk: resources.disk, io, cpu: resources.cpu },
    feature_limits: featureLimits(resources),
    add_allocations: add,
    remove_allocations: remove,
  });
  if (answer.outcome !== 'ok') return serverOf(answer);
  const ports = new Set(answer.value.server.allocations?.map((each) => each.id));
  const asWanted =
    addAllocations.every((id) => ports.has(id)) &&
    removeAllocations.every((id) => addAllocations.includes(id) || !ports.has(id));
  return asWanted ? serverOf(answer) : { outcome: 'conflict' };
}

type Reads = Pick<Panel, 'findServerByExternalId' | 'readServer' | 'newestServers' | 'listServers'>;
function reads(calls: Callers, { pageSize }: Dialect): Reads {
  return {
    async findServerByExternalId(externalId) {
      // A slash has no route even when it is encoded (panel contract, section 3), and 404 would say "there is none".
      if (externalId === '' || externalId.includes('/')) return no('external_id');
      const answer = await calls.call({
        kind: 'read',
        method: 'GET',
        path: `/servers/external/${encodeURIComponent(externalId)}?${INCLUDE}`,
        read: readServer,
      });
      if (answer.outcome !== 'ok') return answer;
      // The panel looks without case; ours have one.
      return answer.value.server.externalId === externalId ? serverOf(answer) : { outcome: 'not_found' };
    },
    readServer: async (panelId) => serverOf(await calls.full(panelId)),
    async newestServers() {
      const answer = await calls.call({
        kind: 'read',
        method: 'GET',
        path: `/servers?${INCLUDE}&sort=-id&per_page=${Math.min(NEWEST, pageSize)}&page=1`,
        read: readServers,
      });
      return answer.outcome === 'ok' ? { outcome: 'ok', value: answer.value.items } : answer;
    },
    async listServers(page) {
      const answer = await calls.call({
        kind: 'read',
        method: 'GET',
        path: `/servers?${INCLUDE}&sort=id&per_page=${pageSize}&page=${page}`,
        read: readServers,
      });
      if (answer.outcome !== 'ok') return answer;
      const { items, totalPages } = answer.value;
      return { outcome: 'ok', value: { servers: items, next: page < totalPages ? page + 1 : null } };
    },
  };
}

type Writes = Omit<
  Panel,
  keyof Reads | 'driver' | 'typicalInstallMs' | 'ensureUser' | 'updateUser' | 'usage' | 'power' | 'links'
>;
function writes(calls: Callers): Writes {
  return {
    async createServer(spec) {
      const made = createBody(spec);
      if ('reason' in made) return no(made.reason);
      // An answer about another server than ours is none: it is looked up by our id.
      const read = (body: unknown) => {
        const full = readServer(body);
        return full?.server.externalId === spec.externalId ? full : undefined;
      };
      return serverOf(
        await calls.call({ kind: 'create', method: 'POST', path: `/servers?${INCLUDE}`, body: made.body, read }),
      );
    },
    setBuild: (panelId, build) => setBuild(calls, panelId, build),
    async setDetails(panelId, { name, description, externalId, userId }) {
      const user = numberOf(userId);
      if (numberOf(panelId) === null) return no('id');
      if (user === null) return no('user');
      return serverOf(await changed(calls, panelId, 'details', { name, description, external_id: externalId, user }));
    },
    async setStartup(panelId, { egg, dockerImage, startup, environment }) {
      const eggId = numberOf(egg);
      if (numberOf(panelId) === null) return no('id');
      if (eggId === null) return no('egg');
      return serverOf(
        await changed(calls, panelId, 'startup', {
          egg: eggId,
          image: dockerImage,
          startup,
          environment,
          skip_scripts: false,
        }),
      );
    },
    suspend: (panelId) => calls.plain('POST', panelId, '/suspend'),
    unsuspend: (panelId) => calls.plain('POST', panelId, '/unsuspend'),
    reinstall: (panelId) => calls.plain('POST', panelId, '/reinstall'),
    deleteServer: (panelId, force = false) => calls.plain('DELETE', panelId, force ? '/force' : ''),
  };
}

/** Servers (panel contract, section 5). */
export function serverCalls(asking: Asking): Reads & Writes {
  const calls = callers(asking);
  return { ...reads(calls, asking.dialect), ...writes(calls) };
}
