import type { ResourceKind } from '#shared/constants.ts';
import { DomainError } from '#shared/errors.ts';
import type { Flags } from '#shared/flags.ts';
import type { QueueStep, ServerEvent, ServerNotification } from '#shared/server-codes.ts';
import type { SettingValues } from '#shared/settings.ts';
import type { NewJob } from '../../jobs/ports.ts';
import type { Events } from '../../events/index.ts';
import type { Clock, Ids, Log } from '../../kernel.ts';
import type { Ledger } from '../../ledger/index.ts';
import type { Mailing } from '../../mailing/index.ts';
import type { Tx, UnitOfWork } from '../../tx.ts';
import type { ServerRow } from './ports.ts';
import type { PanelRegistry } from '../panel/index.ts';

export type Meters = Record<ResourceKind, { used: number; limit: number }>;
/** What the servers module is given. No panel is ever called inside a transaction. */
export interface ServersDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** 0 to 1: spreads pauses. */
  readonly random: () => number;
  readonly panels: PanelRegistry;
  readonly settings: { current(): SettingValues; flags(): Flags };
  readonly ledger: Pick<Ledger, 'transfer' | 'balance' | 'hold' | 'capture' | 'release'>;
  readonly limits: { meters(tx: Tx, userId: string): Promise<Meters> };
  readonly mailing: Pick<Mailing, 'sendTo'>;
  readonly notifications: {
    notify(
      tx: Tx,
      userId: string,
      kind: string,
      data: Record<string, string | number>,
      uniqueKey: string,
    ): Promise<unknown>;
  };
  readonly events: Pick<Events, 'emit'>;
}

/** Kinds of job of this module. */
export const SERVER_JOBS = {
  /** An attempt to build the server of a queue entry, whose id the job has. */
  build: 'servers.build',
  /** Brings the panel to what we want of one server: {serverId, revision}. */
  sync: 'servers.sync',
  /** Puts the servers of a user in step with a ban or its end: {userId}. Identity adds it in the transaction of the ban. */
  owner: 'servers.owner',
  /** Brings the panel accounts of a user to the address and names of now: {userId}. */
  account: 'servers.account',
  /** Reads the sums of a panel's nodes anew, and the ports of one of them: {panel, node}. */
  capacity: 'servers.capacity',
  /** Compares every panel with our rows now: {}. */
  reconcile: 'servers.reconcileNow',
} as const;

/** Adds a job in the running transaction. */
export async function enqueue(deps: ServersDeps, tx: Tx, job: NewJob): Promise<void> {
  await tx.jobs.add({ ...job, id: job.id ?? deps.ids.uuid(), createdMs: deps.clock.now() });
  tx.touch('jobs');
}

/** A wish to the panel is never given up. */
const UNLIMITED_ATTEMPTS = 1_000_000_000;

/** Where a server is made, as the line of builds knows the node of a panel. */
export const placeKeyOf = ({ panel, panelNode }: { panel: string | null; panelNode: string | null }): string =>
  `${panel ?? ''}/${panelNode ?? ''}`;

/** Puts the build of a server into the queue: a job under the id of its entry. */
export function enqueueBuild(
  deps: ServersDeps,
  tx: Tx,
  entry: { id: string; userId: string; priority: number },
  server: { panel: string | null; panelNode: string | null },
): Promise<void> {
  return enqueue(deps, tx, {
    kind: SERVER_JOBS.build,
    id: entry.id,
    payload: null,
    maxAttempts: UNLIMITED_ATTEMPTS,
    line: {
      priority: entry.priority,
      groupKey: entry.userId,
      limitKey: server.panel ?? '',
      placeKey: placeKeyOf(server),
    },
  });
}

/**
 * Asks for the panel to be brought to what we want of a server. One unfinished job a revision, which tries until it is
 * done; `atMs` asks for another look at that moment besides.
 */
export function enqueueSync(
  deps: ServersDeps,
  tx: Tx,
  server: { id: string; revision: number },
  atMs?: number,
): Promise<void> {
  const key = `sync:${server.id}:${server.revision}${atMs === undefined ? '' : `:${atMs}`}`;
  const payload = { serverId: server.id, revision: server.revision };
  return enqueue(deps, tx, {
    kind: SERVER_JOBS.sync,
    payload,
    uniqueKey: key,
    runAtMs: atMs,
    maxAttempts: UNLIMITED_ATTEMPTS,
  });
}

