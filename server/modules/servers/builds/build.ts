import type { BuildsDeps } from './deps.ts';
import { DomainError } from '#shared/errors.ts';
import type { QueueStep, ServerFailure } from '#shared/server-codes.ts';
import type { Egg, Location } from '../../catalog/ports.ts';
import type { Tx } from '../../tx.ts';
import { findPlacement } from '../capacity/index.ts';
import { lockServer, toEnvironment, firstPollMs } from '../core/index.ts';
import { giveUp, goOnAt, hold, keepLease, noteSteps, retryLater, type LeasedEntry } from './leased-entry.ts';
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
import type { BuildFacts } from './facts.ts';
import type { PanelAnswer, PanelPlacement, PanelServer, PanelServerSpec } from '../panel/ports.ts';
import type { ServerRow } from '../core/ports.ts';

/** Places that are tried within one try: ports may be taken at the panel by somebody else. */
const PLACES = 3;

interface Plan {
  readonly user: NonNullable<BuildFacts['user']>;
  readonly egg: Egg;
  readonly location: Location;
  readonly panelEgg: string;
}

function specOf(
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
    egg: { id: panelEgg, dockerImage: egg.dockerImage, startup: egg.startup },
    resources: server.resources,
    environment: toEnvironment(egg.variables, server.variables),
  };
}

/** Why a server failed, by the reason of the panel's refusal. */
function failureOf(reason: string): ServerFailure {
  if (reason === ADDRESS_REFUSED) return 'addressRefused';
  return ACCOUNT_REFUSED.test(reason) ? 'accountTaken' : 'panelRefused';
}

/** A call that gave nothing to go on with. `certain`: the try changed nothing in the panel. */
function unanswered(deps: BuildsDeps, leased: LeasedEntry, answer: PanelFailure, certain: boolean): Promise<void> {
  // Nobody was asked, or nothing was done: that costs no try. A key that was taken away or lacks a right is for staff
  // to mend, and may be any moment.
  const wait = deps.outages.causeOf(leased.server.panel, answer);
  if (wait) return hold(deps, leased, wait, certain);
  if (answer.outcome === 'refused') return giveUp(deps, leased, failureOf(answer.reason), certain);
  return retryLater(deps, leased, { outcome: answer.outcome, certain });
}

