import type { ScheduledTask } from '../jobs/scheduler.ts';
import { createPluginRegistry, createStatusPage, createWelcomeGifts } from '../modules/plugins/index.ts';
import { DAY } from '#shared/time.ts';
import type { Foundation } from './foundation.ts';
import type { composeHealth } from './health.ts';

/**
 * Plugins (behaviour 8.8): the registry, and the built-in ones that the product itself runs. One that has a module of
 * its own is made where that module is, with `plugins.handle(…)`.
 */
export async function composePlugins(
  foundation: Foundation,
  { health }: Pick<ReturnType<typeof composeHealth>['services'], 'health'>,
) {
  const plugins = createPluginRegistry(foundation);
  await plugins.load();
  const gifts = createWelcomeGifts({ ...foundation, plugin: plugins.handle('welcome-gifts') });
  const statusPage = createStatusPage({ ...foundation, health, plugin: plugins.handle('status-page') });
  const tasks: ScheduledTask[] = [{ name: 'plugins.budgets.purge', everyMs: DAY, run: gifts.purge }];
  return { services: { plugins, statusPage }, tasks, subscriptions: gifts.subscriptions };
}
