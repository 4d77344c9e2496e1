import type { BuildsDeps } from './deps.ts';
import { DomainError } from '#shared/errors.ts';
import type { QueueStep, ServerFailure } from '#shared/server-codes.ts';
import type { Egg, Location } from '../../catalog/ports.ts';
import type { Tx } from '../../tx.ts';
import { findPlacement } from '../capacity/index.ts';
import { lockServer, toEnvironment, firstPollMs } from '../core/index.ts';
import {
  failLeasedBuild,
  rescheduleBuild,
  waitForOutage,
  renewLease,
  logLeasedSteps,
  retryLater,
  type LeasedEntry,
} from './leased-entry.ts';
import type { NodeReader } from './open-node.ts';
import type { Outage } from '../outages/ports.ts';
import {
  ACCOUNT_REFUSED,
  ADDRESS_REFUSED,
  NO_ACCOUNT,
  PORT_TAKEN,
  reportedState,
  type PanelFailure,
} from '../panel/index.ts';
import type { PanelAnswer, PanelPlacement, PanelServer, PanelServerSpec } from '../panel/ports.ts';
import type { BuildContext, ServerRow } from '../core/ports.ts';

/** Placements that are tried within one attempt: ports may be taken at the panel by somebody else. */
const PLACES = 3;

interface Plan {
  readonly user: BuildContext['user'];
  readonly egg: Egg;
  readonly location: Location;
  readonly panelEgg: string;
}

function toServerSpec(
  server: ServerRow,
  { egg, location, panelEgg }: Plan,
  account: string,
  place: PanelPlacement | null,
): PanelServerSpec {
  return {
    externalId: server.id,
    userId: account,
    name: server.name,
    description: server.description,
    location: { id: location.id, name: location.name, address: location.address },
    placement: place,
    egg: {
      id: panelEgg,
      dockerImage: egg.dockerImage,
      startup: egg.startup,
      configFiles: egg.configFiles,
      container: egg.container,
    },
    resources: server.resources,
    environment: toEnvironment(egg.variables, server.variables),
  };
}

/** Why a server failed, by the reason of the panel's refusal. */
function failureOf(reason: string): ServerFailure {
  if (reason === ADDRESS_REFUSED) return 'addressRefused';
  return ACCOUNT_REFUSED.test(reason) ? 'accountTaken' : 'panelRefused';
}

/** A call that gave nothing to go on with. `certain`: the attempt changed nothing in the panel. */
function handleFailure(deps: BuildsDeps, leased: LeasedEntry, answer: PanelFailure, certain: boolean): Promise<void> {
  // Nobody was asked, or nothing was done: that costs no attempt. A key that was taken away or lacks a right is for staff
  // to mend, and may be any moment.
  const wait = deps.outages.causeOf(leased.server.panel, answer);
  if (wait) return waitForOutage(deps, leased, wait, certain);
  if (answer.outcome === 'refused') return failLeasedBuild(deps, leased, failureOf(answer.reason), certain);
  return retryLater(deps, leased, { outcome: answer.outcome, certain });
}

/** An answer that came when the build was over already: the server it made must go again. */
async function adoptLate(deps: BuildsDeps, tx: Tx, serverId: string, made: PanelServer): Promise<void> {
  const server = await lockServer(tx, serverId);
  if (server?.state !== 'failed' && server?.state !== 'deleted') return;
  const revision = server.revision + 1;
  await tx.servers.update(
    server.id,
    { panelId: made.panelId, panelState: reportedState(made), desired: 'deleted', revision },
    deps.clock.now(),
  );
  await deps.jobs.enqueueSync(tx, { id: server.id, revision });
}

