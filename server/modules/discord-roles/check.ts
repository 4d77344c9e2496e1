import { defineCheck, count, text, time } from '../health/index.ts';
import type { LongReads } from '../tx.ts';

interface Deps {
  readonly long: LongReads;
}

/** Whether the bot that gives roles in Discord can do its work. */
export function discordRolesCheck({ long }: Deps) {
  return defineCheck({
    key: 'discordRoles',
    codes: {
      ok: 'ok',
      off: 'ok',
      new: 'unknown',
      token: 'warning',
      unknownGuild: 'warning',
      forbidden: 'warning',
      unreachable: 'warning',
      refused: 'warning',
    },
    async run(signal) {
      const { plugin, guild, counts } = await long.read(
        async (tx) => ({
          plugin: (await tx.plugins.list()).find(({ identifier }) => identifier === 'discord'),
          guild: await tx.discordRoles.findGuild(),
          counts: await tx.discordRoles.countMembers(),
        }),
        { for: 'job', signal },
      );
      const isInUse =
        plugin?.isOn && plugin.secrets.bot_token !== undefined && (plugin.settings.server_id ?? '') !== '';
      if (!isInUse) return { code: 'off' };
      if (!guild || guild.checkedMs === null) return { code: 'new' };
      if (guild.fault !== null) return { code: guild.fault, facts: { since: time(guild.faultMs ?? guild.checkedMs) } };
      const facts = { name: text(guild.name), count: count(counts.done) };
      return counts.refused > 0 ? { code: 'refused', facts: { count: count(counts.refused) } } : { code: 'ok', facts };
    },
  });
}
