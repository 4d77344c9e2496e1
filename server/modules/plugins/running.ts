import { dayIn, iso } from '#shared/time.ts';
import type { Bus, Clock, Log } from '../kernel.ts';
import type { Tx, UnitOfWork } from '../tx.ts';
import type {
  CallResult,
  GrantPorts,
  HookCall,
  HookGroup,
  PluginEngine,
  PluginState,
  RunningPlugin,
} from './engine-ports.ts';
import type { PackageRow } from './package-ports.ts';
import { payFromPlugin, type PayingDeps } from './paying.ts';
import type { PluginRegistry } from './registry.ts';
import { stopPlugin } from './stopping.ts';

/** Lines of a plugin's log that are kept, by the process that runs it. */
const LINES = 100;
/** The topic that plugins do otherwise in this process than before, or wrote something. */
export const RUNNING_TOPIC = 'plugins.running';
/** Least ms between two times that it is published: a plugin may write thousands of lines a second. */
const PUBLISHED_EVERY_MS = 1000;

interface Deps extends PayingDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly log: Log;
  readonly bus: Pick<Bus, 'publish'>;
  /** Runs something after some ms; what is left when the process ends does not keep it. */
  readonly later: (ms: number, run: () => void) => void;
  readonly registry: Pick<PluginRegistry, 'installed' | 'secretValues'>;
  /** Absent: plugins do not run in this process. */
  readonly engine?: PluginEngine | undefined;
  readonly outbound: GrantPorts['outbound'];
}
/** E-mails that a plugin may write in a day. */
const PLUGIN_MAILS_A_DAY = 1000;

/** A line that a plugin wrote, or that the product wrote of it. */
interface PluginLine {
  readonly atMs: number;
  readonly text: string;
}
export type Running = ReturnType<typeof createRunning>;

/** The plugins that run in this process, each apart from the product. */
export function createRunning(deps: Deps) {
  const { clock, log, registry, engine, uow, bus } = deps;
  const running = new Map<string, { readonly key: string; readonly plugin: RunningPlugin }>();
  const lines = new Map<string, PluginLine[]>();
  let isOver = false;
  let turn: Promise<void> = Promise.resolve();

  let isPublishing = false;

  /** Says that what is seen of plugins here is another: soon, and once for all that changes until then. */
  function publishChange(): void {
    if (isPublishing) return;
    isPublishing = true;
    deps.later(PUBLISHED_EVERY_MS, () => {
      isPublishing = false;
      bus.publish([RUNNING_TOPIC]);
    });
  }
  function note(identifier: string, text: string): void {
    const kept = lines.get(identifier) ?? [];
    kept.push({ atMs: clock.now(), text: text.slice(0, 500) });
    lines.set(identifier, kept.slice(-LINES));
    publishChange();
    log.info('plugins.said', { plugin: identifier, text: text.slice(0, 500) });
  }

  /** Starts what is to run and does not, and stops what is not to run any more. */
  async function syncNow(): Promise<void> {
    if (!engine) return;
    const wanted = new Map(isOver ? [] : registry.installed().map((each) => [each.identifier, each]));
    for (const [identifier, { key, plugin }] of running) {
      const found = wanted.get(identifier);
      if (found && keyOf(found) === key) continue;
      plugin.stop();
      running.delete(identifier);
    }
    for (const [identifier, found] of wanted) {
      if (running.has(identifier)) continue;
      const modules = await uow.read((tx) => tx.pluginPackages.modules(identifier));
      if (!modules || modules.serverCode === '' || isOver) continue;
      const onOff = (why: string): void => {
        uow
          .run((tx) => stopPlugin(tx, deps, identifier, 'faults', why))
          .catch((error: unknown) => log.warn('plugins.stop_failed', { plugin: identifier, error: String(error) }));
      };
      const plugin = engine.start({
        code: modules.serverCode,
        granted: found.granted,
        ports: portsOf(deps, found, note),
        onOff,
        onState: publishChange,
      });
      running.set(identifier, { key: keyOf(found), plugin });
    }
  }

  return {
    /** As `syncNow`, after those that were asked for before. */
    sync(): Promise<void> {
      turn = turn.then(syncNow).catch((error: unknown) => log.warn('plugins.sync_failed', { error: String(error) }));
      return turn;
    },
    /** Stops all of them for good. */
    stop(): Promise<void> {
      isOver = true;
      return this.sync();
    },
    /**
     * Runs hooks of a plugin, one after the other, up to the first that does not end well; `ended` where it does not
     * run here just now. Never rejects.
     */
    run: (identifier: string, group: HookGroup, calls: readonly HookCall[]): Promise<CallResult[]> =>
      running.get(identifier)?.plugin.run(group, calls) ??
      Promise.resolve([{ ok: false, fault: 'ended', message: 'it does not run' }]),
    note,
    /** How a plugin does in this process; null: it does not run here. */
    stateOf: (identifier: string): PluginState | null => running.get(identifier)?.plugin.state() ?? null,
    /** How often it broke down in a row in this process; 0 where it does not run here. */
    faultsOf: (identifier: string): number => running.get(identifier)?.plugin.faults() ?? 0,
    linesOf: (identifier: string): readonly PluginLine[] => lines.get(identifier) ?? [],
  };
}

