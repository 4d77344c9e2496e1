import type { ConsolePart, PanelAnswer } from '#server/modules/servers/index.ts';
import type { Log } from '#server/modules/kernel.ts';
import type { ServerBackupCall } from '#shared/schemas/server-backups.ts';
import type { RuntimeServer, RuntimeSignal } from '#server/panel/index.ts';
import { createBackups, type Backups } from './backups/backups.ts';
import type { CallAnswer, CallRequest } from './call-socket.ts';
import { createDownloads } from './downloads/cache.ts';
import { createFileManager, type FileAnswer, type FileManager, type FileRequest } from './file-manager/manager.ts';
import { GameServer } from './server.ts';
import { applyRules, removeNetwork, SLOTS } from './sandbox/network.ts';
import { openQuota } from './sandbox/quota.ts';
import { createSandbox } from './sandbox/sandbox.ts';
import { createContainers, type Containers } from './engine/containers.ts';
import { createEngine, type Engine } from './engine/client.ts';
import { createMachine } from './machine.ts';
import { createReserveKeeper } from './reserve.ts';
import { createStore, type Spec, type State, type Store } from './store.ts';

interface Deps {
  /** Folder of servers. */
  readonly folder: string;
  readonly groups: 1 | 2;
  /** The program that is Bun as well: this one. */
  readonly bun: string;
  readonly log: Log;
  readonly now: () => number;
  /** Where downloads are asked for instead of at their sources; null: at the sources. */
  readonly mirror: string | null;
  /** What sources are told about who asks. */
  readonly userAgent: string;
  /** Socket of Docker or Podman; null: where one is by default; `off`: none. */
  readonly engineSocket: string | null;
}
/** Servers that are started at once after a reboot. */
const START_TOGETHER = 4;
/** How often it is looked whether the machine still has the space that it keeps. */
const RESERVE_MS = 5000;
/** How often it is looked whether there is an engine. */
const ENGINE_MS = 10_000;
/** How long the beginning of the node waits for the first look. */
const ENGINE_WAIT_MS = 5000;

function freeSlot(taken: ReadonlySet<number>): number | null {
  for (let slot = 0; slot < SLOTS; slot += 1) if (!taken.has(slot)) return slot;
  return null;
}

const newState = (slot: number): State => ({
  slot,
  state: 'installing',
  installed: -1,
  wanted: false,
  startedMs: 0,
  crashes: [],
  halt: null,
  ingredients: {},
  version: '',
  image: null,
});

/** Opens every server that the folder has. */
function readAll({
  store,
  log,
  taken,
  open,
}: {
  readonly store: Store;
  readonly log: Log;
  readonly taken: Set<number>;
  readonly open: (first: { spec: Spec; state: State }) => GameServer;
}): void {
  for (const id of store.ids()) {
    const [spec, state] = [store.readSpec(id), store.readState(id)];
    if (spec && state) open({ spec, state });
    // The power failed between making the folder and writing what it is for: nothing was ever started in it.
    else if (store.isEmpty(id)) store.forget(id);
    else {
      // Its files stay as they are, and nobody else gets its user.
      if (state) taken.add(state.slot);
      log.error('node.unreadable', { server: id });
    }
  }
}

/** Goes through all servers, a few at a time. */
async function forEachServer(waiting: GameServer[], work: (server: GameServer) => Promise<unknown>): Promise<void> {
  const lane = async (): Promise<void> => {
    for (let server = waiting.shift(); server; server = waiting.shift()) await work(server);
  };
  await Promise.all(Array.from({ length: START_TOGETHER }, lane));
}

/** Servers as they are. */
function views(servers: ReadonlyMap<string, GameServer>, backups: Pick<Backups, 'count'>) {
  const view = (server: GameServer): RuntimeServer => ({ ...server.view(), backups: backups.count(server.id) });
  return {
    view,
    list: (): RuntimeServer[] => [...servers.values()].map(view),
    read(id: string): PanelAnswer<RuntimeServer> {
      const server = servers.get(id);
      return server ? { outcome: 'ok', value: view(server) } : { outcome: 'not_found' };
    },
  };
}

/** What is read from a server and written to it. */
function consoleCalls(servers: ReadonlyMap<string, GameServer>) {
  return {
    async console(id: string, after: number, waitMs: number, signal?: AbortSignal): Promise<PanelAnswer<ConsolePart>> {
      const server = servers.get(id);
      return server
        ? { outcome: 'ok', value: await server.lines.read(after, waitMs, signal) }
        : { outcome: 'not_found' };
    },
    command(id: string, text: string): PanelAnswer<null> {
      const server = servers.get(id);
      if (!server) return { outcome: 'not_found' };
      return server.command(text) ? { outcome: 'ok', value: null } : { outcome: 'conflict' };
    },
  };
}

