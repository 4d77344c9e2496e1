import { MINUTE, SECOND } from '#shared/time.ts';
import { wantsEvent } from '#shared/webhooks.ts';
import type { Events } from '../events/index.ts';
import { enqueue } from '../jobs/index.ts';
import type { Clock, Ids, Log } from '../kernel.ts';
import type { Tx, UnitOfWork } from '../tx.ts';
import type { CallResult, HookGroup } from './engine-ports.ts';
import type { DueTask, PackageRow, PluginCursor, PluginEvent } from './package-ports.ts';
import { stopPlugin } from './stopping.ts';

/** Runs what waits for one plugin. */
export const FEED_JOB = 'plugins.feed';
/** Has it run at a moment. */
export const FEED_AGAIN_JOB = 'plugins.feed_again';

/** Events that may wait for a plugin: one that is so far behind does not catch up, and is turned off. */
export const EVENTS_MAX = 10_000;
/** Events that are read at once, and rounds of one job: then others have their turn. */
const BATCH = 50;
const ROUNDS = 40;
/** Pauses before a call that failed is made again; after the last it is given up. */
const RETRY_MS = [5 * SECOND, MINUTE] as const;
/** When it is looked again whether a plugin runs that is being started. */
const AGAIN_MS = 2 * SECOND;

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly events: Pick<Events, 'emit'>;
  /** Runs a hook of a plugin in this process. */
  readonly call: (identifier: string, group: HookGroup, name: string, input: string) => Promise<CallResult>;
  /** Writes a line into the plugin's log. */
  readonly note: (identifier: string, text: string) => void;
}
/** An event as it goes out (webhooks' outbox). */
interface OutsideEvent {
  readonly id: string;
  readonly name: string;
  readonly body: string;
}

/** A hook that is to be run. */
interface Call {
  readonly group: 'events' | 'tasks';
  readonly name: string;
  /** JSON. */
  readonly input: string;
  /** How often it failed. */
  readonly tries: number;
  /** Not before this moment. */
  readonly nextMs: number;
}
/** What waits for one plugin. */
interface Waiting {
  readonly granted: readonly string[];
  readonly cursor: PluginCursor;
  readonly events: readonly PluginEvent[];
  readonly tasks: readonly DueTask[];
}

/**
 * Events and tasks of plugins. Events are numbered once for all plugins; each hears them in their order behind a cursor
 * of its own, at least once. A task whose turn came waits until it has run.
 */
export function createFeeding(deps: Deps) {
  const { uow, clock } = deps;

  /** Numbers new events that plugins may hear, in the running transaction, and has them heard. */
  async function give(tx: Tx, events: readonly OutsideEvent[]): Promise<void> {
    const plugins = await enabledPlugins(tx);
    const wanted = events.filter((event) => plugins.some((plugin) => hears(plugin, event)));
    if (wanted.length === 0) return;
    await tx.pluginPackages.addEvents(wanted);
    const [last, cursors] = [await tx.pluginPackages.lastEvent(), await tx.pluginPackages.cursors()];
    for (const plugin of plugins) {
      if (!wanted.some((event) => hears(plugin, event))) continue;
      const heard = cursors.get(plugin.identifier)?.heard ?? last;
      if (last - heard > EVENTS_MAX && (await countWaiting(tx, plugin, heard)) > EVENTS_MAX)
        await stopPlugin(tx, deps, plugin.identifier, 'backlog', '');
      else await requestFeeding(tx, deps, plugin.identifier);
    }
  }

  /** By the clock: tasks whose turn it is wait for their plugin, and what a killed process left is taken up. */
  async function sweep(): Promise<void> {
    await uow.run(async (tx) => {
      const plugins = await enabledPlugins(tx);
      const [last, cursors] = [await tx.pluginPackages.lastEvent(), await tx.pluginPackages.cursors()];
      let heardByAll = last;
      for (const { identifier, manifest } of plugins) {
        for (const [name, minutes] of Object.entries(manifest.tasks ?? {}))
          await tx.pluginPackages.takeTask(identifier, name, clock.now(), clock.now() + minutes * MINUTE);
        const heard = cursors.get(identifier)?.heard ?? last;
        heardByAll = Math.min(heardByAll, heard);
        if (heard < last || (await tx.pluginPackages.dueTasks(identifier)).length > 0)
          await requestFeeding(tx, deps, identifier);
      }
      await tx.pluginPackages.purgeEvents(heardByAll);
    });
  }

  /** Runs what waits for a plugin, one call after the other. */
  async function feed(identifier: string): Promise<void> {
    for (let round = 0; round < ROUNDS; round += 1) {
      const waiting = await uow.read((tx) => waitingFor(tx, identifier));
      if (!waiting || waiting.tasks.length + waiting.events.length === 0) return;
      const againMs = await runBatch(deps, identifier, waiting);
      if (againMs !== null) return uow.run((tx) => requestFeedingAt(tx, deps, identifier, againMs));
    }
    // Others have their turn; the rest goes on behind them.
    await uow.run((tx) => requestFeedingAt(tx, deps, identifier, clock.now()));
  }

  /** Has what waits for a plugin run now. */
  const feedAgain = (identifier: string): Promise<void> => uow.run((tx) => requestFeeding(tx, deps, identifier));

  return { give, sweep, feed, feedAgain };
}

