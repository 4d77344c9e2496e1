import type { BuildsDeps } from './deps.ts';
import type { LeasedJob } from '../../jobs/index.ts';
import type { Tx } from '../../tx.ts';
import { lockServer, placeKeyOf } from '../core/index.ts';
import type { QueueEntry, ServerRow } from '../core/ports.ts';
import { covers } from '../outages/index.ts';
import type { Outage } from '../outages/ports.ts';
import { loadBuildContext, type BuildContext } from './build-context.ts';
import { spreadMs, keepLease, type LeasedEntry } from './leased-entry.ts';

/** Most users with waiting entries whose pages are refreshed because the queue has moved. */
const REFRESHED = 100;

/** What an attempt begins with; `context` for a server that the panel has not got yet. */
interface Attempt {
  readonly leased: LeasedEntry;
  readonly context: BuildContext | null;
}

const isOpen = (entry: QueueEntry) => entry.state === 'queued' || entry.state === 'building';
const isBuilt = (server: ServerRow) => server.state === 'queued' || server.state === 'installing';

/** The entry and the server of a job, as they are now. */
async function findEntryWithServer(tx: Tx, id: string): Promise<{ entry: QueueEntry; server: ServerRow } | null> {
  const entry = await tx.servers.findQueueEntry(id);
  const server = entry && (await tx.servers.find(entry.serverId));
  return entry && server ? { entry, server } : null;
}

/** Ends the job of an entry that is not to be built any more. */
async function endJob(deps: BuildsDeps, tx: Tx, job: LeasedJob, entry: QueueEntry | null): Promise<null> {
  const now = deps.clock.now();
  if ((await tx.jobs.finish(job.id, job.leaseToken, now)) && entry && isOpen(entry))
    await tx.servers.updateQueueEntry(entry.id, { state: 'cancelled', doneMs: now });
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
    const entry = await tx.servers.findQueueEntry(job.id);
    if (!entry || !server || !isOpen(entry) || !isBuilt(server)) return endJob(deps, tx, job, entry);
    if (!(await keepLease(deps, tx, job.id, job.leaseToken))) return null;
    const outages = await tx.outages.list();
    const retriedOutages = await deps.outages.claimRetries(tx, outages, server);
    if (
      entry.state === 'queued' &&
      outages.some((outage) => covers(outage, server) && !retriedOutages.includes(outage))
    ) {
      // Another attempt finds out whether that is back.
      await tx.jobs.returnToLine(job.id, job.leaseToken, spreadMs(deps), placeKeyOf(server));
      return null;
    }
    const begun = {
      state: 'building',
      attempts: entry.attempts + (server.panelId === null ? 1 : 0),
      startedMs: entry.startedMs ?? now,
    } as const;
    await tx.servers.updateQueueEntry(entry.id, begun);
    if (server.state === 'queued') {
      await tx.servers.update(server.id, { state: 'installing' }, now);
      // One that comes back from waiting for its panel tells only what is new.
      if (entry.waitingSinceMs === null) await deps.history.logStep(tx, entry, 'started');
    }
    if (entry.state === 'queued') await refreshLine(tx, server.userId);
    return {
      leased: {
        entry: { ...entry, ...begun },
        leaseToken: job.leaseToken,
        server: { ...server, state: 'installing' },
        retriedOutages,
      },
      context: server.panelId === null ? await loadBuildContext(tx, server) : null,
    };
  });
}

/** Refreshes the pages of everybody in the line: who was later in it has moved up. */
async function refreshLine(tx: Tx, userId: string): Promise<void> {
  for (const each of new Set([userId, ...(await tx.servers.listWaitingUsers(REFRESHED))])) tx.touch(`servers:${each}`);
}

/**
 * What an attempt of a leased job begins with; null where there is nothing to do. Asking how an installation gets on
 * changes nothing, so it needs no transaction that writes, unless it also finds out whether what was away is back.
 */
export async function startAttempt(deps: BuildsDeps, job: LeasedJob): Promise<Attempt | null> {
  const { found, outages } = await deps.uow.read(async (tx) => ({
    found: await findEntryWithServer(tx, job.id),
    outages: await tx.outages.list(),
  }));
  const polls =
    found?.entry.state === 'building' && found.server.state === 'installing' && found.server.panelId !== null;
  if (!polls || outages.some((outage: Outage) => covers(outage, found.server)))
    return beginAttempt(deps, job, found?.server.id ?? null);
  return { leased: { ...found, leaseToken: job.leaseToken, retriedOutages: [] }, context: null };
}
