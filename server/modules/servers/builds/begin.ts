import type { BuildsDeps } from './deps.ts';
import type { LeasedJob } from '../../jobs/index.ts';
import type { Tx } from '../../tx.ts';
import { placeKeyOf } from '../core/index.ts';
import type { BuildContext, QueueEntry, ServerRow } from '../core/ports.ts';
import { covers } from '../outages/index.ts';
import { spreadMs, type LeasedEntry } from './leased-entry.ts';
import type { BuildReader } from './read-builds.ts';

/** What an attempt begins with; `context` for a server that the panel has not got yet. */
interface Attempt {
  readonly leased: LeasedEntry;
  readonly context: BuildContext | null;
}

const isOpen = (entry: QueueEntry) => entry.state === 'queued' || entry.state === 'building';
const isBuilt = (server: ServerRow) => server.state === 'queued' || server.state === 'installing';

/**
 * The entry and the server of a job, locked together with it and with the owner's limits; null where they are gone. Who
 * finds their lease in it keeps it until the transaction ends.
 */
async function lockBuild(tx: Tx, { id, line }: LeasedJob): ReturnType<Tx['servers']['lockBuild']> {
  // Builds stand in line by their owners.
  if (line) await tx.limits.lock(line.groupKey);
  return tx.servers.lockBuild(id);
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
function beginAttempt(deps: BuildsDeps, job: LeasedJob): Promise<Attempt | null> {
  return deps.uow.run(async (tx) => {
    const now = deps.clock.now();
    const found = await lockBuild(tx, job);
    if (!found || !isOpen(found.entry) || !isBuilt(found.server)) return endJob(deps, tx, job, found?.entry ?? null);
    const { entry, server } = found;
    if (found.leaseToken !== job.leaseToken) return null;
    const outages = found.isAway ? (await tx.outages.list()).filter((outage) => covers(outage, server)) : [];
    const retriedOutages = await deps.outages.claimRetries(tx, outages, server);
    if (entry.state === 'queued' && outages.length > retriedOutages.length) {
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
    if (entry.state === 'queued') tx.touch(`servers:${server.userId}`);
    return {
      leased: {
        entry: { ...entry, ...begun },
        leaseToken: job.leaseToken,
        server: { ...server, state: 'installing' },
        retriedOutages,
      },
      context: server.panelId === null ? found.context : null,
    };
  });
}

/**
 * What an attempt of a leased job begins with; null where there is nothing to do. Asking how an installation gets on
 * changes nothing, so it needs no transaction that writes, unless it also finds out whether what was away is back.
 */
export async function startAttempt(deps: BuildsDeps, readBuild: BuildReader, job: LeasedJob): Promise<Attempt | null> {
  // One that waited until now has nothing to be asked for yet.
  if (job.line?.isNew) return beginAttempt(deps, job);
  const found = await readBuild(job.id);
  const polls =
    found?.entry.state === 'building' && found.server.state === 'installing' && found.server.panelId !== null;
  if (!polls || found.isAway) return beginAttempt(deps, job);
  const { entry, server } = found;
  return { leased: { entry, server, leaseToken: job.leaseToken, retriedOutages: [] }, context: null };
}