/** Another one means that it has to be started anew. */
const keyOf = ({ digest, granted }: PackageRow): string => `${digest} ${JSON.stringify(granted)}`;

/** What the product does for one plugin. */
function portsOf(deps: Deps, { identifier, manifest }: PackageRow, note: Running['note']): GrantPorts {
  const { uow, clock, events } = deps;
  const { name } = manifest;
  const read = <T>(question: (tx: Tx) => Promise<T>): Promise<T> => uow.read(question);
  return {
    storage: {
      get: (key) => read((tx) => tx.pluginPackages.getValue(identifier, key)),
      set: (key, json, limits) => uow.run((tx) => tx.pluginPackages.setValue(identifier, key, json, limits)),
      delete: (key) => uow.run((tx) => tx.pluginPackages.deleteValue(identifier, key)),
      list: (prefix, after) => read((tx) => tx.pluginPackages.listNames(identifier, prefix, after, 100)),
    },
    settings: () => deps.registry.secretValues(identifier),
    read: {
      user: (id) =>
        read(async (tx) => {
          const user = await tx.identity.findUser(id);
          return user && { id, username: user.username, locale: user.locale, createdAt: iso(user.createdMs) };
        }),
      server: (id) =>
        read(async (tx) => {
          const server = await tx.servers.find(id);
          return server && { id, name: server.name, ownerId: server.userId, state: server.state };
        }),
    },
    outbound: deps.outbound,
    pay: (payment) =>
      uow.run(async (tx) => {
        if (!(await isActive(tx, payment.userId))) return 'unknown';
        return payFromPlugin(deps, tx, { ...payment, identifier, name });
      }),
    notifyUser: ({ userId, text, key }) =>
      uow.run(async (tx) => {
        if (!(await isActive(tx, userId))) return false;
        await events.emit(tx, 'plugin.notified', { identifier, name, userId, text, key });
        return true;
      }),
    mailUser: ({ userId, subject, text, key }) =>
      uow.run(async (tx) => {
        if (!(await isActive(tx, userId))) return 'unknown';
        const day = dayIn(clock.now(), deps.settings.current().app_timezone);
        if (!(await tx.plugins.spendWithin(`${identifier}:mail`, day, 1, PLUGIN_MAILS_A_DAY))) return 'spent';
        await events.emit(tx, 'plugin.mailed', { identifier, name, userId, subject, text, key });
        return 'taken';
      }),
    log: (text) => note(identifier, text),
    now: clock.now,
  };
}

/** Whether there is such a user, who is not deleted. */
async function isActive(tx: Tx, userId: string): Promise<boolean> {
  const user = await tx.identity.findUser(userId);
  return user !== null && user.status !== 'deleted';
}
