import { SERVER_JOBS, type Panel } from '#server/modules/servers/index.ts';
import { SECOND } from '#shared/time.ts';
import { inFolder } from './folder.ts';
import { reconcileMany } from './panel-reconcile.ts';
import { addRich, openPanelWorld, startPanel, type BenchPanel, type PanelWorld } from './panel-world.ts';
import { boundFigure, plainFigure, ratioFigure, type Figure } from './report.ts';
import { alternatePair, secondsOf } from './rounds.ts';

const TURNS = 5;
/** Servers a turn. */
const SERVERS = 240;
/** Attempts of a worker at once. */
const AT_ONCE = 32;
/** Servers that are compared in one look, and the most calls it may take: a page has a hundred. */
const MANY = 10_000;
const MOST_CALLS = 101;
const SMALL = { memory: 256, disk: 256, cpu: 5, ports: 1, databases: 0, backups: 0 };

/**
 * Figures i.queue, i.calls, i.reconcile: servers built a second beside the panel's client alone with the same calls,
 * and what is asked of the panel.
 */
export async function panelFigures(): Promise<Figure[]> {
  return [...(await atPanel(4 * (TURNS + 1) * SERVERS, queueFigures)), ...(await atPanel(MANY, reconcileFigures))];
}

/** Runs work at a fresh panel with so many ports. */
function atPanel(ports: number, work: (world: PanelWorld, fake: BenchPanel) => Promise<Figure[]>): Promise<Figure[]> {
  return inFolder(async (folder) => {
    const fake = await startPanel(ports);
    try {
      const world = await openPanelWorld(folder, fake);
      const figures = await work(world, fake);
      await world.host.close();
      return figures;
    } finally {
      await fake.stop();
    }
  });
}

/**
 * The queue, which flushes each step to the disk, beside the client alone, which writes nothing down: as many servers
 * at once as the queue, and (`i.queue.single`, for information) one after another, as a script would make them.
 */
async function queueFigures(world: PanelWorld, fake: BenchPanel): Promise<Figure[]> {
  const { queue, client } = await sides(world, fake);
  const before = await fake.order('calls');
  const rates = await alternatePair(TURNS, queue, client('one', 1));
  const calls = (await fake.order('calls')) - before;
  // Both sides did as many, the warm-up included; the client's three each are known.
  const built = (TURNS + 1) * SERVERS;
  const crowd = await alternatePair(TURNS, queue, client('crowd', AT_ONCE));
  return [
    ratioFigure('i.queue', crowd.a, crowd.b, 'servers/s', 0.5),
    { ...ratioFigure('i.queue.single', rates.a, rates.b, 'servers/s', 0), goal: null, holds: null },
    boundFigure('i.calls', (calls - 3 * built) / built, 'calls/server', 4),
  ];
}

async function reconcileFigures(world: PanelWorld, fake: BenchPanel): Promise<Figure[]> {
  const owner = await ownerOf(world);
  const { calls, seconds } = await reconcileMany(world, fake, owner, MANY);
  return [boundFigure('i.reconcile', calls, 'calls', MOST_CALLS), plainFigure('i.reconcile.time', seconds, 's')];
}

/** Somebody rich with an account at the panel. */
async function ownerOf({ host, panel: id, clock }: PanelWorld) {
  const ctx = await addRich(host, clock.now());
  const panel = host.services.panelModule.registry.find(id);
  const { userId, username } = ctx.actor;
  const account = await panel?.ensureUser({
    externalId: userId,
    username,
    email: `${username}@example.com`,
    firstName: 'Alex',
    lastName: 'Player',
  });
  if (!panel || account?.outcome !== 'ok') throw new Error(`the panel answered ${account?.outcome}`);
  return { ctx, panel, userId, account: account.value };
}

/** The two kinds of turns. */
async function sides(world: PanelWorld, fake: BenchPanel) {
  const { host, advance } = world;
  const { servers } = host.services;
  const { egg, location } = await host.database.uow.read(async (tx) => ({
    egg: (await tx.catalog.eggs())[0],
    location: (await tx.catalog.locations())[0],
  }));
  if (!egg || !location) throw new Error('the sample catalogue is empty');
  const inputOf = (name: string) => ({
    name,
    description: '',
    locationId: location.id,
    categoryId: egg.categoryId,
    eggId: egg.id,
    resources: SMALL,
    variables: {},
    autoRenew: false,
  });
  const { ctx, panel, account } = await ownerOf(world);

  /** Servers a second from the queue, entries that wait there already, to servers that are ready. */
  async function queue(turn: number): Promise<number> {
    for (let number = 0; number < SERVERS; number += 1) await servers.create(ctx, inputOf(`Server ${turn} ${number}`));
    let seconds = 0;
    for (let left = SERVERS; left > 0;) {
      seconds += await secondsOf(1, 1, async () => void (await host.runner.runDue({ kind: SERVER_JOBS.build })));
      await fake.order('install');
      advance(5 * SECOND);
      left = await host.database.uow.read(
        async (tx) => (await tx.servers.countEntries('queued')) + (await tx.servers.countEntries('building')),
      );
    }
    return SERVERS / seconds;
  }
  return { queue, client: clientAlone(panel, fake, account) };
}

/**
 * The same calls by the panel's client alone, some at once: look up, create, read when it is installed. In: the owner's
 * account, then a name for the turns.
 */
function clientAlone(
  panel: Panel,
  { ready }: BenchPanel,
  userId: string,
): (name: string, atOnce: number) => (turn: number) => Promise<number> {
  // From the end: the queue takes the lowest.
  const ports = [...ready.allocations];
  return (name, atOnce) => async (turn) => {
    const made: string[] = [];
    const building = await secondsOf(SERVERS, atOnce, async (at) => {
      const externalId = `bench-${name}-${turn}-${at}`;
      await panel.findServerByExternalId(externalId);
      const answer = await panel.createServer({
        externalId,
        userId,
        name: `Server ${turn} ${at}`,
        description: '',
        location: { id: '', name: '', address: '' },
        placement: { node: String(ready.node), allocation: String(ports.pop()), additional: [] },
        egg: { id: String(ready.egg), dockerImage: ready.image, startup: ready.startup },
        resources: SMALL,
        environment: { SERVER_JARFILE: 'server.jar' },
      });
      if (answer.outcome !== 'ok') throw new Error(`the panel answered ${JSON.stringify(answer)}`);
      made.push(answer.value.panelId);
    });
    const looking = await secondsOf(made.length, atOnce, (at) => panel.readServer(made[at] ?? ''));
    return SERVERS / (building + looking);
  };
}
