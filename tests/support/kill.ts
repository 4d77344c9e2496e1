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

/** The boundaries of one process: what dies with it goes through `guarded`. */
export interface MortalProcess {
  readonly died: Promise<void>;
  dead(): boolean;
  /** It dies at the `moment`-th boundary from now, from 1. */
  dieIn(moment: number): void;
  uow(inner: UnitOfWork): UnitOfWork;
  panel(inner: Panel): Panel;
  /** Resolves when nothing that was under way at its death can take effect in the database any more. */
  whenEnded(): Promise<void>;
}

/**
 * A process that dies at the `moment`-th boundary (from 1): before a step is begun, or after it has taken effect and
 * before anybody heard of it. What is inside a transaction needs no moment of its own: a death there undoes it.
 */
export function mortalProcess(moment = Infinity): MortalProcess {
  let left = moment;
  let dead = false;
  const open = new Set<Promise<unknown>>();
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
  /** Keeps a transaction in sight until it has ended. */
  function watched<T>(work: Promise<T>): Promise<T> {
    const ended: Promise<unknown> = work.then(
      () => open.delete(ended),
      () => open.delete(ended),
    );
    open.add(ended);
    return work;
  }
  return {
    died,
    dead: () => dead,
    dieIn: (next) => void (left = next),
    whenEnded: async () => void (await Promise.all(open)),
    uow: (uow) => ({ run: (work) => guarded(() => watched(uow.run(work))), read: (work) => uow.read(work) }),
    panel: (panel) => ({
      driver: panel.driver,
      typicalInstallMs: () => panel.typicalInstallMs(),
      ensureUser: (user) => guarded(() => panel.ensureUser(user)),
      createServer: (spec) => guarded(() => panel.createServer(spec)),
      findServerByExternalId: (id) => guarded(() => panel.findServerByExternalId(id)),
      readServer: (id) => guarded(() => panel.readServer(id)),
      newestServers: () => guarded(() => panel.newestServers()),
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
      ...guardedParts(panel, guarded),
    }),
  };
}

/** What only a panel that runs servers here has. */
function guardedParts(panel: Panel, guarded: <T>(work: () => Promise<T>) => Promise<T>): Partial<Panel> {
  const { console: lines, backups } = panel;
  return {
    ...(lines && {
      console: {
        read: (identifier, after, waitMs) => lines.read(identifier, after, waitMs),
        send: (identifier, text) => guarded(() => lines.send(identifier, text)),
      },
    }),
    ...(backups && { backups: (identifier, call, input) => guarded(() => backups(identifier, call, input)) }),
  };
}

/** A mortal process of one panel. */
export function mortal(uow: UnitOfWork, panel: Panel, moment: number): Mortal {
  const process = mortalProcess(moment);
  return { uow: process.uow(uow), panel: process.panel(panel), died: process.died, dead: process.dead };
}
