import { expect } from 'bun:test';
import { createRunner } from '#server/jobs/runner.ts';
import { SERVER_JOBS, serverJobs } from '#server/modules/servers/index.ts';
import { serversWorld } from './servers.ts';

export type BuildsWorld = Awaited<ReturnType<typeof buildsWorld>>;

/**
 * A servers world with a panel of one node and a player, whose builds are made attempt by attempt. Chance is a half, so
 * that pauses are neither longer nor shorter.
 */
export async function buildsWorld() {
  const world = await serversWorld();
  const panel = await world.addPanel({ nodes: [{ id: 'a', ports: 24, memory: 65_536 }] });
  const ctx = await world.person();
  /** A server of the player, or of another, that waits to be built at the panel. */
  const create = async (who = ctx) =>
    (await world.servers.create(who, world.serverInput({ locationId: panel.location }))).id;
  /** The newest queue entry of a server. */
  async function entryOf(id: string) {
    const [entry] = await world.uow.read((tx) => tx.servers.listNewestEntries([id]));
    if (!entry) throw new Error('no such entry');
    return entry;
  }
  /** The next attempt, made now, whenever it is due: of the entry of a server, or of whichever comes first. */
  async function attempt(of?: string): Promise<void> {
    await world.db.sql('UPDATE jobs SET run_at_ms = 0 WHERE kind = ? AND (id = ? OR ? = 1)', [
      SERVER_JOBS.build,
      of === undefined ? '' : (await entryOf(of)).id,
      of === undefined ? 1 : 0,
    ]);
    await world.db.sql('UPDATE panel_outages SET next_ms = 0');
    expect(await world.buildStep()).toBe(true);
  }
  /** When the next attempt is due, ms from now on; null where there is none. */
  async function dueIn(): Promise<number | null> {
    const [job] = await world.db.sql<{ due: number | string }>(
      "SELECT run_at_ms AS due FROM jobs WHERE kind = ? AND state = 'ready'",
      [SERVER_JOBS.build],
    );
    return job ? Number(job.due) - world.clock.now() : null;
  }
  /** Node and cause of every outage that is known. */
  const outages = () => world.db.sql('SELECT node, cause FROM panel_outages ORDER BY node');
  /** State of a server, and why it failed. */
  async function failureOf(id: string) {
    const { state, failure } = await world.row(id);
    return [state, failure];
  }
  /** A worker of its own over the same data, to which something happens before the nth write of an attempt. */
  function interrupted(before: (write: number) => Promise<unknown> | undefined) {
    let writes = 0;
    const { servers } = world.instance(
      {
        read: world.uow.read,
        run: async (work) => {
          writes += 1;
          await before(writes);
          return world.uow.run(work);
        },
      },
      world.panel,
    );
    const { clock, ids, log, bus, uow } = world;
    const runner = createRunner({ uow, clock, ids, log, bus, handlers: serverJobs(servers), random: () => 0.5 });
    return { attempt: () => runner.runDue({ kind: SERVER_JOBS.build, most: 1 }), writes: () => writes };
  }
  return { world, panel, ctx, create, entryOf, attempt, dueIn, outages, failureOf, interrupted };
}
