import * as z from 'zod/mini';
import type { BotRefusal, DiscordBot, DiscordGuild } from '#server/modules/discord-roles/ports.ts';
import type { Outcome } from '#server/modules/identities/ports.ts';
import type { Clock, Log } from '#server/modules/kernel.ts';
import type { SettingValues } from '#shared/settings.ts';
import { createHttp, type Answer } from './http.ts';
import { createLimits } from './limits.ts';

/** Permissions of Discord that let a bot give roles: that of managing them, and that of everything. */
const MANAGE_ROLES = 1n << 28n;
const ADMINISTRATOR = 1n << 3n;

const snowflake = z.string().check(z.regex(/^\d{15,20}$/));
const meAnswer = z.object({ id: snowflake });
const guildAnswer = z.object({ name: z.string() });
const rolesAnswer = z.array(
  z.object({
    id: snowflake,
    name: z.string(),
    position: z.int(),
    managed: z.optional(z.boolean()),
    permissions: z.string().check(z.regex(/^\d{1,30}$/)),
  }),
);
const memberAnswer = z.object({ roles: z.array(snowflake) });

/** Discord's own codes of errors. */
const CODES: Readonly<Record<number, BotRefusal>> = {
  10_004: 'unknownGuild',
  10_007: 'absent',
  10_011: 'unknownRole',
  10_013: 'absent',
  50_001: 'unknownGuild',
  50_013: 'forbidden',
};

interface Deps {
  readonly settings: { current(): Pick<SettingValues, 'discord_api_url' | 'discord_timeout_ms'> };
  readonly clock: Clock;
  readonly log: Log;
  readonly userAgent: () => string;
  /** The way to services elsewhere, or what stands for it. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
}
type Method = 'GET' | 'PUT' | 'DELETE';

/** What a bot of the host does in its Discord server: reads roles and members, gives roles and takes them. */
export function createDiscordBot({ settings, clock, log, userAgent, fetch }: Deps): DiscordBot {
  const http = createHttp({
    base: () => settings.current().discord_api_url,
    timeoutMs: () => settings.current().discord_timeout_ms,
    fetch,
    userAgent,
    limits: createLimits(clock),
    log,
  });
  const call = (token: string, method: Method, path: string, route: string, guildId: string) =>
    http({ method, path, route, major: guildId, authorization: `Bot ${token}` });

  async function readGuild(token: string, guildId: string): Promise<Outcome<DiscordGuild, BotRefusal>> {
    const get = (path: string, route: string) => call(token, 'GET', path, route, guildId);
    const me = read(await get('/users/@me', '/users/@me'), meAnswer);
    if (me.kind !== 'yes') return me;
    const guild = read(await get(`/guilds/${guildId}`, '/guilds/:id'), guildAnswer);
    if (guild.kind !== 'yes') return guild;
    const roles = read(await get(`/guilds/${guildId}/roles`, '/guilds/:id/roles'), rolesAnswer);
    if (roles.kind !== 'yes') return roles;
    const own = read(await get(`/guilds/${guildId}/members/${me.value.id}`, '/guilds/:id/members/:user'), memberAnswer);
    if (own.kind !== 'yes') return own;
    // Everybody has the role that is called as the server.
    const held = roles.value.filter(({ id }) => id === guildId || own.value.roles.includes(id));
    const rights = held.reduce((sum, { permissions }) => sum | BigInt(permissions), 0n);
    const top = Math.max(0, ...held.map(({ position }) => position));
    return {
      kind: 'yes',
      value: {
        name: guild.value.name.slice(0, 100),
        mayManage: (rights & (MANAGE_ROLES | ADMINISTRATOR)) !== 0n,
        roles: roles.value
          .filter(({ id, managed = false }) => id !== guildId && !managed)
          .toSorted((a, b) => b.position - a.position)
          .map(({ id, name, position }) => ({ id, name: name.slice(0, 100), isAbove: position >= top })),
      },
    };
  }

  const change = async (method: 'PUT' | 'DELETE', token: string, guildId: string, userId: string, roleId: string) => {
    const path = `/guilds/${guildId}/members/${userId}/roles/${roleId}`;
    const answer = await call(token, method, path, '/guilds/:id/members/:user/roles/:role', guildId);
    if (answer.kind === 'unknown') return answer;
    return answer.status === 204 || answer.status === 200
      ? { kind: 'yes' as const, value: null }
      : refusalOf<null>(answer);
  };

  return {
    readGuild,
    async listMemberRoles(token, guildId, userId) {
      const path = `/guilds/${guildId}/members/${userId}`;
      const found = read(await call(token, 'GET', path, '/guilds/:id/members/:user', guildId), memberAnswer);
      return found.kind === 'yes' ? { kind: 'yes', value: found.value.roles } : found;
    },
    giveRole: (token, guildId, userId, roleId) => change('PUT', token, guildId, userId, roleId),
    takeRole: (token, guildId, userId, roleId) => change('DELETE', token, guildId, userId, roleId),
  };
}

type Known = Extract<Answer, { kind: 'answered' }>;

/** What Discord refuses a bot; what is no refusal we know is unknown. */
function refusalOf<T>({ status, json }: Known): Outcome<T, BotRefusal> {
  if (status === 401) return { kind: 'no', reason: 'token' };
  const code = json !== null && 'code' in json && typeof json.code === 'number' ? json.code : 0;
  const reason = CODES[code] ?? (status === 403 ? 'forbidden' : undefined);
  return reason === undefined ? { kind: 'unknown', retryAfterS: null } : { kind: 'no', reason };
}

function read<S extends z.ZodMiniType>(answer: Answer, schema: S): Outcome<z.output<S>, BotRefusal> {
  if (answer.kind === 'unknown') return answer;
  if (answer.status !== 200) return refusalOf(answer);
  const parsed = schema.safeParse(answer.json);
  return parsed.success ? { kind: 'yes', value: parsed.data } : { kind: 'unknown', retryAfterS: null };
}
