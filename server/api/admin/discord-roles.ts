import type { Handlers } from '#server/http/implement.types.ts';
import type { DiscordRolesStaff, DiscordRolesView } from '#server/modules/discord-roles/index.ts';
import type { RoleSource } from '#shared/discord-roles.ts';
import type { adminDiscordRoles, DiscordServerView } from '#shared/contract/plugins.ts';
import { iso } from '#shared/time.ts';

const toServer = (guild: NonNullable<DiscordRolesView['guild']>): DiscordServerView => ({
  id: guild.guildId,
  name: guild.name,
  roles: guild.roles.map(({ id, name, isAbove }) => ({ id, name, above: isAbove })),
  fault: guild.fault,
  fault_since: guild.faultMs === null ? null : iso(guild.faultMs),
  checked_at: guild.checkedMs === null ? null : iso(guild.checkedMs),
  rules: guild.rules.map(({ source, roleId }) => ({ source, role_id: roleId })),
  revision: guild.revision,
});

/** Roles in the host's Discord server, for staff. */
export function discordRolesHandlers({
  discordRoles,
}: {
  readonly discordRoles: DiscordRolesStaff;
}): Handlers<typeof adminDiscordRoles> {
  return {
    async get(ctx) {
      const { guild, ownRoles, counts, refused } = await discordRoles.get(ctx);
      return {
        server: guild && toServer(guild),
        own_roles: ownRoles.map(({ id, name }) => ({ id, name })),
        counts: { ...counts },
        refused: [...refused],
      };
    },
    save: (ctx, { body }) =>
      discordRoles.save(
        ctx,
        // By the contract's pattern.
        body.rules.map(({ source, role_id: roleId }) => ({ source: source as RoleSource, roleId })),
        body.revision,
      ),
    check: (ctx) => discordRoles.checkNow(ctx),
  };
}