/** An answer that came when the build was over already: the server it made must go again. */
async function adoptLate(deps: BuildsDeps, tx: Tx, server: ServerRow, made: PanelServer): Promise<void> {
  if (server.state !== 'failed' && server.state !== 'deleted') return;
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
    const server = await lockServer(tx, leased.server.id);
    if (!server) return;
    const due = made.state === 'installing' ? now + firstPollMs(server.panel) : now;
    if (!(await goOnAt(deps, tx, leased, due, { lastError: null, heldSinceMs: null })))
      return adoptLate(deps, tx, server, made);
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
    // What was found may be older than what is wanted now; what was just made has what was asked for at the claim.
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

/** Notes that outages are over, where this try was the one that found out. */
async function over(deps: BuildsDeps, leased: LeasedEntry, which: (outage: Outage) => boolean): Promise<void> {
  const ended = leased.under.filter(which);
  if (ended.length > 0) await deps.uow.run((tx) => deps.outages.end(tx, ended));
}

/**
 * Other ports, and where it must be another node, for a server that is not made yet. `taken`: what it had is somebody
 * else's; else its node is in maintenance. False where there are none, or the lease was lost: the try is over.
 */
async function move(deps: BuildsDeps, leased: LeasedEntry, location: Location, taken: boolean): Promise<boolean> {
  try {
    return await deps.uow.run(async (tx) => {
      const server = await lockServer(tx, leased.server.id);
      if (!server || !(await keepLease(deps, tx, leased.entry.id, leased.leaseToken))) return false;
      const { node } = await deps.capacity.relocate(tx, server, location, taken);
      await tx.servers.update(server.id, { panelNode: node }, deps.clock.now());
      await deps.history.logStep(tx, leased.entry, 'moved');
      return true;
    });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    await (taken
      ? retryLater(deps, leased, { outcome: 'full', certain: false })
      : hold(deps, leased, { cause: 'maintenance', reason: null }, true));
    return false;
  }
}

/** What to do after an answer to a creation: nothing more (`done`), or once more with another place or account. */
type Next = 'done' | 'moved' | 'account';

/**
 * Somebody made it at the same time, most likely an earlier try of ours that came through late; or what it should get
 * is taken.
 */
async function afterConflict(deps: BuildsDeps, leased: LeasedEntry, location: Location): Promise<Next> {
  const found = await deps.callPanel(leased.server.panel, 'find', (panel) =>
    panel.findServerByExternalId(leased.server.id),
  );
  if (found.outcome === 'ok') await adopt(deps, leased, found.value, 'found');
  else if (found.outcome !== 'not_found')
    await unanswered(deps, leased, found.outcome === 'refused' ? { outcome: 'conflict' } : found, false);
  else if (leased.server.panel === null) await retryLater(deps, leased, { outcome: 'conflict', certain: false });
  else if (await move(deps, leased, location, true)) return 'moved';
  return 'done';
}

async function afterCreate(
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
  if (!away) await over(deps, leased, () => true);
  if (made.outcome === 'ok') await adopt(deps, leased, made.value, 'created');
  else if (made.outcome === 'conflict' || (made.outcome === 'refused' && made.reason === PORT_TAKEN))
    return afterConflict(deps, leased, location);
  else if (made.outcome === 'not_found' || (made.outcome === 'refused' && made.reason === NO_ACCOUNT)) return 'account';
  else await unanswered(deps, leased, made, made.outcome !== 'unknown');
  return 'done';
}

/**
 * Sends the creation: before that it is written down, so that whatever happens afterwards we know that the panel may
 * have it.
 */
async function send(
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
    const sent = await noteSteps(deps, leased, places === PLACES && !renewed ? before.steps : [], async (tx) => {
      // Only this build moves it.
      place = await findPlacement(tx, (moved ? await tx.servers.find(leased.server.id) : null) ?? leased.server);
      await tx.servers.update(leased.server.id, { panelState: 'requested' }, deps.clock.now());
    });
    if (!sent) return;
    const made = await deps.callPanel(leased.server.panel, 'create', (panel) =>
      panel.createServer(specOf(leased.server, plan, account, place)),
    );
    const next = await afterCreate(deps, leased, plan.location, made);
    if (next === 'done') return;
    if (next === 'moved') {
      places -= 1;
      moved = true;
      continue;
    }
    // The account is gone at the panel: made anew, once.
    if (renewed) return giveUp(deps, leased, 'panelRefused', true);
    renewed = true;
    await deps.accounts.forget(leased.server.panel, plan.user.id);
    const again = await deps.accounts.ensure(leased.server.panel, plan.user);
    if (again.outcome !== 'ok') return unanswered(deps, leased, again, true);
    account = again.value;
  }
  return retryLater(deps, leased, { outcome: 'conflict', certain: false });
}

/**
 * One try (behaviour 6.2): the owner's account, a look-up by our id, and only if the panel surely has no such server
 * its creation, at the place that was reserved for it.
 */
export async function build(
  deps: BuildsDeps,
  readNode: NodeReader,
  leased: LeasedEntry,
  facts: BuildFacts,
): Promise<void> {
  const { user, egg, location, panelEgg, account: known } = facts;
  if (user?.status !== 'active') return giveUp(deps, leased, 'banned', true);
  if (!egg || !location || panelEgg === null) return giveUp(deps, leased, 'catalogGone', true);
  const account =
    known !== null ? ({ outcome: 'ok', value: known } as const) : await deps.accounts.ensure(leased.server.panel, user);
  if (account.outcome !== 'ok') return unanswered(deps, leased, account, true);
  // What asked nobody is noted together with the next.
  if (known === null && !(await noteSteps(deps, leased, ['userEnsured']))) return;
  const found = await deps.callPanel(leased.server.panel, 'find', (panel) =>
    panel.findServerByExternalId(leased.server.id),
  );
  if (found.outcome !== 'ok' && found.outcome !== 'not_found') return unanswered(deps, leased, found, true);
  await over(deps, leased, ({ cause }) => cause === 'panel' || cause === 'off');
  if (found.outcome === 'ok') return adopt(deps, leased, found.value, 'found');
  const node = await readNode(leased.server);
  if (typeof node === 'object') return hold(deps, leased, node, true);
  if (node === 'shut' && !(await move(deps, leased, location, false))) return;
  return send(deps, leased, { user, egg, location, panelEgg }, account.value, {
    steps: known === null ? ['lookedUp'] : ['userEnsured', 'lookedUp'],
    moved: node === 'shut',
  });
}
