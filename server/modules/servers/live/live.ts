import type { LiveDeps } from './deps.ts';
import { DomainError } from '#shared/errors.ts';
import type { LiveProblem, ServerEvent } from '#shared/server-codes.ts';
import { writeAudit } from '../../audit/index.ts';
import type { SignedIn } from '../../kernel.ts';
import { createLiveCache, LIVE, type LiveReading } from './cache.ts';
import { addressesOf } from './addresses.ts';
import {
  createPlayerCounts,
  ownQueryAddressOf,
  protocolOf,
  queryAddressOf,
  type PlayerCount,
  type PlayerQuery,
} from './players.ts';
import { assertMay } from '../../permit.ts';
import type { PanelAnswer, PowerSignal } from '../panel/ports.ts';
import { getServerFor, type NeededRight, type ServerAccess } from '../core/index.ts';
import type { ServerRow } from '../core/ports.ts';

/**
 * What a server uses right now, or why nobody knows. Both where the panel fell silent a moment ago: then the reading is
 * as old as its time.
 */
export interface LiveUsage {
  readonly problem: LiveProblem | null;
  readonly reading: LiveReading | null;
  /** Who plays on it; null where it does not run, or nobody knows. */
  readonly players: PlayerCount | null;
  /** The panel's own figures are as old as this when they reach us, ms. */
  readonly delayMs: number;
}

/** A server that can be asked about: the panel it is at and its name there. */
interface Target {
  readonly panel: string | null;
  readonly identifier: string;
  /** It runs on this machine. */
  readonly own: boolean;
}

/** The panel's part for one server, or what stands in the way before anybody is asked. */
export function targetOf(deps: Pick<LiveDeps, 'panels'>, server: ServerRow): Target | LiveProblem {
  // The built-in panel names those that really run.
  if (server.panelIdentifier === null && deps.panels.find(server.panel)?.driver === 'embedded') return 'embedded';
  if (server.state === 'suspended') return 'suspended';
  if (server.state !== 'active' || server.panelIdentifier === null) return 'notReady';
  const own = deps.panels.find(server.panel)?.driver === 'embedded';
  return { panel: server.panel, identifier: server.panelIdentifier, own };
}

/** What an answer that is no success means to the owner. */
export function problemOf(answer: Exclude<PanelAnswer<unknown>, { outcome: 'ok' }>): LiveProblem {
  if (answer.outcome === 'unavailable' || answer.outcome === 'unknown') return 'unreachable';
  if (answer.outcome === 'refused' && answer.reason === 'no_client_key') return 'noKey';
  return answer.outcome === 'conflict' || (answer.outcome === 'refused' && answer.reason === 'busy')
    ? 'busy'
    : 'refused';
}

/** Why a signal was not carried out. */
export const REFUSALS = {
  embedded: 'NO_GAME_PROCESS',
  noKey: 'POWER_UNAVAILABLE',
  refused: 'POWER_UNAVAILABLE',
  suspended: 'SERVER_SUSPENDED',
  notReady: 'SERVER_NOT_READY',
  busy: 'SERVER_BUSY',
  unreachable: 'PANEL_UNREACHABLE',
} as const satisfies Record<LiveProblem, string>;

const EVENTS = {
  start: 'powerStart',
  stop: 'powerStop',
  restart: 'powerRestart',
  kill: 'powerKill',
} as const satisfies Record<PowerSignal, ServerEvent>;

/** A server's page and password page in its panel; null where the panel has none. */
function linksOf(deps: LiveDeps, server: ServerRow): { server: string; password: string } | null {
  const there = server.state === 'active' || server.state === 'suspended' || server.state === 'installing';
  if (!there || server.panelIdentifier === null) return null;
  return deps.panels.find(server.panel)?.links(server.panelIdentifier) ?? null;
}

/** A server that the caller may use in this way, and as what; throws as `getServerFor` does. */
export const accessTo = (
  deps: Pick<LiveDeps, 'uow'>,
  ctx: SignedIn,
  id: string,
  right: NeededRight,
): Promise<ServerAccess> => deps.uow.read((tx) => getServerFor(tx, ctx.actor, id, right));

export type Live = ReturnType<typeof createLive>;

/**
 * Live usage and power of servers, by the panel's client API. Nothing here runs inside a transaction, and no page waits
 * for it.
 */
