import { DAY, dayIn } from '#shared/time.ts';
import { subscriber, type Subscription } from '../events/index.ts';
import type { UnitOfWork } from '../tx.ts';
import { payFromPlugin, type PayingDeps } from './paying.ts';
import type { PluginHandle } from './registry.ts';

interface Deps extends PayingDeps {
  readonly uow: UnitOfWork;
  readonly plugin: PluginHandle<'welcome-gifts'>;
  readonly settings: { current(): { readonly app_timezone: string; readonly app_name: string } };
}
/** Days that what was paid is counted for; only today's is asked for. */
const KEPT_DAYS = 7;

/**
 * The built-in plugin that gives every user some credits once their address is proven, from a budget a day. Whoever
 * comes when the budget of the day is spent gets none.
 */
export function createWelcomeGifts(deps: Deps) {
  const { plugin, settings, uow, clock } = deps;
  const subscriptions: Subscription[] = [
    subscriber('user.verified', async (tx, { userId }) => {
      if (!plugin.isOn()) return;
      const { credits: amount, daily_budget: budget } = plugin.values();
      const name = settings.current().app_name;
      await payFromPlugin(deps, tx, { identifier: 'welcome-gifts', name, userId, amount, reference: userId, budget });
    }),
  ];
  /** Forgets what was paid on days long gone, of every plugin. */
  async function purge(): Promise<void> {
    const before = dayIn(clock.now() - KEPT_DAYS * DAY, settings.current().app_timezone);
    await uow.run((tx) => tx.plugins.purgeBudgets(before));
  }
  return { subscriptions, purge };
}
