import type { JobHandler } from '../jobs/runner.ts';
import type { ScheduledTask } from '../jobs/scheduler.ts';
import {
  createClientModules,
  createFeeding,
  createInstalling,
  createPluginRegistry,
  createRunning,
  createStatusPage,
  createWelcomeGifts,
  FEED_AGAIN_JOB,
  FEED_JOB,
} from '../modules/plugins/index.ts';
import { createPluginEngine } from '../plugins/engine.ts';
import { createPackageReader } from '../plugins/package-reader.ts';
import { VERSION } from '../version.ts';
import { DAY, MINUTE } from '#shared/time.ts';
import type { Foundation, ServiceDeps } from './foundation.ts';
import type { composeHealth } from './health.ts';

/** Whom a job of plugins is about. */
const identifierIn = (payload: unknown): string => (payload as { readonly identifier: string }).identifier;
/** Plugins whose hooks run at once in one process. */
const FED_AT_ONCE = 16;

/**
 * Plugins (behaviour 8.8): the registry, the built-in ones that the product itself runs, and those of others, which run
 * apart from it. One that has a module of its own is made where that module is, with `plugins.handle(…)`.
 */
export async function composePlugins(
  foundation: Foundation,
  {
    spawnSandbox,
    spawnPackageReading,
    health,
  }: Pick<ServiceDeps, 'spawnSandbox' | 'spawnPackageReading'> &
    Pick<ReturnType<typeof composeHealth>['services'], 'health'>,
) {
  const plugins = createPluginRegistry(foundation);
  await plugins.load();
  const running = createRunning({
    ...foundation,
    registry: plugins,
    later: (ms, run) => void setTimeout(run, ms).unref(),
    engine: spawnSandbox && createPluginEngine(spawnSandbox, foundation.clock),
  });
  plugins.onLoad(() => void running.sync());
  const clientModules = createClientModules({ ...foundation, registry: plugins });
  const feeding = createFeeding({ ...foundation, run: running.run, note: running.note });
  const installing = createInstalling({
    ...foundation,
    reader: createPackageReader(spawnPackageReading),
    version: VERSION,
    load: plugins.load,
  });
  const gifts = createWelcomeGifts({ ...foundation, plugin: plugins.handle('welcome-gifts') });
  const statusPage = createStatusPage({ ...foundation, health, plugin: plugins.handle('status-page') });
  const tasks: ScheduledTask[] = [
    { name: 'plugins.sweep', everyMs: MINUTE, run: feeding.sweep },
    { name: 'plugins.budgets.purge', everyMs: DAY, run: gifts.purge },
  ];
  const jobs: Readonly<Record<string, JobHandler>> = {
    [FEED_JOB]: {
      leaseMs: 5 * MINUTE,
      renews: true,
      concurrency: FED_AT_ONCE,
      handle: (payload) => feeding.feed(identifierIn(payload)),
    },
    [FEED_AGAIN_JOB]: { leaseMs: MINUTE, handle: (payload) => feeding.feedAgain(identifierIn(payload)) },
  };
  return {
    services: { plugins, pluginInstalling: installing, pluginRunning: running, clientModules, statusPage },
    subscriptions: gifts.subscriptions,
    /** Plugins hear of events by the outbox of webhooks. */
    subscribers: {
      patterns: () => plugins.installed().flatMap(({ granted }) => granted.events ?? []),
      add: feeding.add,
    },
    tasks,
    jobs,
  };
}