/** The panel has the server: its id and ports are kept, and a later step looks how the installation gets on. */
function adopt(deps: BuildsDeps, leased: LeasedEntry, made: PanelServer, code: 'created' | 'found'): Promise<void> {
  return deps.uow.run(async (tx) => {
    const now = deps.clock.now();
    // While the lease is held nobody else changes what is written here: the row need not be read again.
    const { server } = leased;
    await tx.limits.lock(server.userId);
    const due = made.state === 'installing' ? now + firstPollMs(server.panel) : now;
    if (!(await rescheduleBuild(deps, tx, leased, due, { lastError: null, waitingSinceMs: null })))
      return adoptLate(deps, tx, server.id, made);
    const place = {
      panelIdentifier: made.identifier,
      panelNode: server.panel === null ? null : (made.node ?? server.panelNode),
    };
    const seen = {
      ...place,
      panelId: made.panelId,
      panelState: reportedState(made),
      panelSeenMs: now,
      address: made.address,
    } as const;
    // What was found may be older than what is wanted now; what was just made has what was wanted when the attempt began.
    await tx.servers.update(
      server.id,
      { ...seen, syncedRevision: code === 'created' ? leased.server.revision : 0 },
      now,
    );
    await deps.capacity.confirm(tx, server, made);
    await deps.history.logSteps(tx, leased.entry, [code, 'waiting']);
    tx.touch(`servers:${server.userId}`);
  });
}

/** Notes that outages are over, where this attempt was the one that found out. */
async function endRetriedOutages(
  deps: BuildsDeps,
  leased: LeasedEntry,
  which: (outage: Outage) => boolean,
): Promise<void> {
  const ended = leased.retriedOutages.filter(which);
  if (ended.length > 0) await deps.uow.run((tx) => deps.outages.end(tx, ended));
}

/**
 * Other ports, and where it must be another node, for a server that is not made yet. `taken`: what it had is somebody
 * else's; else its node is in maintenance. False where there are none, or the lease was lost: the attempt is over.
 */
async function relocateBuild(
  deps: BuildsDeps,
  leased: LeasedEntry,
  location: Location,
  taken: boolean,
): Promise<boolean> {
  try {
    return await deps.uow.run(async (tx) => {
      const server = await lockServer(tx, leased.server.id, leased.server.userId);
      if (!server || !(await renewLease(deps, tx, leased.entry.id, leased.leaseToken))) return false;
      const { node } = await deps.capacity.relocate(tx, server, location, taken);
      await tx.servers.update(server.id, { panelNode: node }, deps.clock.now());
      await deps.history.logStep(tx, leased.entry, 'moved');
      return true;
    });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    await (taken
      ? retryLater(deps, leased, { outcome: 'full', certain: false })
      : waitForOutage(deps, leased, { cause: 'maintenance', reason: null }, true));
    return false;
  }
}

/** What to do after an answer to a creation: nothing more (`done`), or once more with another place or account. */
type Next = 'done' | 'moved' | 'account';

/**
 * Somebody made it at the same time, most likely an earlier attempt of ours that came through late; or what it should
 * get is taken.
 */
async function handleConflict(deps: BuildsDeps, leased: LeasedEntry, location: Location): Promise<Next> {
  const found = await deps.callPanel(leased.server.panel, 'find', (panel) =>
    panel.findServerByExternalId(leased.server.id),
  );
  if (found.outcome === 'ok') await adopt(deps, leased, found.value, 'found');
  else if (found.outcome !== 'not_found')
    await handleFailure(deps, leased, found.outcome === 'refused' ? { outcome: 'conflict' } : found, false);
  else if (leased.server.panel === null) await retryLater(deps, leased, { outcome: 'conflict', certain: false });
  else if (await relocateBuild(deps, leased, location, true)) return 'moved';
  return 'done';
}

async function handleCreateAnswer(
  deps: BuildsDeps,
  leased: LeasedEntry,
  location: Location,
  made: PanelAnswer<PanelServer>,
): Promise<Next> {
  const away =
    made.outcome !== 'ok' &&
    made.outcome !== 'conflict' &&
    made.outcome !== 'not_found' &&
    (made.outcome === 'unknown' || deps.outages.causeOf(leased.server.panel, made) !== null);
  if (!away) await endRetriedOutages(deps, leased, () => true);
  if (made.outcome === 'ok') await adopt(deps, leased, made.value, 'created');
  else if (made.outcome === 'conflict' || (made.outcome === 'refused' && made.reason === PORT_TAKEN))
    return handleConflict(deps, leased, location);
  else if (made.outcome === 'not_found' || (made.outcome === 'refused' && made.reason === NO_ACCOUNT)) return 'account';
  else await handleFailure(deps, leased, made, made.outcome !== 'unknown');
  return 'done';
}

