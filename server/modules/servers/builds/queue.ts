import type { Tx } from '../../tx.ts';
import { build } from './build.ts';
import { factsOf, type BuildFacts } from './facts.ts';
import {
  lockAny,
  logStep,
  wakeQueue,
  type ServersDeps,
  pollPauseMs,
  QUEUE,
  SECOND_LOOK_MS,
  widthAt,
} from '../core/index.ts';
import { finishBuild } from './finish.ts';
import { giveUp, putBack, type Held } from './held.ts';
import { createInstallReader, type InstallReader } from './installs.ts';
import { createNodeReader, type NodeReader } from './open-node.ts';
import { beginOutage, endOutages, takeTries, waitOf } from '../outages/index.ts';
import type { Outage } from '../outages/ports.ts';
import { stateOf } from '../panel/index.ts';
import type { QueueRow } from '../core/ports.ts';

/** Most users with waiting entries that are told that the queue has moved. */
const TOLD = 100;

/** What was claimed, and for a server that the panel has not got yet what its build needs to know. */
interface Claimed {
  readonly held: Held;
  readonly facts: BuildFacts | null;
}
/** `lost`: it turned out to be somebody else's, or not to be built any more. */
type Claim = Claimed | 'lost';

/** Takes an entry with a lease. A try is counted at the claim, so that one which crashes counts as well. */
async function take(
  deps: ServersDeps,
  tx: Tx,
  next: QueueRow,
  now: number,
  outages: readonly Outage[],
): Promise<Claim> {
  const server = await lockAny(tx, next.serverId);
  const token = deps.ids.token();
  const attempts = next.attempts + (server?.panelId ? 0 : 1);
  const lease = { attempts, leaseToken: token, leaseUntilMs: now + QUEUE.leaseMs, startedMs: next.startedMs ?? now };
  const entry = await tx.servers.claim(next, lease, now);
  if (!entry) return 'lost';
  if (server?.state !== 'queued' && server?.state !== 'installing') {
    await tx.servers.changeQueue(entry.id, token, {
      state: 'cancelled',
      doneMs: now,
      leaseToken: null,
      leaseUntilMs: 0,
    });
    return 'lost';
  }
  if (server.state === 'queued') {
    await tx.servers.update(server.id, { state: 'installing' }, now);
    // One that comes back from waiting for its panel tells only what is new.
    if (entry.heldSinceMs === null) await logStep(deps, tx, entry, 'claimed');
  }
  const under = await takeTries(deps, tx, outages, server);
  return {
    held: { entry, token, server: { ...server, state: 'installing' }, under },
    facts: server.panelId ? null : await factsOf(tx, server),
  };
}

/** Takes from the head of the queue, at panels where there is room: one that is silent keeps no other waiting. */
async function takeWaiting(
  deps: ServersDeps,
  tx: Tx,
  most: number,
  now: number,
  outages: readonly Outage[],
): Promise<Claim[]> {
  const taken: Claim[] = [];
  const moved = new Set<string>();
  const building = new Map(await tx.servers.buildingAt());
  while (taken.length < most) {
    const full = [...building]
      .filter(([panel, count]) => count >= widthAt(panel === '' ? null : panel))
      .map(([panel]) => panel);
    const next = await tx.servers.nextWaiting(now, now - QUEUE.servedWindowMs, full, outages.length > 0);
    if (!next) break;
    const claim = await take(deps, tx, next, now, outages);
    taken.push(claim);
    if (claim === 'lost') continue;
    const { panel, userId } = claim.held.server;
    building.set(panel ?? '', (building.get(panel ?? '') ?? 0) + 1);
    moved.add(userId);
  }
  // Everybody behind has moved up.
  if (moved.size > 0)
    for (const userId of new Set([...moved, ...(await tx.servers.waitingUsers(TOLD))])) tx.touch(`servers:${userId}`);
  return taken;
}

/** Claims the next entries, first what is under construction and due. Fewer than `most` where nothing else is due. */
function claim(deps: ServersDeps, most: number): Promise<Claim[]> {
  return deps.uow.run(async (tx) => {
    const now = deps.clock.now();
    const taken: Claim[] = [];
    const outages = await tx.outages.list();
    for (const due of await tx.servers.dueBuilding(now, most)) taken.push(await take(deps, tx, due, now, outages));
    return taken.length < most
      ? [...taken, ...(await takeWaiting(deps, tx, most - taken.length, now, outages))]
      : taken;
  });
}

/** Claims for all who ask: those who ask while one claim is under way share the next. Out: `none` where nothing is due. */
function createClaims(deps: ServersDeps): () => Promise<Claim | 'none'> {
  let asking: PromiseWithResolvers<Claim | 'none'>[] = [];
  let serving = false;
  async function serve(): Promise<void> {
    while (asking.length > 0) {
      const asked = asking;
      asking = [];
      try {
        const taken = await claim(deps, asked.length);
        for (const [at, { resolve }] of asked.entries()) resolve(taken[at] ?? 'none');
      } catch (error) {
        for (const { reject } of asked) reject(error);
      }
    }
    serving = false;
  }
  return () => {
    const asked = Promise.withResolvers<Claim | 'none'>();
    asking.push(asked);
    if (!serving) {
      serving = true;
      // Whoever was answered by the same flush asks in the same turn.
      setImmediate(() => void serve());
    }
    return asked.promise;
  };
}

