import type { Egg, Location } from '../catalog/ports.ts';
import type { Tx } from '../tx.ts';
import { lockAny, logStep, wakeSync, type ServersDeps } from './deps.ts';
import { giveUp, putBack, step, tryAgain, type Held } from './held.ts';
import { ask, stateOf, type NoAnswer } from './panel-calls.ts';
import type { PanelServer, PanelServerSpec } from './panel-port.ts';
import { environmentOf, pollPauseMs } from './policy.ts';
import type { ServerRow } from './ports.ts';

/** What a try needs to know, read before the panel is asked. */
function factsOf(deps: ServersDeps, server: ServerRow) {
  return deps.uow.read(async (tx) => ({
    user: await tx.identity.user(server.userId),
    egg: await tx.catalog.egg(server.eggId),
    location: await tx.catalog.location(server.locationId),
  }));
}

function specOf(server: ServerRow, panelUser: string, egg: Egg, location: Location): PanelServerSpec {
  return {
    externalId: server.id,
    userId: panelUser,
    name: server.name,
    description: server.description,
    location: { id: location.id, name: location.name, address: location.address },
    egg: { id: egg.id, dockerImage: egg.dockerImage, startup: egg.startup },
    resources: server.resources,
    environment: environmentOf(egg.variables, server.variables),
  };
}

/** A call that gave nothing to go on with. `certain`: the try changed nothing in the panel. */
function unanswered(deps: ServersDeps, held: Held, answer: NoAnswer, certain: boolean): Promise<void> {
  if (answer.outcome === 'refused') return giveUp(deps, held, 'panelRefused', certain);
  return tryAgain(deps, held, { outcome: answer.outcome, certain });
}

/** An answer that came when the build was over already: the server it made must go again. */
async function adoptLate(deps: ServersDeps, tx: Tx, server: ServerRow, made: PanelServer): Promise<void> {
  if (server.state !== 'failed' && server.state !== 'deleted') return;
  const revision = server.revision + 1;
  await tx.servers.change(server.id, { panelId: made.panelId, panelState: stateOf(made), desired: 'deleted', revision }, deps.clock.now());
  await wakeSync(deps, tx, { id: server.id, revision });
}

/** The panel has the server: its id is kept, and a later step looks how the installation gets on. */
function adopt(deps: ServersDeps, held: Held, made: PanelServer, code: 'created' | 'found'): Promise<void> {
  return deps.uow.run(async (tx) => {
    const now = deps.clock.now();
    const server = await lockAny(tx, held.server.id);
    if (!server) return;
    const due = made.state === 'installing' ? now + pollPauseMs(0) : now;
    if (!(await putBack(deps, tx, held, due, { lastError: null }))) return adoptLate(deps, tx, server, made);
    const seen = { panelId: made.panelId, panelState: stateOf(made), panelSeenMs: now, address: made.address } as const;
    // What was found may be older than what is wanted now; what was just made has what was asked for at the claim.
    await tx.servers.change(server.id, { ...seen, syncedRevision: code === 'created' ? held.server.revision : 0 }, now);
    await logStep(deps, tx, held.entry, code);
    await logStep(deps, tx, held.entry, 'waiting');
    tx.touch(`servers:${server.userId}`);
  });
}

/** Somebody made it at the same time, most likely an earlier try of ours that came through late. */
async function afterConflict(deps: ServersDeps, held: Held): Promise<void> {
  const found = await ask(deps, 'find', () => deps.panel.findServerByExternalId(held.server.id));
  if (found.outcome === 'ok') return adopt(deps, held, found.value, 'found');
  return tryAgain(deps, held, { outcome: 'conflict', certain: false });
}

/**
 * One try (behaviour 6.2): the owner's account, a look-up by our id, and only if the panel surely has no such server its creation. Before
 * that is sent it is written down, so that whatever happens afterwards we know that the panel may have it.
 */
export async function build(deps: ServersDeps, held: Held): Promise<void> {
  const { user, egg, location } = await factsOf(deps, held.server);
  if (user?.status !== 'active') return giveUp(deps, held, 'banned', true);
  if (!egg || !location) return giveUp(deps, held, 'catalogGone', true);
  const { id, username, email, firstName, lastName } = user;
  const account = await ask(deps, 'ensureUser', () => deps.panel.ensureUser({ externalId: id, username, email, firstName, lastName }));
  if (account.outcome !== 'ok') return unanswered(deps, held, account, true);
  if (!(await step(deps, held, 'userEnsured'))) return;
  const found = await ask(deps, 'find', () => deps.panel.findServerByExternalId(held.server.id));
  if (found.outcome === 'ok') return adopt(deps, held, found.value, 'found');
  if (found.outcome !== 'not_found') return unanswered(deps, held, found, true);
  const sent = await step(deps, held, 'lookedUp', (tx) => tx.servers.change(held.server.id, { panelState: 'requested' }, deps.clock.now()));
  if (!sent) return;
  const made = await ask(deps, 'create', () => deps.panel.createServer(specOf(held.server, account.value, egg, location)));
  if (made.outcome === 'ok') return adopt(deps, held, made.value, 'created');
  if (made.outcome === 'conflict') return afterConflict(deps, held);
  return unanswered(deps, held, made, made.outcome !== 'unknown');
}
