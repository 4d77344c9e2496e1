import { MINUTE, SECOND } from '#shared/time.ts';
import { wantsEvent } from '#shared/webhooks.ts';
import { formerEventName, type Events } from '../events/index.ts';
import { enqueue } from '../jobs/index.ts';
import type { Clock, Ids, Log } from '../kernel.ts';
import type { Tx, UnitOfWork } from '../tx.ts';
import type { CallResult, HookCall, HookGroup } from './engine-ports.ts';
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
  /** Runs hooks of a plugin in this process, one after the other, up to the first that does not end well. */
  readonly run: (identifier: string, group: HookGroup, calls: readonly HookCall[]) => Promise<CallResult[]>;
  /** Writes a line into the plugin's log. */
  readonly note: (identifier: string, text: string) => void;
}
/** An event as it goes out (webhooks' outbox). */
interface OutsideEvent {
  readonly id: string;
  readonly name: string;
  readonly body: string;
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
  async function add(tx: Tx, events: readonly OutsideEvent[]): Promise<void> {
    const plugins = await enabledPlugins(tx);
    const wanted = events.filter((event) => plugins.some((plugin) => receives(plugin, event)));
    if (wanted.length === 0) return;
    await tx.pluginPackages.addEvents(wanted);
    const [last, cursors] = [await tx.pluginPackages.lastEvent(), await tx.pluginPackages.cursors()];
    for (const plugin of plugins) {
      if (!wanted.some((event) => receives(plugin, event))) continue;
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

  return { add, sweep, feed, feedAgain };
}

/** Installed plugins that are on. */
async function enabledPlugins(tx: Tx): Promise<PackageRow[]> {
  const isOn = new Set((await tx.plugins.list()).flatMap((row) => (row.isOn ? [row.identifier] : [])));
  return (await tx.pluginPackages.list()).filter(({ identifier }) => isOn.has(identifier));
}

const receives = ({ granted }: Pick<PackageRow, 'granted'>, { name }: Pick<OutsideEvent, 'name'>): boolean =>
  wantsEvent(granted.events ?? [], name);

/** How many events behind a number a plugin may hear. */
async function countWaiting(tx: Tx, plugin: PackageRow, heard: number): Promise<number> {
  const names = await tx.pluginPackages.countBehind(heard);
  return names.reduce((sum, each) => sum + (receives(plugin, each) ? each.count : 0), 0);
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
  const again = [...(await runTasks(deps, identifier, waiting.tasks)), await runEvents(deps, identifier, waiting)];
  const moments = again.filter((moment) => moment !== null);
  return moments.length > 0 ? Math.min(...moments) : null;
}

/** Runs tasks; one that fails holds up no other. Out: when those that are not done are run again. */
async function runTasks(deps: Deps, identifier: string, tasks: readonly DueTask[]): Promise<number[]> {
  const { uow, clock } = deps;
  const again: number[] = [];
  for (const { name, dueMs, tries, nextMs } of tasks) {
    if (nextMs > clock.now()) {
      again.push(nextMs);
      continue;
    }
    const input = JSON.stringify({ at: new Date(dueMs).toISOString() });
    const [result] = await deps.run(identifier, 'tasks', [{ name, input }]);
    const outcome = outcomeOf(deps, identifier, name, tries, result);
    if (outcome === 'done') await uow.run((tx) => tx.pluginPackages.endTask(identifier, name));
    else {
      again.push(outcome.againMs);
      if (outcome.failed) await uow.run((tx) => tx.pluginPackages.delayTask(identifier, name, outcome.againMs));
    }
  }
  return again;
}

/** Runs events in their order, and moves the cursor behind those that are done. Out: when the next one is run again. */
async function runEvents(deps: Deps, identifier: string, { granted, cursor, events }: Waiting): Promise<number | null> {
  const { uow, clock } = deps;
  if (events.length > 0 && cursor.nextMs > clock.now()) return cursor.nextMs;
  const wanted = events.filter(({ name }) => wantsEvent(granted, name));
  let { heard } = cursor;
  let stopped: Exclude<Outcome, 'done'> | null = null;
  for (let at = 0; at < wanted.length && !stopped;) {
    const calls = wanted
      .slice(at)
      .map((event) => ({ name: event.name, formerName: formerEventName(event.name), input: inputOf(event) }));
    for (const result of await deps.run(identifier, 'events', calls)) {
      const event = wanted[at];
      if (!event) break;
      const outcome = outcomeOf(deps, identifier, event.name, at === 0 ? cursor.tries : 0, result);
      if (outcome === 'done') {
        heard = event.number;
        at += 1;
      } else stopped = outcome;
    }
  }
  // What it may not hear is behind it as well.
  if (!stopped) heard = events.at(-1)?.number ?? heard;
  if (heard > cursor.heard) await uow.run((tx) => tx.pluginPackages.moveCursor(identifier, heard));
  const again = stopped;
  if (again?.failed) await uow.run((tx) => tx.pluginPackages.delayEvent(identifier, heard, again.againMs));
  return again?.againMs ?? null;
}

/** What became of a call: it is done, or given up; or when it is made again, and whether it failed. */
type Outcome = 'done' | { readonly againMs: number; readonly failed: boolean };

/** In: how often the call had failed before, and its result; undefined: it was not begun. */
function outcomeOf(
  { clock, note }: Pick<Deps, 'clock' | 'note'>,
  identifier: string,
  name: string,
  tries: number,
  result: CallResult | undefined,
): Outcome {
  if (result?.ok || result?.fault === 'missing') return 'done';
  // It is being started, or updated: what was under way is run again.
  if (!result || result.fault === 'ended' || result.fault === 'busy')
    return { againMs: clock.now() + AGAIN_MS, failed: false };
  note(identifier, `${name}: ${result.message}`);
  const pause = RETRY_MS[tries];
  return pause === undefined ? 'done' : { againMs: clock.now() + pause, failed: true };
}