/**
 * Looks how the installation is getting on. A panel that does not answer is asked again until the time for an
 * installation is over.
 */
async function look(deps: ServersDeps, held: Held, readInstall: InstallReader, panelId: string): Promise<void> {
  const { entry, server } = held;
  const read = await readInstall(server, panelId);
  const now = deps.clock.now();
  const age = now - (entry.startedMs ?? now);
  if (read.outcome === 'ok') {
    const { value } = read;
    const back = held.under.filter(({ node, cause }) => node === '' && (cause === 'panel' || cause === 'off'));
    if (back.length > 0) await deps.uow.run((tx) => endOutages(deps, tx, back));
    if (value.state === 'ready') return deps.uow.run((tx) => finishBuild(deps, tx, held, value));
    if (value.state === 'install_failed' || value.state === 'reinstall_failed')
      return giveUp(deps, held, 'installFailed');
  }
  const gone =
    read.outcome === 'not_found' &&
    server.panelState === 'missing' &&
    now - (server.panelSeenMs ?? 0) >= SECOND_LOOK_MS;
  if (gone) return giveUp(deps, held, 'panelLost');
  // Only the panel's own word that it still installs ends it: while it is silent, nobody knows.
  const wait =
    read.outcome === 'ok' || read.outcome === 'not_found' || read.outcome === 'conflict'
      ? null
      : waitOf(deps, server.panel, read);
  const silent = wait !== null || read.outcome === 'unknown';
  if (age > QUEUE.installTimeoutMs && !silent) return giveUp(deps, held, 'installTimeout');
  await deps.uow.run(async (tx) => {
    const pause = pollPauseMs(age, server.panel);
    // While the panel is silent the time for an installation stands still.
    const startedMs = silent && entry.startedMs !== null ? Math.min(now, entry.startedMs + pause) : entry.startedMs;
    if (
      !(await putBack(deps, tx, held, now + pause, {
        lastError: read.outcome === 'ok' ? null : read.outcome,
        startedMs,
      }))
    )
      return;
    if (wait && wait.cause !== 'busy')
      await beginOutage(deps, tx, server, { cause: wait.cause, reason: wait.reason }, held.under);
    if (read.outcome === 'ok')
      await tx.servers.update(server.id, { panelState: stateOf(read.value), panelSeenMs: now }, now);
    else if (read.outcome === 'not_found') await tx.servers.update(server.id, { panelState: 'missing' }, now);
  });
}

/** Works on what was claimed until it is ready, has to wait or has failed. */
async function work(
  deps: ServersDeps,
  { readInstall, readNode }: { readonly readInstall: InstallReader; readonly readNode: NodeReader },
  claimed: Claim,
): Promise<void> {
  if (claimed === 'lost') return;
  const { held, facts } = claimed;
  const { panelId } = held.server;
  if (panelId !== null) await look(deps, held, readInstall, panelId);
  else if (held.entry.attempts > QUEUE.tries) await giveUp(deps, held, 'interrupted');
  else if (facts) await build(deps, readNode, held, facts);
}

/** How long one job works on the queue, well within its lease, and the most steps of it. */
const RUN_MS = 30_000;
const RUN_STEPS = 500;
/**
 * Steps of one job at once: while one waits for its panel the others go on, and what they write meanwhile goes to the
 * disk together.
 */
const AT_ONCE = 8;

/**
 * The queue of servers to be built (behaviour 6.2). Two workers never work on the same entry; one that dies loses its
 * lease and another goes on.
 */
export function createQueue(deps: ServersDeps) {
  const next = createClaims(deps);
  const readers = { readInstall: createInstallReader(deps), readNode: createNodeReader(deps) };
  return {
    /** Takes one step: claims what is next and works on it. Out: whether there was anything to do. */
    async step(): Promise<boolean> {
      const claimed = await next();
      if (claimed === 'none') return false;
      await work(deps, readers, claimed);
      return true;
    },

    /**
     * Works on the queue until nothing is due. Asks to go on where it had to stop before that. Out: steps taken.
     * Rejects with the first fault when all have ended.
     */
    async run(): Promise<number> {
      const end = deps.clock.now() + RUN_MS;
      let steps = 0;
      const over = () => steps >= RUN_STEPS || deps.clock.now() >= end;
      async function lane(): Promise<void> {
        while (!over()) {
          steps += 1;
          const claimed = await next();
          if (claimed === 'none') {
            steps -= 1;
            return;
          }
          await work(deps, readers, claimed);
        }
      }
      const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, lane));
      const fault = ends.find((each) => each.status === 'rejected');
      if (fault) throw fault.reason as Error;
      if (over()) await deps.uow.run((tx) => wakeQueue(deps, tx, '', deps.clock.now()));
      return steps;
    },
  };
}