/** Works on the files of a server. `conflict` while nobody may. */
const fileCalls =
  (servers: ReadonlyMap<string, GameServer>, store: Store, files: FileManager) =>
  async (id: string, request: FileRequest): Promise<FileAnswer> => {
    const server = servers.get(id);
    if (!server || store.isDeleting(id)) return { outcome: 'not_found' };
    const place = server.openToFiles();
    return place ? files.call({ id, ...place }, request) : { outcome: 'conflict' };
  };

/** The same for its backups. */
const backupCalls =
  (servers: ReadonlyMap<string, GameServer>, store: Store, backups: Backups) =>
  async (id: string, request: CallRequest<ServerBackupCall>): Promise<CallAnswer> => {
    const server = servers.get(id);
    return !server || store.isDeleting(id) ? { outcome: 'not_found' } : backups.call(server, request);
  };

export type GameNode = ReturnType<typeof createNode>;

/** All servers of this machine. Each call may be repeated. */
export function createNode({ folder, groups, bun, log, now, mirror, userAgent, engineSocket }: Deps) {
  const store = createStore(folder);
  const sandbox = createSandbox({ store, groups, bun });
  const engine = createEngine(engineSocket);
  const containers = createContainers({ store, groups, engine, sandbox });
  const files = createFileManager({ store, groups, bun, log });
  const backups = createBackups({ store, groups, bun, log, now, usedBytes: sandbox.usedBytes, endFiles: files.end });
  const servers = new Map<string, GameServer>();
  const quota = openQuota(folder);
  const machine = createMachine({ folder, groups, isDiskHeld: quota.isHeld, engine });
  const { isBelowReserve } = machine;
  const downloads = createDownloads({ folder, groups, bun, log, now, mirror, userAgent, isBelowReserve });
  /** Slots of servers that are being deleted stay taken until nothing of them is left. */
  const taken = new Set<number>();
  let applying: Promise<void> = Promise.resolve();

  const applyNetwork = (): Promise<void> => {
    const places = () => [...servers.values()].map((each) => each.place());
    applying = applying.catch(() => undefined).then(() => applyRules(places()));
    return applying;
  };
  const looks = views(servers, backups);
  const { view } = looks;
  const open = (first: ConstructorParameters<typeof GameServer>[1]): GameServer => {
    const server = new GameServer(
      {
        store,
        sandbox,
        containers,
        engine,
        downloads,
        log,
        now,
        applyNetwork,
        closed: machine.closed,
        freeBytes: machine.freeBytes,
        configure: files.configure,
        limitFiles: quota.limit,
      },
      first,
    );
    servers.set(server.id, server);
    taken.add(first.state.slot);
    return server;
  };
  const deleting = deletionsOf({ store, files, backups, servers, taken, applyNetwork, log });
  function create(spec: Spec): PanelAnswer<RuntimeServer> {
    if (store.has(spec.id)) return { outcome: 'refused', reason: 'unreadable' };
    const slot = freeSlot(taken);
    if (slot === null) return { outcome: 'refused', reason: 'no_slot' };
    const state = newState(slot);
    store.make(spec.id);
    store.writeState(spec.id, state);
    store.writeSpec(spec);
    const server = open({ spec, state });
    void server.resume();
    return { outcome: 'ok', value: view(server) };
  }
  const watchEngine = engineWatcher(engine, containers, servers, log);
  return {
    /** Opens what is in the folder: finds running servers again, starts those that shall run, ends begun deletions. */
    async begin(): Promise<void> {
      readAll({ store, log, taken, open });
      await downloads.begin([...servers.values()].map((server) => server.ingredients()));
      await applyNetwork();
      await watchEngine();
      void resumeAll(servers, { store, deleting, backups }).catch((error: unknown) =>
        log.error('node.resume_failed', { error: String(error) }),
      );
      watchReserve(servers, machine, log);
    },
    machine: (reserve: number | null) => machine.read(reserve),
    maintain: maintenanceOf(servers, machine, log),
    list: looks.list,
    read: looks.read,
    async put(spec: Spec): Promise<PanelAnswer<RuntimeServer>> {
      const known = servers.get(spec.id);
      if (known) {
        if (store.isDeleting(spec.id)) return { outcome: 'conflict' };
        if (known.shall().recipe !== spec.recipe) return { outcome: 'refused', reason: 'recipe' };
        await known.change(spec);
        return { outcome: 'ok', value: view(known) };
      }
      return create(spec);
    },
    power(id: string, signal: RuntimeSignal): PanelAnswer<null> {
      const server = servers.get(id);
      if (!server) return { outcome: 'not_found' };
      return server.power(signal) ? { outcome: 'ok', value: null } : { outcome: 'conflict' };
    },
    ...consoleCalls(servers),
    files: fileCalls(servers, store, files),
    backups: backupCalls(servers, store, backups),
    remove: deleting.remove,
  };
}

