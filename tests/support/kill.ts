import type { Panel } from '#server/modules/servers/index.ts';
import type { UnitOfWork } from '#server/modules/tx.ts';

/** A process that dies at one of the moments between its steps: from then on nothing of it goes on or comes back. */
export interface Mortal {
  readonly uow: UnitOfWork;
  readonly panel: Panel;
  /** Resolves when it has died. */
  readonly died: Promise<void>;
  /** Whether it has died. */
  dead(): boolean;
}

/**
 * Wraps transactions and panel calls so that the process dies at the `moment`-th boundary (from 1): before a step is begun, or after it has
 * taken effect and before anybody heard of it. What is inside a transaction needs no moment of its own: a death there undoes it.
 */
export function mortal(uow: UnitOfWork, panel: Panel, moment: number): Mortal {
  let left = moment;
  let dead = false;
  const { promise: died, resolve: die } = Promise.withResolvers<void>();
  const boundary = (): Promise<void> => {
    if (!dead) left -= 1;
    if (left > 0) return Promise.resolve();
    dead = true;
    die();
    return new Promise(() => {});
  };
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    await boundary();
    const outcome = await work().then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    await boundary();
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  };
  return {
    uow: { run: (work) => guarded(() => uow.run(work)), read: (work) => uow.read(work) },
    panel: {
      driver: panel.driver,
      typicalInstallMs: () => panel.typicalInstallMs(),
      ensureUser: (user) => guarded(() => panel.ensureUser(user)),
      createServer: (spec) => guarded(() => panel.createServer(spec)),
      findServerByExternalId: (id) => guarded(() => panel.findServerByExternalId(id)),
      readServer: (id) => guarded(() => panel.readServer(id)),
      listServers: (page) => guarded(() => panel.listServers(page)),
      setBuild: (id, build) => guarded(() => panel.setBuild(id, build)),
      setDetails: (id, details) => guarded(() => panel.setDetails(id, details)),
      suspend: (id) => guarded(() => panel.suspend(id)),
      unsuspend: (id) => guarded(() => panel.unsuspend(id)),
      deleteServer: (id, force) => guarded(() => panel.deleteServer(id, force)),
      updateUser: (id, user) => guarded(() => panel.updateUser(id, user)),
      setStartup: (id, startup) => guarded(() => panel.setStartup(id, startup)),
      reinstall: (id) => guarded(() => panel.reinstall(id)),
      usage: (identifier) => guarded(() => panel.usage(identifier)),
      power: (identifier, signal) => guarded(() => panel.power(identifier, signal)),
      links: (identifier) => panel.links(identifier),
    },
    died,
    dead: () => dead,
  };
}
