import type { BuildsDeps } from './deps.ts';
import type { LeasedJob } from '../../jobs/index.ts';
import { pollPauseMs, QUEUE, RECHECK_MS } from '../core/index.ts';
import { reportedState } from '../panel/index.ts';
import { startAttempt } from './begin.ts';
import { build } from './build.ts';
import { finishBuild } from './finish.ts';
import { createInstallReader, type InstallReader } from './installs.ts';
import { failLeasedBuild, rescheduleBuild, type LeasedEntry } from './leased-entry.ts';
import { createNodeReader } from './open-node.ts';
import { createBuildReader } from './read-builds.ts';

/**
 * Asks how the installation is getting on. A panel that does not answer is asked again until the time for an
 * installation is over.
 */
async function pollInstall(
  deps: BuildsDeps,
  leased: LeasedEntry,
  readInstall: InstallReader,
  panelId: string,
): Promise<void> {
  const { entry, server } = leased;
  const read = await readInstall(server, panelId);
  const now = deps.clock.now();
  const age = now - (entry.startedMs ?? now);
  if (read.outcome === 'ok') {
    const { value } = read;
    const back = leased.retriedOutages.filter(
      ({ node, cause }) => node === '' && (cause === 'panel' || cause === 'off'),
    );
    if (back.length > 0) await deps.uow.run((tx) => deps.outages.end(tx, back));
    if (value.state === 'ready') return deps.uow.run((tx) => finishBuild(deps, tx, leased, value));
    if (value.state === 'install_failed' || value.state === 'reinstall_failed')
      return failLeasedBuild(deps, leased, 'installFailed');
  }
  const gone =
    read.outcome === 'not_found' && server.panelState === 'missing' && now - (server.panelSeenMs ?? 0) >= RECHECK_MS;
  if (gone) return failLeasedBuild(deps, leased, 'panelLost');
  // Only the panel's own word that it still installs ends it: while it is silent, nobody knows.
  const wait =
    read.outcome === 'ok' || read.outcome === 'not_found' || read.outcome === 'conflict'
      ? null
      : deps.outages.causeOf(server.panel, read);
  const silent = wait !== null || read.outcome === 'unknown';
  if (age > QUEUE.installTimeoutMs && !silent) return failLeasedBuild(deps, leased, 'installTimeout');
  await deps.uow.run(async (tx) => {
    const pause = pollPauseMs(age, server.panel);
    // While the panel is silent the time for an installation stands still.
    const startedMs = silent && entry.startedMs !== null ? Math.min(now, entry.startedMs + pause) : entry.startedMs;
    const lastError = read.outcome === 'ok' ? null : read.outcome;
    if (!(await rescheduleBuild(deps, tx, leased, now + pause, { lastError, startedMs }))) return;
    if (wait && wait.cause !== 'busy')
      await deps.outages.start(tx, server, { cause: wait.cause, reason: wait.reason }, leased.retriedOutages);
    if (read.outcome === 'ok')
      await tx.servers.update(server.id, { panelState: reportedState(read.value), panelSeenMs: now }, now);
    else if (read.outcome === 'not_found') await tx.servers.update(server.id, { panelState: 'missing' }, now);
  });
}

/**
 * The worker of the queue of servers to be built (behaviour 6.2). Out: works on a leased job until its server is ready,
 * has to wait or has failed, and ends the job in the same transaction. Two workers never change the same entry: one
 * that lost its lease changes nothing any more.
 */
export function createBuildWorker(deps: BuildsDeps): (job: LeasedJob) => Promise<void> {
  const readInstall = createInstallReader(deps);
  const readNode = createNodeReader(deps);
  const readBuild = createBuildReader(deps);
  return async (job) => {
    const attempt = await startAttempt(deps, readBuild, job);
    if (!attempt) return;
    const { leased, context } = attempt;
    const { panelId } = leased.server;
    if (panelId !== null) await pollInstall(deps, leased, readInstall, panelId);
    else if (leased.entry.attempts > QUEUE.attempts) await failLeasedBuild(deps, leased, 'interrupted');
    else if (context) await build(deps, readNode, leased, context);
  };
}
