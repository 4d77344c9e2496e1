import type { BotFault, RoleSource } from '#shared/discord-roles.ts';
import type { Bus, Clock, Ids, Log } from '../kernel.ts';
import type { UnitOfWork } from '../tx.ts';
import type { DiscordBot, GuildState, RoleFacts, RoleRule } from './ports.ts';

export interface DiscordRolesDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly bus: Bus;
  readonly bot: DiscordBot;
  /** The built-in plugin, with what staff set. */
  readonly plugin: { isOn(): boolean; values(): { readonly server_id: string; readonly bot_token: string } };
}
/** Where roles are given, and by whom. */
export interface Place {
  readonly token: string;
  readonly guildId: string;
}

/** Brings the roles of one user in line. */
export const SYNC_JOB = 'discord.roles.sync';

/** Where roles are given now; null: the plugin is off, or has no bot or no server. */
export function placeOf({ plugin }: Pick<DiscordRolesDeps, 'plugin'>): Place | null {
  if (!plugin.isOn()) return null;
  const { bot_token: token, server_id: guildId } = plugin.values();
  return token === '' || guildId === '' ? null : { token, guildId };
}

/** What is known of a Discord server that nobody asked about yet; rules of another one are of no use in it. */
export const newGuild = (guildId: string, before: GuildState | null): GuildState => ({
  guildId,
  name: '',
  roles: [],
  fault: null,
  faultMs: null,
  checkedMs: null,
  rules: [],
  revision: (before?.revision ?? 0) + 1,
});

/** The roles of Discord that a user should have, each once, in a fixed order. */
export function wantedRoles(rules: readonly RoleRule[], facts: RoleFacts): string[] {
  if (!facts.isActive || facts.subject === null) return [];
  const fits = (source: RoleSource) =>
    source === 'linked' || (source === 'server' && facts.hasServer) || source === `role:${facts.roleId}`;
  return [...new Set(rules.flatMap(({ source, roleId }) => (fits(source) ? [roleId] : [])))].toSorted();
}

/** Notes how the bot does: since when a fault lasts, or that it is over. */
export async function noteFault(
  { uow, clock }: Pick<DiscordRolesDeps, 'uow' | 'clock'>,
  guildId: string,
  fault: BotFault | null,
): Promise<void> {
  const seen = await uow.read((tx) => tx.discordRoles.findGuild());
  if (seen?.guildId === guildId && seen.fault === fault) return;
  await uow.run(async (tx) => {
    const state = await tx.discordRoles.findGuild(true);
    if (state?.guildId !== guildId || state.fault === fault) return;
    await tx.discordRoles.saveGuild({ ...state, fault, faultMs: fault === null ? null : clock.now() });
  });
}
