import type { World } from './world.ts';

/** Somebody makes a server at a panel without us, on a port that may be promised here already. */
export function byHand({ sites, random }: World): void {
  const { fake } = random.pick(sites);
  const { state } = fake;
  const free = [...state.allocations.values()].filter((port) => port.serverId === null);
  const [egg] = state.eggs.values();
  if (free.length === 0 || !egg) return;
  const port = random.pick(free);
  const [id, uuid] = [state.nextId('servers'), state.uuid()];
  state.insertServer({
    id,
    externalId: null,
    uuid,
    identifier: uuid.slice(0, 8),
    name: `By hand ${id}`,
    description: '',
    status: null,
    ownerId: 1,
    nodeId: port.nodeId,
    allocationId: port.id,
    eggId: egg.id,
    startup: egg.startup,
    image: Object.values(egg.dockerImages)[0] ?? '',
    memory: 512,
    swap: 0,
    disk: 512,
    io: 500,
    cpu: 50,
    threads: null,
    oomDisabled: true,
    databaseLimit: 0,
    allocationLimit: 1,
    backupLimit: 0,
    skipScripts: false,
    variables: new Map(),
    installedOnce: true,
    installingSinceMs: null,
    createdMs: state.now(),
    updatedMs: state.now(),
  });
  state.assign(port.id, id);
  state.onMachine.add(uuid);
}

/** Somebody changes or removes a server of ours at its panel. */
export function meddle({ sites, random }: World): void {
  const { state } = random.pick(sites).fake;
  const ours = [...state.servers.values()].filter((server) => server.externalId !== null);
  if (ours.length === 0) return;
  const server = random.pick(ours);
  const extra = [...state.allocations.values()].find((port) => port.serverId === null && port.nodeId === server.nodeId);
  const actions: readonly (() => unknown)[] = [
    () => (server.name = 'Meddled with'),
    () => (server.memory = 0),
    () => (server.ownerId = 1),
    () => server.status === null && (server.status = 'suspended'),
    () => server.status === 'suspended' && (server.status = null),
    () => state.nameServer(server.id, null),
    () => extra && state.assign(extra.id, server.id),
    () => state.removeServer(server.id),
  ];
  random.pick(actions)();
}
