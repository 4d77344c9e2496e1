import { MINUTE, SECOND } from '#shared/time.ts';
import { wantsEvent } from '#shared/webhooks.ts';
import type { Events } from '../events/index.ts';
import { enqueue } from '../jobs/index.ts';
import type { Clock, Ids, Log } from '../kernel.ts';
import type { Tx, UnitOfWork } from '../tx.ts';
import type { CallResult, HookGroup } from './engine-ports.ts';
import type { PackageRow, PluginCall } from './package-ports.ts';
import { stopPlugin } from './stopping.ts';

/** Runs what waits for one plugin. */
export const FEED_JOB = 'plugins.feed';
/** Has it run at a moment. */
export const FEED_AGAIN_JOB = 'plugins.feed_again';

/** Calls that may wait for a plugin: one that is so far behind does not catch up, and is turned off. */
export const CALLS_MAX = 10_000;
/** Calls that are read at once, and rounds of one job: then others have their turn. */
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

/**
 * Events and tasks of plugins: each waits as a row until its plugin has run it, in the order in which it happened, at
 * least once.
 */
export function createFeeding(deps: Deps) {
  const { uow, clock } = deps;

  /** Gives new events to the plugins that may hear them, in the running transaction. */
  async function give(tx: Tx, events: readonly OutsideEvent[]): Promise<void> {
    for (const plugin of await enabledPlugins(tx)) {
      const wanted = events.filter(({ name }) => wantsEvent(plugin.granted.events ?? [], name));
      if (wanted.length > 0) await add(tx, deps, plugin, wanted.map(toCall));
    }
  }

  /** By the clock: tasks whose turn it is wait for their plugin, and what a killed process left is taken up. */
  async function sweep(): Promise<void> {
    await uow.run(async (tx) => {
      for (const plugin of await enabledPlugins(tx)) await addDueTasks(tx, deps, plugin);
      for (const identifier of await tx.pluginPackages.waiting()) await requestFeeding(tx, deps, identifier);
    });
  }

  /** Runs what waits for a plugin, one call after the other. */
  async function feed(identifier: string): Promise<void> {
    for (let round = 0; round < ROUNDS; round += 1) {
      const state = await uow.read(async (tx) => ({
        isOn: (await tx.plugins.list()).some((row) => row.identifier === identifier && row.isOn),
        calls: await tx.pluginPackages.nextCalls(identifier, BATCH),
      }));
      if (state.calls.length === 0) return;
      if (!state.isOn) return uow.run((tx) => tx.pluginPackages.clearCalls(identifier));
      const againMs = await runBatch(deps, identifier, state.calls);
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

/** What a plugin gets of an event: what webhooks are sent, with the id of the event. */
const toCall = ({ id, name, body }: OutsideEvent) => ({
  group: 'events' as const,
  name,
  input: `{"id":${JSON.stringify(id)},${body.slice(1)}`,
});

type AddDeps = Pick<Deps, 'clock' | 'ids' | 'events'>;
async function add(
  tx: Tx,
  deps: AddDeps,
  plugin: PackageRow,
  calls: readonly Pick<PluginCall, 'group' | 'name' | 'input'>[],
): Promise<void> {
  const { identifier } = plugin;
  if ((await tx.pluginPackages.backlog(identifier)) >= CALLS_MAX)
    return stopPlugin(tx, deps, identifier, 'backlog', '');
  await tx.pluginPackages.addCalls(identifier, calls, deps.clock.now());
  await requestFeeding(tx, deps, identifier);
}

async function addDueTasks(tx: Tx, deps: AddDeps, plugin: PackageRow): Promise<void> {
  const nowMs = deps.clock.now();
  for (const [name, minutes] of Object.entries(plugin.manifest.tasks ?? {})) {
    if (!(await tx.pluginPackages.takeTask(plugin.identifier, name, nowMs, nowMs + minutes * MINUTE))) continue;
    // One that is late is not made up for.
    if (await tx.pluginPackages.isTaskWaiting(plugin.identifier, name)) continue;
    await add(tx, deps, plugin, [
      { group: 'tasks', name, input: JSON.stringify({ at: new Date(nowMs).toISOString() }) },
    ]);
  }
}

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

/** Runs calls in their order. Out: when the rest is to be run, in UTC ms; null: all went well. */
async function runBatch(deps: Deps, identifier: string, calls: readonly PluginCall[]): Promise<number | null> {
  const { uow, clock, note } = deps;
  const done: number[] = [];
  let againMs: number | null = null;
  let failed: PluginCall | null = null;
  for (const call of calls) {
    if (call.nextMs > clock.now()) {
      againMs = call.nextMs;
      break;
    }
    const result = await deps.call(identifier, call.group, call.name, call.input);
    if (result.ok || result.fault === 'missing') done.push(call.number);
    else if (result.fault === 'ended' || result.fault === 'busy') {
      // It is being started, or updated: what was under way is run again.
      againMs = clock.now() + AGAIN_MS;
      break;
    } else {
      note(identifier, `${call.name}: ${result.message}`);
      const pause = RETRY_MS[call.tries];
      if (pause === undefined) done.push(call.number);
      else {
        failed = call;
        againMs = clock.now() + pause;
        break;
      }
    }
  }
  if (done.length > 0 || failed)
    await uow.run(async (tx) => {
      await tx.pluginPackages.endCalls(identifier, done);
      if (failed && againMs !== null) await tx.pluginPackages.delayCall(identifier, failed.number, againMs);
    });
  return againMs;
}
