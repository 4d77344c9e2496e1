import type { Tx } from '../tx.ts';
import { build } from './build.ts';
import { lockAny, logStep, type ServersDeps } from './deps.ts';
import { finishBuild } from './finish.ts';
import { giveUp, putBack, type Held } from './held.ts';
import { ask, stateOf } from './panel-calls.ts';
import { pollPauseMs, QUEUE, SECOND_LOOK_MS } from './policy.ts';
import type { QueueRow } from './ports.ts';

/** Most waiting entries whose owners are told that the queue has moved. */
const TOLD = 100;

/** The entry to work on next: what is under construction and due, else the head of the queue while there is room. */
async function candidate(tx: Tx, now: number): Promise<QueueRow | null> {
  const due = await tx.servers.dueBuilding(now);
  if (due) return due;
  if ((await tx.servers.countQueue('building')) >= QUEUE.width) return null;
  return (await tx.servers.waiting(now, now - QUEUE.servedWindowMs, 1))[0] ?? null;
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
      const behind = await tx.servers.waiting(now, now - QUEUE.servedWindowMs, TOLD);
      tx.touch(...new Set([server.userId, ...behind.map((other) => other.userId)].map((userId) => `servers:${userId}`)));
    }
    return { entry, token, server: { ...server, state: 'installing' } };
  });
}

/** Looks how the installation is getting on. A panel that does not answer is asked again until the time for an installation is over. */
async function look(deps: ServersDeps, held: Held, panelId: string): Promise<void> {
  const { entry, server } = held;
  const read = await ask(deps, 'read', () => deps.panel.readServer(panelId));
  const now = deps.clock.now();
  const age = now - (entry.startedMs ?? now);
  if (read.outcome === 'ok') {
    const { value } = read;
    if (value.state === 'ready') return deps.uow.run((tx) => finishBuild(deps, tx, held, value));
    if (value.state === 'install_failed') return giveUp(deps, held, 'installFailed');
  }
  const gone = read.outcome === 'not_found' && server.panelState === 'missing' && now - (server.panelSeenMs ?? 0) >= SECOND_LOOK_MS;
  if (gone) return giveUp(deps, held, 'panelLost');
  if (age > QUEUE.installTimeoutMs) return giveUp(deps, held, 'installTimeout');
  await deps.uow.run(async (tx) => {
    if (!(await putBack(deps, tx, held, now + pollPauseMs(age), { lastError: read.outcome === 'ok' ? null : read.outcome }))) return;
    if (read.outcome === 'ok') await tx.servers.change(server.id, { panelState: stateOf(read.value), panelSeenMs: now }, now);
    else if (read.outcome === 'not_found') await tx.servers.change(server.id, { panelState: 'missing' }, now);
  });
}

/**
 * Takes one step of the queue (behaviour 6.2): claims what is next and works on it until it is ready, has to wait or has failed.
 * Out: whether there was anything to do. Two workers never work on the same entry; one that dies loses its lease and another goes on.
 */
export async function queueStep(deps: ServersDeps): Promise<boolean> {
  const held = await claim(deps);
  if (held === 'none') return false;
  if (held === 'lost') return true;
  const { entry, server } = held;
  if (server.panelId) await look(deps, held, server.panelId);
  else if (entry.attempts > QUEUE.tries) await giveUp(deps, held, 'interrupted');
  else await build(deps, held);
  return true;
}
