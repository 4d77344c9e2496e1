import { insideTransaction } from '#server/data/scope.ts';
import type { Panel, PanelAnswer } from '#server/modules/servers/index.ts';

/**
 * What may go wrong with a call to a panel (attacks T26): `keyRefused` the key was taken away; `nodeAway` the panel
 * cannot reach the machine, and took back what it began; `busy` it has too much to do; `lostAfter` it was done and the
 * answer got lost; `lostBefore` the request got lost; `unavailable` 429 or 5xx, surely not done; `conflict` somebody
 * else was at it; `refused` a clear no; `throws` a fault of the adapter; `hangs` no answer until `release`; `late` the
 * client gives up, and the panel does it when `release` is called.
 */
export type Fault =
  | 'lostAfter'
  | 'lostBefore'
  | 'unavailable'
  | 'keyRefused'
  | 'nodeAway'
  | 'busy'
  | 'conflict'
  | 'refused'
  | 'throws'
  | 'hangs'
  | 'late';
export const FAULTS: readonly Fault[] = [
  'lostAfter',
  'lostBefore',
  'unavailable',
  'conflict',
  'refused',
  'throws',
  'hangs',
  'late',
];
export type PanelCall = Exclude<keyof Panel, 'driver' | 'typicalInstallMs' | 'links'>;

export interface FaultyPanel extends Panel {
  /** The calls made so far, in order. */
  readonly calls: PanelCall[];
  /** The next `times` calls of a kind go wrong in this way; without a kind, calls of every kind. */
  fail(fault: Fault, call?: PanelCall, times?: number): void;
  /** From here on all is well; what was planned is forgotten. */
  heal(): void;
  /** Lets everything go on that hangs or is late, and waits for it. */
  release(): Promise<void>;
  /** Resolves when a call hangs. */
  hanging(): Promise<void>;
}

/**
 * A panel in front of another, whose calls go wrong as told. A call from inside a database transaction throws: there
 * may be none.
 */
export function faultyPanel(inner: Panel): FaultyPanel {
  const calls: PanelCall[] = [];
  let plans: { fault: Fault; call: PanelCall | undefined; left: number }[] = [];
  let held: { go: () => Promise<unknown> | undefined }[] = [];
  let announce: (() => void)[] = [];

  function faultOf(call: PanelCall): Fault | null {
    const plan = plans.find((each) => each.left > 0 && (each.call === undefined || each.call === call));
    if (!plan) return null;
    plan.left -= 1;
    return plan.fault;
  }
  function hold(go: () => Promise<unknown> | undefined): void {
    held.push({ go });
    for (const hear of announce) hear();
    announce = [];
  }
  async function through<T>(call: PanelCall, work: () => Promise<PanelAnswer<T>>): Promise<PanelAnswer<T>> {
    if (insideTransaction()) throw new Error(`the panel was called inside a transaction: ${call}`);
    calls.push(call);
    const fault = faultOf(call);
    if (fault === null) return work();
    if (fault === 'throws') throw new Error('the adapter broke');
    if (fault === 'unavailable' || fault === 'conflict') return { outcome: fault };
    if (fault === 'refused') return { outcome: 'refused', reason: 'test' };
    if (fault === 'keyRefused') return { outcome: 'refused', reason: 'key' };
    if (fault === 'nodeAway') return { outcome: 'unknown', away: 'node' };
    if (fault === 'busy') return { outcome: 'unavailable', away: 'busy' };
    if (fault === 'lostBefore') return { outcome: 'unknown' };
    if (fault === 'hangs') {
      return new Promise((resolve) => hold(() => work().then(resolve)));
    }
    if (fault === 'late') hold(work);
    else await work();
    return { outcome: 'unknown' };
  }

  return {
    driver: inner.driver,
    calls,
    typicalInstallMs: () => inner.typicalInstallMs(),
    ensureUser: (user) => through('ensureUser', () => inner.ensureUser(user)),
    createServer: (spec) => through('createServer', () => inner.createServer(spec)),
    findServerByExternalId: (id) => through('findServerByExternalId', () => inner.findServerByExternalId(id)),
    readServer: (id) => through('readServer', () => inner.readServer(id)),
    newestServers: () => through('newestServers', () => inner.newestServers()),
    listServers: (page) => through('listServers', () => inner.listServers(page)),
    setBuild: (id, build) => through('setBuild', () => inner.setBuild(id, build)),
    setDetails: (id, details) => through('setDetails', () => inner.setDetails(id, details)),
    suspend: (id) => through('suspend', () => inner.suspend(id)),
    unsuspend: (id) => through('unsuspend', () => inner.unsuspend(id)),
    deleteServer: (id, force) => through('deleteServer', () => inner.deleteServer(id, force)),
    updateUser: (id, user) => through('updateUser', () => inner.updateUser(id, user)),
    setStartup: (id, startup) => through('setStartup', () => inner.setStartup(id, startup)),
    reinstall: (id) => through('reinstall', () => inner.reinstall(id)),
    usage: (identifier) => through('usage', () => inner.usage(identifier)),
    power: (identifier, signal) => through('power', () => inner.power(identifier, signal)),
    links: (identifier) => inner.links(identifier),
    fail: (fault, call, times = 1) => void plans.push({ fault, call, left: times }),
    heal: () => {
      plans = [];
    },
    release: async () => {
      const waiting = held;
      held = [];
      for (const { go } of waiting) await go();
    },
    hanging: () => (held.length > 0 ? Promise.resolve() : new Promise((resolve) => announce.push(resolve))),
  };
}
