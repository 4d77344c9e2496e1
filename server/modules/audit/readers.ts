import { can, type Permission } from '#shared/permissions.ts';
import { maskCode } from '#shared/redeem-code.ts';
import { RESOURCES } from '#shared/resources/index.ts';
import type { Resource } from '#shared/resources/types.ts';

/**
 * Who may read what the audit log says of an area: whoever may list the thing itself, so that the log is no way round a
 * permission (attacks T59). What is not named here is for `admin.root` alone. Keys are the part of an action before its
 * first dot.
 */
export const READ_BY: Readonly<Record<string, Permission>> = {
  ...Object.fromEntries(
    Object.values<Resource>(RESOURCES).map(({ area, permission }) => [area, `${permission}.list` as Permission]),
  ),
  store: 'admin.users.list',
  users: 'admin.users.list',
  user_notes: 'admin.users.edit',
  roles: 'admin.roles.list',
  payments: 'admin.payments.list',
  panels: 'admin.panels.list',
  servers: 'admin.servers.list',
  serverQueue: 'admin.server.queue.list',
  held_rewards: 'admin.rewards.held.list',
  tickets: 'admin.tickets.list',
  image_reports: 'admin.image.reports.list',
  mails: 'admin.mails.list',
  announcements: 'admin.announcements.list',
  images: 'admin.images.list',
  mailTemplates: 'admin.mail.templates.list',
  settings: 'admin.settings.view',
  plugins: 'admin.plugins.list',
  health: 'admin.health.view',
  machine: 'admin.health.view',
  logs: 'admin.settings.view',
  backups: 'admin.backups.list',
  webhooks: 'admin.plugins.list',
  imports: 'admin.root',
  vpn_list: 'admin.settings.view',
};

/** The areas whose entries somebody may read; null: all of them. In: their permissions. */
export function readableAreas(permissions: readonly string[]): readonly string[] | null {
  if (can(permissions, 'admin.root')) return null;
  return Object.entries(READ_BY).flatMap(([area, permission]) => (can(permissions, permission) ? [area] : []));
}

interface Entry {
  readonly action: string;
  readonly target: string | null;
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * What an entry is about, by name: the row's own, after the change or before it; of a redeem code only how it begins,
 * as it is worth credits.
 */
export function nameInAudit({ action, target, before, after }: Entry): string | null {
  if (action.startsWith('settings.')) return target;
  for (const side of [after, before]) {
    if (typeof side !== 'object' || side === null) continue;
    for (const key of ['name', 'code', 'username', 'title']) {
      const value: unknown = Object.getOwnPropertyDescriptor(side, key)?.value;
      if (typeof value === 'string' && value !== '')
        return key === 'code' && action.startsWith('redeemCodes.') ? maskCode(value) : value;
    }
  }
  return null;
}
