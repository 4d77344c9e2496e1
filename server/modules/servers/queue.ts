import type { Tx } from '../tx.ts';
import { build } from './build.ts';
import { lockAny, logStep, wakeQueue, type ServersDeps } from './deps.ts';
import { finishBuild } from './finish.ts';
import { giveUp, putBack, type Held } from './held.ts';
import { ask, stateOf } from './panel-calls.ts';
import { pollPauseMs, QUEUE, SECOND_LOOK_MS, widthAt } from './policy.ts';
import type { QueueRow } from './ports.ts';

/** Most users with waiting entries that are told that the queue has moved. */
const TOLD = 100;

/** The entry to work on next: what is under construction and due, else the head of the queue at a panel where there is room: one that is silent keeps no other waiting. */
async function candidate(tx: Tx, now: number): Promise<QueueRow | null> {
  const due = await tx.servers.dueBuilding(now);
  if (due) return due;
  const building = await tx.servers.buildingAt();
  const full = [...building].filter(([panel, count]) => count >= widthAt(panel === '' ? null : panel)).map(([panel]) => panel);
  return tx.servers.nextWaiting(now, now - QUEUE.servedWindowMs, full);
}

/**
 * Claims the next entry with a lease; `none` where nothing is due, `lost` where it turned out to be somebody else's. A try is counted at
 * the claim, so that one which crashes counts as well.
 */
function claim(deps: ServersDeps): Promise<Held | 'none' | 'lost'> {
  return deps.uow.run(async (tx) => {
    const now = deps.clock.now();
    const next = await candidate(tx, now);
    if (!next) return 'none';
    const server = await lockAny(tx, next.serverId);
    const token = deps.ids.token();
    const attempts = next.attempts + (server?.panelId ? 0 : 1);
    const lease = { attempts, leaseToken: token, leaseUntilMs: now + QUEUE.leaseMs, startedMs: next.startedMs ?? now };
    const entry = await tx.servers.claim(next, lease, now);
    if (!entry) return 'lost';
    if (server?.state !== 'queued' && server?.state !== 'installing') {
      await tx.servers.changeQueue(entry.id, token, { state: 'cancelled', doneMs: now, leaseToken: null, leaseUntilMs: 0 });
      return 'lost';
    }
    if (server.state === 'queued') {
      await tx.servers.change(server.id, { state: 'installing' }, now);
      await logStep(deps, tx, entry, 'claimed');
      // Everybody behind has moved up.
      tx.touch(...new Set([server.userId, ...(await tx.servers.waitingUsers(TOLD))].map((userId) => `servers:${userId}` as const)));
    }
    return { entry, token, server: { ...server, state: 'installing' } };
  });
}

/** Looks how the installation is getting on. A panel that does not answer is asked again until the time for an installation is over. */
async function look(deps: ServersDeps, held: Held, panelId: string): Promise<void> {
  const { entry, server } = held;
  const read = await ask(deps, server.panel, 'read', (panel) => panel.readServer(panelId));
  const now = deps.clock.now();
  const age = now - (entry.startedMs ?? now);
  if (read.outcome === 'ok') {
    const { value } = read;
    if (value.state === 'ready') return deps.uow.run((tx) => finishBuild(deps, tx, held, value));
    if (value.state === 'install_failed' || value.state === 'reinstall_failed') return giveUp(deps, held, 'installFailed');
  }
  const gone = read.outcome === 'not_found' && server.panelState === 'missing' && now - (server.panelSeenMs ?? 0) >= SECOND_LOOK_MS;
  if (gone) return giveUp(deps, held, 'panelLost');
  // Only the panel's own word that it still installs ends it: while it is silent, nobody knows.
  const silent = read.outcome === 'unavailable' || read.outcome === 'unknown';
  if (age > QUEUE.installTimeoutMs && !silent) return giveUp(deps, held, 'installTimeout');
  await deps.uow.run(async (tx) => {
    if (!(await putBack(deps, tx, held, now + pollPauseMs(age, server.panel), { lastError: read.outcome === 'ok' ? null : read.outcome }))) return;
    if (read.outcome === 'ok') await tx.servers.change(server.id, { panelState: stateOf(read.value), panelSeenMs: now }, now);
    else if (read.outcome === 'not_found') await tx.servers.change(server.id, { panelState: 'missing' }, now);
  });
}

/** Works on what was claimed until it is ready, has to wait or has failed. */
async function work(deps: ServersDeps, held: Held | 'lost'): Promise<void> {
  if (held === 'lost') return;
  const { entry, server } = held;
  if (server.panelId) await look(deps, held, server.panelId);
  else if (entry.attempts > QUEUE.tries) await giveUp(deps, held, 'interrupted');
  else await build(deps, held);
}

/**
 * Takes one step of the queue (behaviour 6.2): claims what is next and works on it. Out: whether there was anything to do. Two workers never work
 * on the same entry; one that dies loses its lease and another goes on.
 */
export async function queueStep(deps: ServersDeps): Promise<boolean> {
  const held = await claim(deps);
  if (held === 'none') return false;
  await work(deps, held);
  return true;
}

/** How long one job works on the queue, well within its lease, and the most steps of it. */
const RUN_MS = 30_000;
const RUN_STEPS = 500;
/** Steps of one job at once: while one waits for its panel the others go on, and what they write meanwhile goes to the disk together. */
const AT_ONCE = 8;

/** Works on the queue until nothing is due. Asks to go on where it had to stop before that. Out: steps taken. Rejects with the first fault when all have ended. */
export async function queueRun(deps: ServersDeps, most: number = RUN_STEPS): Promise<number> {
  const end = deps.clock.now() + RUN_MS;
  const lanes: Promise<unknown>[] = [];
  const faults: unknown[] = [];
  let steps = 0;
  const over = () => steps >= most || deps.clock.now() >= end;
  async function lane(): Promise<void> {
    while (!over()) {
      steps += 1;
      const held = await claim(deps);
      if (held === 'none') {
        steps -= 1;
        return;
      }
      if (lanes.length < AT_ONCE) open();
      await work(deps, held);
    }
  }
  const open = () => lanes.push(lane().catch((error: unknown) => faults.push(error)));
  open();
  // Those that open meanwhile are waited for as well.
  for (let at = 0; at < lanes.length; at += 1) await lanes[at];
  if (faults.length > 0) throw faults[0] as Error;
  if (over()) await deps.uow.run((tx) => wakeQueue(deps, tx, '', deps.clock.now()));
  return steps;
}