interface DeletionDeps {
  readonly store: Store;
  readonly files: Pick<FileManager, 'end'>;
  readonly backups: Pick<Backups, 'end'>;
  readonly servers: Map<string, GameServer>;
  readonly taken: Set<number>;
  readonly applyNetwork: () => Promise<void>;
  readonly log: Log;
}

/** Deletions of servers: one at a time each, and gone on with where they were left. */
function deletionsOf({ store, files, backups, servers, taken, applyNetwork, log }: DeletionDeps) {
  const running = new Map<string, Promise<boolean>>();
  /** Deletes all of a server; goes on where it was left. Out: whether nothing is left. */
  async function finish(server: GameServer): Promise<boolean> {
    const { id } = server;
    const { slot } = server.place();
    if (!(await files.end(id)) || !(await backups.end(id)) || !(await server.remove())) return false;
    servers.delete(id);
    await applyNetwork();
    if (!(await removeNetwork(slot)) || !store.forget(id)) {
      servers.set(id, server);
      return false;
    }
    taken.delete(slot);
    log.info('node.deleted', { server: id });
    return true;
  }
  return {
    finish,
    async remove(id: string): Promise<PanelAnswer<null>> {
      const server = servers.get(id);
      if (!server) return { outcome: 'ok', value: null };
      store.markDeleting(id);
      const deletion = running.getOrInsertComputed(id, () =>
        finish(server)
          .catch((error: unknown) => {
            log.error('node.delete_failed', { server: id, error: String(error) });
            return false;
          })
          .finally(() => running.delete(id)),
      );
      return (await deletion) ? { outcome: 'ok', value: null } : { outcome: 'unavailable' };
    },
  };
}

type Servers = ReadonlyMap<string, GameServer>;
type Machine = ReturnType<typeof createMachine>;

/** After the program began: goes on with every server where it was left, and counts the files of those that stand still. */
async function resumeAll(
  servers: Servers,
  { store, deleting, backups }: { store: Store; deleting: ReturnType<typeof deletionsOf>; backups: Backups },
): Promise<void> {
  await forEachServer([...servers.values()], async (server) => {
    if (store.isDeleting(server.id)) return void (await deleting.finish(server));
    const goOn = await backups.finishRestore(server);
    await server.resume();
    goOn();
  });
  // Nobody else would before their next start, and until then they would be shown as empty.
  await forEachServer([...servers.values()], (server) => server.countFiles());
}

/** Keeps the machine's reserve from now on. */
function watchReserve(servers: Servers, machine: Pick<Machine, 'isBelowReserve'>, log: Log): void {
  const keepReserve = createReserveKeeper(() => servers.values(), machine, log);
  const failed = (error: unknown) => log.error('node.reserve_failed', { error: String(error) });
  setInterval(() => void keepReserve().catch(failed), RESERVE_MS);
}

/** Looks for the engine from now on. One that came: what no server has is removed, and what waited for it starts. */
function engineWatcher(engine: Engine, containers: Containers, servers: Servers, log: Log): () => Promise<void> {
  const failed = (error: unknown) => log.error('node.engine_failed', { error: String(error) });
  let isSwept = false;
  async function look(): Promise<void> {
    const came = await engine.probe();
    if (came) log.info('node.engine_ready', { ...engine.facts() });
    if (engine.isReady() && (came || !isSwept))
      isSwept = await containers
        .sweep((id) => servers.get(id)?.mayHaveContainer() === true)
        .then(
          () => true,
          (error: unknown) => {
            failed(error);
            return false;
          },
        );
    // An image may take half an hour to load: it is looked on meanwhile.
    if (came) void forEachServer([...servers.values()], (server) => server.startWithEngine()).catch(failed);
  }
  /** One look after the other: an engine may take longer to answer than there is between two. */
  const lookOn = (): void => void setTimeout(() => void look().catch(failed).finally(lookOn), ENGINE_MS);
  return async () => {
    const first = look().catch(failed).finally(lookOn);
    // Servers that need none do not wait for one that hangs.
    await Promise.race([first, Bun.sleep(ENGINE_WAIT_MS)]);
  };
}

/** Stops all servers and starts none, or starts again those that ran. Answers before they have. */
function maintenanceOf(servers: Servers, machine: Pick<Machine, 'maintain'>, log: Log): (isOn: boolean) => void {
  return (isOn) => {
    machine.maintain(isOn);
    log.info('node.maintenance', { on: isOn });
    const failed = (error: unknown) => log.error('node.maintenance_failed', { error: String(error) });
    if (isOn) void Promise.all([...servers.values()].map((server) => server.stopForMaintenance())).catch(failed);
    else void forEachServer([...servers.values()], (server) => server.startIfWanted()).catch(failed);
  };
}
