import { DEFAULT_LOCALE, isLocale } from '#shared/i18n/locales.ts';
import { HOUR, MINUTE } from '#shared/time.ts';
import type { EndpointKind } from '#shared/webhooks.ts';
import type { JobHandler } from '../jobs/runner.ts';
import type { ScheduledTask } from '../jobs/scheduler.ts';
import type { PluginRegistry } from '../modules/plugins/index.ts';
import {
  createWebhooks,
  DISPATCH_JOB,
  SEND_JOB,
  REQUEST_SENDING_JOB,
  type OutboxSubscribers,
} from '../modules/webhooks/index.ts';
import { VERSION } from '../version.ts';
import { discordMessage } from '../webhooks/discord-message.ts';
import { discordTexts } from '../webhooks/discord-texts.ts';
import { createDiscordSender } from '../webhooks/discord.ts';
import { createWebhookSender } from '../webhooks/standard.ts';
import { composeDiscordRoles } from './discord-roles.ts';
import type { Foundation, ServiceDeps } from './foundation.ts';

/** Endpoints that are sent to at once in one process: so many may hang without keeping the others waiting. */
const SENDERS = 16;

/** Outgoing webhooks, and the Discord notifier: messages to its channels, roles in its server (behaviour 8.8). */
export function composeWebhooks(
  foundation: Foundation,
  { random = Math.random }: Pick<ServiceDeps, 'random'>,
  {
    plugins,
    subscribers,
  }: { readonly plugins: Pick<PluginRegistry, 'handle'>; readonly subscribers: OutboxSubscribers },
) {
  const { outbound, settings, appUrl, clock } = foundation;
  const sender = createWebhookSender({
    fetch: outbound,
    userAgent: () => `Spawnpoint/${VERSION} (${appUrl()})`,
    timeoutMs: () => settings.current().webhook_timeout_ms,
  });
  const handles = { standard: plugins.handle('webhooks'), discord: plugins.handle('discord') };
  const discord = createDiscordSender({
    fetch: outbound,
    clock,
    userAgent: () => `DiscordBot (${appUrl()}, ${VERSION})`,
    timeoutMs: () => settings.current().discord_timeout_ms,
    messageOf: (body) => {
      const { language } = handles.discord.values();
      const locale = isLocale(language) ? language : DEFAULT_LOCALE;
      return discordMessage(body, {
        appUrl: appUrl(),
        appName: settings.current().app_name,
        locale,
        texts: discordTexts,
      });
    },
  });
  const plugin = { isOn: (kind: EndpointKind) => handles[kind].isOn() };
  const webhooks = createWebhooks({
    ...foundation,
    random,
    senders: { standard: sender, discord },
    subscribers,
    plugin,
  });
  const roles = composeDiscordRoles(foundation, { plugins });
  const tasks: ScheduledTask[] = [
    ...roles.tasks,
    { name: 'webhooks.sweep', everyMs: MINUTE, run: webhooks.sweep },
    { name: 'webhooks.purge', everyMs: HOUR, run: webhooks.purge },
  ];
  const jobs: Readonly<Record<string, JobHandler>> = {
    ...roles.jobs,
    [DISPATCH_JOB]: { leaseMs: 5 * MINUTE, renews: true, concurrency: 1, handle: webhooks.jobs[DISPATCH_JOB] },
    // A second run sends at worst what the first one sent as well.
    [SEND_JOB]: { leaseMs: 30 * MINUTE, renews: true, concurrency: SENDERS, handle: webhooks.jobs[SEND_JOB] },
    [REQUEST_SENDING_JOB]: { leaseMs: MINUTE, handle: webhooks.jobs[REQUEST_SENDING_JOB] },
  };
  const subscriptions = [...webhooks.subscriptions, ...roles.subscriptions];
  return { services: { webhooks, ...roles.services }, subscriptions, tasks, jobs };
}