export function createLive(deps: LiveDeps) {
  const cache = createLiveCache(deps.clock);
  const players = createPlayerCounts(deps.clock, deps.queryPlayers);
  const keyOf = ({ panel, identifier }: Pick<Target, 'panel' | 'identifier'>) => `${panel ?? ''}:${identifier}`;

  /** What a server that the caller may see uses now. Throws NOT_FOUND; whatever the panel says is part of the answer. */
  const usage = async (ctx: SignedIn, id: string): Promise<LiveUsage> =>
    usageOf((await accessTo(deps, ctx, id, 'any')).server);

  /** The same of anybody's server, for staff. Throws FORBIDDEN, NOT_FOUND. */
  async function usageAsStaff(ctx: SignedIn, id: string): Promise<LiveUsage> {
    assertMay(ctx, 'admin.servers.list');
    const server = await deps.uow.read((tx) => tx.servers.find(id));
    if (!server || server.state === 'deleted') throw new DomainError('NOT_FOUND');
    return usageOf(server);
  }

  async function usageOf(server: ServerRow): Promise<LiveUsage> {
    const target = targetOf(deps, server);
    if (typeof target === 'string') return { problem: target, reading: null, players: null, delayMs: LIVE.keepMs };
    const { panel: panelId, identifier, own: isHere } = target;
    const { answer, latest } = await cache.read(
      keyOf(target),
      () => deps.callPanel(panelId, 'usage', (panel) => panel.usage(identifier)),
      isHere,
    );
    const problem = answer.outcome === 'ok' ? null : problemOf(answer);
    const runs = problem === null && latest?.usage.power === 'running';
    const playing = runs ? players(keyOf(target), () => queryTargetOf(server, isHere)) : null;
    return { problem, reading: latest, players: playing, delayMs: isHere ? 0 : LIVE.keepMs };
  }

  /** How and where a server is asked who plays on it; null where nobody knows. */
  async function queryTargetOf(server: ServerRow, isHere: boolean): Promise<Parameters<PlayerQuery> | null> {
    const { egg, known } = await deps.uow.read(async (tx) => ({
      egg: await tx.catalog.egg(server.eggId),
      known: (await tx.capacity.allocationsOf(server.id)).map((allocation) => allocation.address),
    }));
    const protocol = egg && protocolOf(egg);
    if (!protocol) return null;
    const own =
      protocol === 'source'
        ? ownQueryAddressOf(egg, server.variables, await addressesOf(deps.panels, server, known))
        : null;
    const address = queryAddressOf(own ?? server.address, isHere);
    return address && [protocol, address];
  }

  /**
   * Starts, stops, restarts or kills a server. A suspended one is never started from here, whatever the panel would say
   * (attacks T27). Throws NOT_FOUND, FORBIDDEN, SERVER_SUSPENDED, SERVER_NOT_READY, SERVER_BUSY, NO_GAME_PROCESS,
   * POWER_UNAVAILABLE, PANEL_UNREACHABLE.
   */
  async function power(ctx: SignedIn, id: string, signal: PowerSignal): Promise<void> {
    const { server: found, as } = await accessTo(deps, ctx, id, 'power');
    const target = targetOf(deps, found);
    if (typeof target === 'string') throw new DomainError(REFUSALS[target]);
    const answer = await deps.callPanel(target.panel, 'power', (panel) => panel.power(target.identifier, signal));
    cache.signalled(keyOf(target));
    // A signal that nobody answered may have been carried out: it is noted like one that was.
    if (answer.outcome === 'ok' || answer.outcome === 'unknown') {
      await deps.uow.run(async (tx) => {
        const server = await tx.servers.find(id);
        if (!server) return;
        const after = { signal, answered: answer.outcome === 'ok' };
        const audit = { action: 'servers.power', after, ofAll: true } as const;
        await deps.history.recordAct(tx, ctx, { server, as }, { event: EVENTS[signal], audit });
      });
    }
    if (answer.outcome !== 'ok') throw new DomainError(REFUSALS[problemOf(answer)]);
  }

  /**
   * Takes the word of the caller that they accept the licence of the game that their server runs; then it starts. Noted
   * before the panel hears of it. Throws as `power` does, NO_LICENCE_NEEDED where nobody asks for one.
   */
  async function acceptLicence(ctx: SignedIn, id: string): Promise<void> {
    const { server } = await accessTo(deps, ctx, id, 'owner');
    const target = targetOf(deps, server);
    if (typeof target === 'string') throw new DomainError(REFUSALS[target]);
    const { panelId } = server;
    if (panelId === null || !deps.panels.find(target.panel)?.acceptLicence) throw new DomainError('NO_LICENCE_NEEDED');
    const { problem, reading } = await usageOf(server);
    if (problem) throw new DomainError(REFUSALS[problem]);
    if (reading?.usage.halt?.reason !== 'licence') throw new DomainError('NO_LICENCE_NEEDED');
    await deps.uow.run(async (tx) => {
      await deps.history.record(tx, server, 'licenceAccepted', null, ctx.actor.userId);
      await writeAudit(tx, deps, ctx, { action: 'servers.licence', target: id, after: { licence: 'minecraft' } });
    });
    const answer = await deps.callPanel(
      target.panel,
      'acceptLicence',
      async (panel) => panel.acceptLicence?.(panelId) ?? { outcome: 'refused', reason: 'licence' },
    );
    cache.signalled(keyOf(target));
    if (answer.outcome !== 'ok') throw new DomainError(REFUSALS[problemOf(answer)]);
  }

  return { usage, usageAsStaff, power, acceptLicence, links: (server: ServerRow) => linksOf(deps, server) };
}
