import type { BuildsDeps } from './deps.ts';
import type { LeasedJob } from '../../jobs/index.ts';
import type { Tx } from '../../tx.ts';
import { lockServer, placeKeyOf } from '../core/index.ts';
import type { QueueRow, ServerRow } from '../core/ports.ts';
import { covers } from '../outages/index.ts';
import type { Outage } from '../outages/ports.ts';
import { factsOf, type BuildFacts } from './facts.ts';
import { apartMs, keepLease, type LeasedEntry } from './leased-entry.ts';

/** Most users with waiting entries whose pages are refreshed because the queue has moved. */
const REFRESHED = 100;

/** What an attempt begins with; `facts` for a server that the panel has not got yet. */
interface Attempt {
  readonly leased: LeasedEntry;
  readonly facts: BuildFacts | null;
}

const isOpen = (entry: QueueRow) => entry.state === 'queued' || entry.state === 'building';
const isBuilt = (server: ServerRow) => server.state === 'queued' || server.state === 'installing';

/** The entry and the server of a job, as they are now. */
async function entryOf(tx: Tx, id: string): Promise<{ entry: QueueRow; server: ServerRow } | null> {
  const entry = await tx.servers.queueEntry(id);
  const server = entry && (await tx.servers.find(entry.serverId));
  return entry && server ? { entry, server } : null;
}

/** Ends the job of an entry that is not to be built any more. */
async function endJob(deps: BuildsDeps, tx: Tx, job: LeasedJob, entry: QueueRow | null): Promise<null> {
  const now = deps.clock.now();
  if ((await tx.jobs.finish(job.id, job.leaseToken, now)) && entry && isOpen(entry))
    await tx.servers.changeQueue(entry.id, { state: 'cancelled', doneMs: now });
  return null;
}

/**
 * Begins an attempt: counted before it is made, so that one which crashes counts as well. Out: null where there is
 * nothing to do.
 */
function beginAttempt(deps: BuildsDeps, job: LeasedJob, serverId: string | null): Promise<Attempt | null> {
  return deps.uow.run(async (tx) => {
    const now = deps.clock.now();
    const server = serverId === null ? null : await lockServer(tx, serverId);
    const entry = await tx.servers.queueEntry(job.id);
    if (!entry || !server || !isOpen(entry) || !isBuilt(server)) return endJob(deps, tx, job, entry);
    if (!(await keepLease(deps, tx, job.id, job.leaseToken))) return null;
    const outages = await tx.outages.list();
    const under = await deps.outages.claimRetries(tx, outages, server);
    if (entry.state === 'queued' && outages.some((outage) => covers(outage, server) && !under.includes(outage))) {
      // Another tries what is away.
      await tx.jobs.backToLine(job.id, job.leaseToken, apartMs(deps), placeKeyOf(server));
      return null;
    }
    const begun = {
      state: 'building',
      attempts: entry.attempts + (server.panelId === null ? 1 : 0),
      startedMs: entry.startedMs ?? now,
    } as const;
    await tx.servers.changeQueue(entry.id, begun);
    if (server.state === 'queued') {
      await tx.servers.update(server.id, { state: 'installing' }, now);
      // One that comes back from waiting for its panel tells only what is new.
      if (entry.heldSinceMs === null) await deps.history.logStep(tx, entry, 'claimed');
    }
    if (entry.state === 'queued') await refreshLine(tx, server.userId);
    return {
      leased: {
        entry: { ...entry, ...begun },
        leaseToken: job.leaseToken,
        server: { ...server, state: 'installing' },
        under,
      },
      facts: server.panelId === null ? await factsOf(tx, server) : null,
    };
  });
}

/** Refreshes the pages of everybody in the line: who was behind has moved up. */
async function refreshLine(tx: Tx, userId: string): Promise<void> {
  for (const each of new Set([userId, ...(await tx.servers.waitingUsers(REFRESHED))])) tx.touch(`servers:${each}`);
}

/**
 * What an attempt of a leased job begins with; null where there is nothing to do. Asking how an installation gets on
 * changes nothing, so it needs no transaction that writes, unless it also tries what is away.
 */
export async function attemptOf(deps: BuildsDeps, job: LeasedJob): Promise<Attempt | null> {
  const { found, outages } = await deps.uow.read(async (tx) => ({
    found: await entryOf(tx, job.id),
    outages: await tx.outages.list(),
  }));
  const polls =
    found?.entry.state === 'building' && found.server.state === 'installing' && found.server.panelId !== null;
  if (!polls || outages.some((outage: Outage) => covers(outage, found.server)))
    return beginAttempt(deps, job, found?.server.id ?? null);
  return { leased: { ...found, leaseToken: job.leaseToken, under: [] }, facts: null };
}