/**
 * Sends the creation: before that it is written down, so that whatever happens afterwards we know that the panel may
 * have it.
 */
async function sendCreation(
  deps: BuildsDeps,
  leased: LeasedEntry,
  plan: Plan,
  first: string,
  before: { readonly steps: readonly QueueStep[]; readonly moved: boolean },
): Promise<void> {
  let account = first;
  let renewed = false;
  let { moved } = before;
  for (let places = PLACES; places > 0;) {
    let place: PanelPlacement | null = null;
    const sent = await logLeasedSteps(deps, leased, places === PLACES && !renewed ? before.steps : [], async (tx) => {
      // Only this build moves it.
      place = await findPlacement(tx, (moved ? await tx.servers.find(leased.server.id) : null) ?? leased.server);
      await tx.servers.update(leased.server.id, { panelState: 'requested' }, deps.clock.now());
    });
    if (!sent) return;
    const made = await deps.callPanel(leased.server.panel, 'create', (panel) =>
      panel.createServer(toServerSpec(leased.server, plan, account, place)),
    );
    const next = await handleCreateAnswer(deps, leased, plan.location, made);
    if (next === 'done') return;
    if (next === 'moved') {
      places -= 1;
      moved = true;
      continue;
    }
    // The account is gone at the panel: made again, once.
    if (renewed) return failLeasedBuild(deps, leased, 'panelRefused', true);
    renewed = true;
    await deps.accounts.forget(leased.server.panel, plan.user.id);
    const again = await deps.accounts.ensure(leased.server.panel, plan.user);
    if (again.outcome !== 'ok') return handleFailure(deps, leased, again, true);
    account = again.value;
  }
  return retryLater(deps, leased, { outcome: 'conflict', certain: false });
}

/**
 * One attempt (behaviour 6.2): the owner's account, a look-up by our id, and only if the panel surely has no such
 * server its creation, at the place that was reserved for it.
 */
export async function build(
  deps: BuildsDeps,
  readNode: NodeReader,
  leased: LeasedEntry,
  context: BuildContext,
): Promise<void> {
  const { user, egg, location, panelEgg, account: known, node: knownNode } = context;
  if (!user.isActive) return failLeasedBuild(deps, leased, 'banned', true);
  if (!egg || !location || panelEgg === null) return failLeasedBuild(deps, leased, 'catalogGone', true);
  const account =
    known !== null ? ({ outcome: 'ok', value: known } as const) : await deps.accounts.ensure(leased.server.panel, user);
  if (account.outcome !== 'ok') return handleFailure(deps, leased, account, true);
  // What asked no panel elsewhere is noted together with the next.
  const isNoted = known === null && leased.server.panel !== null;
  if (isNoted && !(await logLeasedSteps(deps, leased, ['userEnsured']))) return;
  const found = await deps.callPanel(leased.server.panel, 'find', (panel) =>
    panel.findServerByExternalId(leased.server.id),
  );
  if (found.outcome !== 'ok' && found.outcome !== 'not_found') return handleFailure(deps, leased, found, true);
  await endRetriedOutages(deps, leased, ({ cause }) => cause === 'panel' || cause === 'off');
  if (found.outcome === 'ok') return adopt(deps, leased, found.value, 'found');
  const node = await readNode(leased.server, knownNode);
  if (typeof node === 'object') return waitForOutage(deps, leased, node, true);
  if (node === 'shut' && !(await relocateBuild(deps, leased, location, false))) return;
  return sendCreation(deps, leased, { user, egg, location, panelEgg }, account.value, {
    steps: isNoted ? ['lookedUp'] : ['userEnsured', 'lookedUp'],
    moved: node === 'shut',
  });
}
