import { ratesBetween, type TotalsAt } from '#shared/machine.ts';
import { HOUR, MINUTE } from '#shared/time.ts';
import type { Clock } from '../kernel.ts';
import type { UnitOfWork } from '../tx.ts';
import type { MachineNode, MachineServer, SoldServer } from './ports.ts';

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly node: Pick<MachineNode, 'list'> | null;
  readonly sold: () => Promise<readonly Pick<SoldServer, 'uuid' | 'id'>[]>;
}

/** How often servers are measured. */
export const MEASURE_MS = 5 * MINUTE;
/** Totals that are older say nothing of the last minutes: the product was away, or another process measured. */
const STALE_MS = 3 * MEASURE_MS;
/** Servers of one transaction: other writers wait meanwhile. */
const SLICE = 100;

/**
 * Measures all servers that run on this machine, by one question to its node, and adds that to the hour of each.
 * Processor and network are those of the whole time since the last measurement; for a server's first one, those that
 * the node saw last. Nothing is written while the node does not answer. Out: the task of the scheduler.
 */
export function createUsageRecorder({ uow, clock, node, sold }: Deps): () => Promise<void> {
  /** Totals of the servers that ran at the last measurement, by their name at the node. */
  let last = new Map<string, TotalsAt>();

  function figuresOf(server: MachineServer, atMs: number) {
    const before = last.get(server.id);
    const isKnown = before !== undefined && atMs > before.atMs && atMs - before.atMs <= STALE_MS;
    const { cpu, received, sent } = isKnown ? ratesBetween(before, { atMs, totals: server.totals }) : server;
    return {
      memory: Math.round(server.memory),
      cpu: Math.round(cpu * 10),
      disk: Math.round(server.disk),
      received: Math.round(received),
      sent: Math.round(sent),
    };
  }

  return async () => {
    const answer = await node?.list();
    if (answer?.outcome !== 'ok') return;
    const atMs = clock.now();
    const running = answer.value.filter(({ state }) => state === 'running' || state === 'starting');
    const ids = new Map((await sold()).map(({ uuid, id }) => [uuid, id]));
    const rows = running.flatMap((server) => {
      const serverId = ids.get(server.id);
      return serverId === undefined ? [] : [{ serverId, figures: figuresOf(server, atMs) }];
    });
    last = new Map(running.map(({ id, totals }) => [id, { atMs, totals }]));
    const hourMs = Math.floor(atMs / HOUR) * HOUR;
    for (let at = 0; at < rows.length; at += SLICE)
      await uow.run((tx) => tx.serverUsage.add(hourMs, rows.slice(at, at + SLICE)));
  };
}