/** Asks for the panel to be asked to remove a server even where its machine does not answer (staff only). */
export function enqueueForcedDelete(
  deps: ServersDeps,
  tx: Tx,
  server: { id: string; revision: number },
): Promise<void> {
  const payload = { serverId: server.id, revision: server.revision, force: true };
  return enqueue(deps, tx, {
    kind: SERVER_JOBS.sync,
    payload,
    uniqueKey: `force:${server.id}:${server.revision}`,
    maxAttempts: UNLIMITED_ATTEMPTS,
  });
}

/** Asks for the sums of a panel's nodes to be read anew, and with `node` for its ports. Many at once are one. */
export function enqueueCapacity(deps: ServersDeps, tx: Tx, panel: string, node: string | null = null): Promise<void> {
  return enqueue(deps, tx, {
    kind: SERVER_JOBS.capacity,
    payload: { panel, node },
    uniqueKey: `room:${panel}:${node ?? ''}`,
  });
}

/** Asks for the panel accounts of a user to follow the user's address and names. */
export function enqueueAccount(deps: ServersDeps, tx: Tx, userId: string): Promise<void> {
  return enqueue(deps, tx, { kind: SERVER_JOBS.account, payload: { userId }, uniqueKey: `account:${userId}` });
}

/** Notes what happened to a server, for its owner. */
export async function recordEvent(
  deps: ServersDeps,
  tx: Tx,
  server: { id: string; userId: string },
  code: ServerEvent,
  detail: string | null = null,
): Promise<void> {
  await tx.servers.addEvent({
    id: deps.ids.uuid(),
    serverId: server.id,
    userId: server.userId,
    atMs: deps.clock.now(),
    code,
    detail,
  });
  tx.touch(`servers:${server.userId}`);
}

/** Notes a step of the queue. */
export function logStep(
  deps: ServersDeps,
  tx: Tx,
  entry: { id: string; serverId: string },
  code: QueueStep,
  detail: string | null = null,
): Promise<void> {
  return tx.servers.addSteps([
    { id: deps.ids.uuid(), queueId: entry.id, serverId: entry.serverId, atMs: deps.clock.now(), code, detail },
  ]);
}

/** Notes steps of the queue that came together, in their order. */
export function logSteps(
  deps: ServersDeps,
  tx: Tx,
  entry: { id: string; serverId: string },
  codes: readonly QueueStep[],
): Promise<void> {
  return tx.servers.addSteps(
    codes.map((code) => ({
      id: deps.ids.uuid(),
      queueId: entry.id,
      serverId: entry.serverId,
      atMs: deps.clock.now(),
      code,
      detail: null,
    })),
  );
}

/** Tells the owner in the app. Once for each key. */
export async function notifyOwner(
  deps: ServersDeps,
  tx: Tx,
  server: { id: string; userId: string; name: string },
  message: { kind: ServerNotification; data: Record<string, string | number>; key: string },
): Promise<void> {
  const data = { id: server.id, server: server.name, ...message.data };
  await deps.notifications.notify(tx, server.userId, message.kind, data, `${message.kind}:${server.id}:${message.key}`);
}

/**
 * A server of this user, locked together with the user's limits. Throws NOT_FOUND for one that is missing, deleted or
 * somebody else's alike (attacks T24). Every command begins with it, so that all that one user does is in one line.
 */
export async function lockOwnServer(tx: Tx, userId: string, id: string): Promise<ServerRow> {
  await tx.limits.lock(userId);
  const server = await tx.servers.lock(id);
  if (!server || server.userId !== userId || server.state === 'deleted') throw new DomainError('NOT_FOUND');
  return server;
}

/** A server locked for the system's own work; null where it is gone. */
export async function lockServer(tx: Tx, id: string): Promise<ServerRow | null> {
  const found = await tx.servers.find(id);
  if (!found) return null;
  await tx.limits.lock(found.userId);
  return tx.servers.lock(id, found);
}
