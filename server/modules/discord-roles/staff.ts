import { DomainError, fieldError } from '#shared/errors.ts';
import { FIXED_SOURCES, type BotFault, type RoleSource } from '#shared/discord-roles.ts';
import { writeAudit } from '../audit/index.ts';
import { runOnce } from '../idempotency/index.ts';
import type { SignedIn } from '../kernel.ts';
import { assertMay } from '../permit.ts';
import { newGuild, placeOf, type DiscordRolesDeps } from './deps.ts';
import type { BotRefusal, GuildState, MemberState, RoleRule } from './ports.ts';

/** Names that are shown of those whom a role was refused to. */
const REFUSED_SHOWN = 10;

/** The roles of the Discord server as staff see them. */
export interface DiscordRolesView {
  /** Null: no server or no bot is set. */
  readonly guild: GuildState | null;
  /** The installation's roles, the highest first. */
  readonly ownRoles: readonly { readonly id: string; readonly name: string }[];
  readonly counts: Readonly<Record<MemberState, number>>;
  /** Usernames of some whom a role was refused to. */
  readonly refused: readonly string[];
}
export type DiscordRolesStaff = ReturnType<typeof createDiscordRolesStaff>;

/** What staff see and set of roles in their Discord server. Every command asks for its permission itself. */
export function createDiscordRolesStaff(deps: DiscordRolesDeps) {
  const { uow, clock, bot, plugin } = deps;

  const placeSet = () => {
    const { bot_token: token, server_id: guildId } = plugin.values();
    return token === '' || guildId === '' ? null : { token, guildId };
  };

  /** How it stands. Throws FORBIDDEN. */
  async function get(ctx: SignedIn): Promise<DiscordRolesView> {
    assertMay(ctx, 'admin.plugins.edit');
    const place = placeSet();
    return uow.read(async (tx) => {
      const stored = await tx.discordRoles.findGuild();
      return {
        guild: place && (stored?.guildId === place.guildId ? stored : newGuild(place.guildId, stored)),
        ownRoles: await tx.access.listRoleNames(),
        counts: await tx.discordRoles.countMembers(),
        refused: await tx.discordRoles.listRefused(REFUSED_SHOWN),
      };
    });
  }

  /**
   * Sets which role of Discord stands for what; what is not named stands for nothing. Throws FORBIDDEN, CONFLICT where
   * somebody else changed them, VALIDATION_FAILED with UNKNOWN for a source or a role that is not there.
   */
  function save(ctx: SignedIn, rules: readonly RoleRule[], seen: number): Promise<{ revision: number }> {
    return runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      assertMay(ctx, 'admin.plugins.edit');
      const place = placeSet();
      const state = await tx.discordRoles.findGuild(true);
      if (!place || state?.guildId !== place.guildId) throw new DomainError('CONFLICT');
      if (state.revision !== seen) throw new DomainError('CONFLICT');
      const own = await tx.access.listRoleNames();
      const sources: readonly RoleSource[] = [...FIXED_SOURCES, ...own.map(({ id }) => `role:${id}` as const)];
      const known = new Set([...state.roles.map(({ id }) => id), ...state.rules.map(({ roleId }) => roleId)]);
      const isTwice = new Set(rules.map(({ source }) => source)).size < rules.length;
      if (isTwice || rules.some(({ source, roleId }) => !sources.includes(source) || !known.has(roleId)))
        throw fieldError('rules', 'UNKNOWN');
      const revision = seen + 1;
      await tx.discordRoles.saveGuild({ ...state, rules, revision });
      await writeAudit(tx, deps, ctx, {
        action: 'plugins.edit',
        target: 'discord',
        before: { name: 'discord', ...auditOf(state.rules) },
        after: { name: 'discord', ...auditOf(rules) },
      });
      return { revision };
    });
  }

  /** Asks Discord how the server is; nothing where no bot or no server is set. Throws FORBIDDEN. */
  async function checkNow(ctx: SignedIn): Promise<void> {
    assertMay(ctx, 'admin.plugins.edit');
    await check();
  }

  /** Asks Discord how the server is, and notes what it says: its roles, or what is wrong. Nothing without a bot. */
  async function check(): Promise<void> {
    const place = placeSet();
    if (!place) return;
    const found = await bot.readGuild(place.token, place.guildId);
    const nowMs = clock.now();
    await uow.run(async (tx) => {
      const stored = await tx.discordRoles.findGuild(true);
      const state = stored?.guildId === place.guildId ? stored : newGuild(place.guildId, stored);
      const fault = faultOf(found);
      const facts = found.kind === 'yes' ? { name: found.value.name, roles: found.value.roles } : {};
      const faultMs = fault === null ? null : fault === state.fault ? state.faultMs : nowMs;
      await tx.discordRoles.saveGuild({ ...state, ...facts, fault, faultMs, checkedMs: nowMs });
    });
  }

  /** By the clock: whether the bot still works. Nothing while the plugin is off. */
  const checkByClock = async (): Promise<void> => {
    if (placeOf(deps)) await check();
  };

  return { get, save, checkNow, checkByClock };
}

function faultOf(found: Awaited<ReturnType<DiscordRolesDeps['bot']['readGuild']>>): BotFault | null {
  if (found.kind === 'unknown') return 'unreachable';
  if (found.kind === 'yes') return found.value.mayManage ? null : 'forbidden';
  const faults: Partial<Record<BotRefusal, BotFault>> = { token: 'token', forbidden: 'forbidden' };
  return faults[found.reason] ?? 'unknownGuild';
}

/** What the audit log says of rules. */
const auditOf = (rules: readonly RoleRule[]): Record<string, string> =>
  Object.fromEntries(rules.map(({ source, roleId }) => [source, roleId]));