/** Installed plugins that are on. */
async function enabledPlugins(tx: Tx): Promise<PackageRow[]> {
  const isOn = new Set((await tx.plugins.list()).flatMap((row) => (row.isOn ? [row.identifier] : [])));
  return (await tx.pluginPackages.list()).filter(({ identifier }) => isOn.has(identifier));
}

const hears = ({ granted }: Pick<PackageRow, 'granted'>, { name }: Pick<OutsideEvent, 'name'>): boolean =>
  wantsEvent(granted.events ?? [], name);

/** How many events behind a number a plugin may hear. */
async function countWaiting(tx: Tx, plugin: PackageRow, heard: number): Promise<number> {
  const names = await tx.pluginPackages.countBehind(heard);
  return names.reduce((sum, each) => sum + (hears(plugin, each) ? each.count : 0), 0);
}

/** What waits for a plugin; null where it is off or gone: what happens meanwhile is not its to hear. */
async function waitingFor(tx: Tx, identifier: string): Promise<Waiting | null> {
  const plugin = (await enabledPlugins(tx)).find((each) => each.identifier === identifier);
  const cursor = (await tx.pluginPackages.cursors()).get(identifier);
  if (!plugin || !cursor) return null;
  return {
    granted: plugin.granted.events ?? [],
    cursor,
    events: await tx.pluginPackages.eventsBehind(cursor.heard, BATCH),
    tasks: await tx.pluginPackages.dueTasks(identifier),
  };
}

/** What a plugin gets of an event: what webhooks are sent, with the id of the event. */
const inputOf = ({ id, body }: PluginEvent): string => `{"id":${JSON.stringify(id)},${body.slice(1)}`;

/** Has what waits for a plugin run, once however often it is asked for: two at once would break the order. */
async function requestFeeding(tx: Tx, { ids, clock }: Pick<Deps, 'ids' | 'clock'>, identifier: string): Promise<void> {
  await enqueue(tx, ids, clock, { kind: FEED_JOB, payload: { identifier }, uniqueKey: `${FEED_JOB}:${identifier}` });
}

/** The same at a moment (UTC ms), to the second: a job that asked for itself would begin again at once. */
async function requestFeedingAt(
  tx: Tx,
  { ids, clock }: Pick<Deps, 'ids' | 'clock'>,
  identifier: string,
  atMs: number,
): Promise<void> {
  await enqueue(tx, ids, clock, {
    kind: FEED_AGAIN_JOB,
    payload: { identifier },
    uniqueKey: `${FEED_AGAIN_JOB}:${identifier}:${Math.ceil(atMs / SECOND)}`,
    runAtMs: atMs,
  });
}

/**
 * Runs the tasks that wait, and the events in their order up to the first that is not done. Out: when the rest is to be
 * run, in UTC ms; null: all went well.
 */
async function runBatch(deps: Deps, identifier: string, waiting: Waiting): Promise<number | null> {
  const again: number[] = [];
  for (const { name, dueMs, ...rest } of waiting.tasks) {
    const input = JSON.stringify({ at: new Date(dueMs).toISOString() });
    const outcome = await runCall(deps, identifier, { ...rest, group: 'tasks', name, input });
    if (outcome !== 'done') again.push(outcome.againMs);
    if (outcome === 'done') await deps.uow.run((tx) => tx.pluginPackages.endTask(identifier, name));
    else if (outcome.failed) await deps.uow.run((tx) => tx.pluginPackages.delayTask(identifier, name, outcome.againMs));
  }
  let { heard, tries, nextMs } = waiting.cursor;
  for (const event of waiting.events) {
    const call = { group: 'events', name: event.name, input: inputOf(event), tries, nextMs } as const;
    const outcome = wantsEvent(waiting.granted, event.name) ? await runCall(deps, identifier, call) : 'done';
    if (outcome !== 'done') {
      again.push(outcome.againMs);
      await moveCursor(deps, identifier, waiting.cursor.heard, heard);
      if (outcome.failed) await deps.uow.run((tx) => tx.pluginPackages.delayEvent(identifier, heard, outcome.againMs));
      return Math.min(...again);
    }
    [heard, tries, nextMs] = [event.number, 0, 0];
  }
  await moveCursor(deps, identifier, waiting.cursor.heard, heard);
  return again.length > 0 ? Math.min(...again) : null;
}

async function moveCursor({ uow }: Deps, identifier: string, from: number, to: number): Promise<void> {
  if (to > from) await uow.run((tx) => tx.pluginPackages.moveCursor(identifier, to));
}

/** What became of a call: it is done, or given up; or when it is made again, and whether it failed. */
type Outcome = 'done' | { readonly againMs: number; readonly failed: boolean };

async function runCall({ clock, call, note }: Deps, identifier: string, hook: Call): Promise<Outcome> {
  if (hook.nextMs > clock.now()) return { againMs: hook.nextMs, failed: false };
  const result = await call(identifier, hook.group, hook.name, hook.input);
  if (result.ok || result.fault === 'missing') return 'done';
  // It is being started, or updated: what was under way is run again.
  if (result.fault === 'ended' || result.fault === 'busy') return { againMs: clock.now() + AGAIN_MS, failed: false };
  note(identifier, `${hook.name}: ${result.message}`);
  const pause = RETRY_MS[hook.tries];
  return pause === undefined ? 'done' : { againMs: clock.now() + pause, failed: true };
}
