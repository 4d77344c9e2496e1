import { createDiscordBot } from '../identity-providers/discord/index.ts';
import type { JobHandler } from '../jobs/runner.ts';
import type { ScheduledTask } from '../jobs/scheduler.ts';
import { createDiscordRolesStaff, createSyncing, SYNC_JOB } from '../modules/discord-roles/index.ts';
import type { PluginRegistry } from '../modules/plugins/index.ts';
import { VERSION } from '../version.ts';
import { HOUR, MINUTE } from '#shared/time.ts';
import type { Foundation } from './foundation.ts';

/** Roles in the host's Discord server (behaviour 8.8): part of the Discord notifier. */
export function composeDiscordRoles(
  foundation: Foundation,
  { plugins }: { readonly plugins: Pick<PluginRegistry, 'handle'> },
) {
  const { outbound, appUrl } = foundation;
  const userAgent = () => `DiscordBot (${appUrl()}, ${VERSION})`;
  const bot = createDiscordBot({ ...foundation, fetch: outbound, userAgent });
  const deps = { ...foundation, bot, plugin: plugins.handle('discord') };
  const syncing = createSyncing(deps);
  const staff = createDiscordRolesStaff(deps);
  const tasks: ScheduledTask[] = [
    { name: 'discord.roles.sweep', everyMs: 10 * MINUTE, run: syncing.sweep },
    { name: 'discord.roles.check', everyMs: HOUR, run: staff.checkByClock },
  ];
  const jobs: Readonly<Record<string, JobHandler>> = {
    [SYNC_JOB]: {
      leaseMs: 10 * MINUTE,
      renews: true,
      // Discord counts all that one bot asks.
      concurrency: 1,
      endsItself: true,
      handle: (payload, job) => syncing.sync((payload as { readonly userId: string }).userId, job),
    },
  };
  return { services: { discordRoles: staff }, subscriptions: syncing.subscriptions, tasks, jobs };
}
