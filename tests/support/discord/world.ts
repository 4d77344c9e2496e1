import { createHash } from 'node:crypto';

/**
 * What the stand-in of Discord knows: people, servers, memberships, grants. Nothing here is random, and time is moved
 * by the test.
 */
export interface Person {
  readonly id: string;
  username: string;
}
/** A role of a server. `managed`: it belongs to an application. */
export interface GuildRole {
  readonly id: string;
  readonly name: string;
  position: number;
  permissions: string;
  readonly managed: boolean;
}
export interface Member {
  /** Ids. */
  readonly roles: Set<string>;
  joinedMs: number;
  flags: number;
  pending: boolean;
}
export interface Guild {
  readonly id: string;
  readonly name: string;
  invite: string | null;
  count: number;
  readonly members: Map<string, Member>;
  /** By id; that of everybody is called as the server. */
  readonly roles: Map<string, GuildRole>;
}
export interface Grant {
  readonly userId: string;
  readonly scopes: readonly string[];
  access: string;
  refresh: string;
  expiresMs: number;
  alive: boolean;
}
/** A webhook of a channel, with what was posted by it. */
export interface ChannelWebhook {
  readonly id: string;
  readonly token: string;
  readonly messages: Readonly<Record<string, unknown>>[];
}
interface Code {
  readonly userId: string;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  readonly challenge: string | null;
  readonly expiresMs: number;
  used: boolean;
}

/** An application as it is registered with Discord. */
export const APPLICATION = { id: '1100000000000000001', secret: 'stand-in-secret' };
/** The application’s bot. */
export const BOT = { id: '1100000000000000002', token: 'stand-in.bot.token' };
/** The permission to manage roles. */
const MANAGE_ROLES = String(1 << 28);
const CODE_LIFE = 10 * 60_000;
/** Seconds that an access token lives, as the manual says. */
export const TOKEN_LIFE_S = 604_800;
/** Member flag: left and came back. */
const DID_REJOIN = 1;

export type DiscordWorld = ReturnType<typeof createDiscordWorld>;

/** A Discord of one's own, at a time (UTC ms). `redirects`: the addresses registered for the application. */
export function createDiscordWorld(startMs: number) {
  let now = startMs;
  let made = 0;
  const people = new Map<string, Person>();
  const guilds = new Map<string, Guild>();
  const webhooks = new Map<string, ChannelWebhook>();
  const codes = new Map<string, Code>();
  const grants: Grant[] = [];
  const redirects = new Set<string>();
  /** Memberships that ended, for the flag of those who come back. */
  const left = new Map<string, Member>();
  const seeded = (kind: string) =>
    createHash('sha256')
      .update(`${kind} ${(made += 1)}`)
      .digest('base64url');
  /** An id made at a moment of the stand-in's clock. */
  const snowflake = (atMs = now) => String(((BigInt(atMs) - 1_420_070_400_000n) << 22n) + BigInt((made += 1)));
  const guildOf = (id: string): Guild => {
    const found = guilds.get(id);
    if (!found) throw new Error(`there is no server ${id}`);
    return found;
  };

  return {
    people,
    guilds,
    webhooks,
    grants,
    redirects,
    now: () => now,
    /** Moves the stand-in's clock to a time. */
    setNow: (ms: number) => void (now = ms),
    person(username: string, accountMs = Date.UTC(2020, 0, 1)): Person {
      const person = { id: snowflake(accountMs), username };
      people.set(person.id, person);
      return person;
    },
    guild(name: string, invite: string): Guild {
      const id = snowflake(Date.UTC(2019, 0, 1));
      const everyone: GuildRole = { id, name: '@everyone', position: 0, permissions: '0', managed: false };
      const roles = new Map([[id, everyone]]);
      const guild: Guild = { id, name, invite, count: 100, members: new Map(), roles };
      guilds.set(guild.id, guild);
      return guild;
    },
    /** Adds a role to a server, at a height. */
    role(guildId: string, name: string, position: number, facts: Partial<GuildRole> = {}): GuildRole {
      const role = { id: snowflake(Date.UTC(2021, 0, 1)), name, position, permissions: '0', managed: false, ...facts };
      guildOf(guildId).roles.set(role.id, role);
      return role;
    },
    /** Invites the bot, with a role of its own at a height. */
    inviteBot(guildId: string, position: number, permissions = MANAGE_ROLES): GuildRole {
      const role = this.role(guildId, 'Bot', position, { permissions, managed: true });
      guildOf(guildId).members.set(BOT.id, { joinedMs: now, flags: 0, pending: false, roles: new Set([role.id]) });
      return role;
    },
    rolesOf: (guildId: string, userId: string): string[] => [...(guildOf(guildId).members.get(userId)?.roles ?? [])],
    /** Makes a webhook of a channel. */
    webhook(): ChannelWebhook {
      const webhook: ChannelWebhook = {
        id: snowflake(Date.UTC(2021, 0, 1)),
        token: `${seeded('webhook')}_${seeded('webhook')}`,
        messages: [],
      };
      webhooks.set(webhook.id, webhook);
      return webhook;
    },
    /** Its owner deletes a server, with its members and its invite. */
    deleteGuild: (guildId: string): void => void guilds.delete(guildId),
    /** Joins a server. Who was there before comes back with the flag that says so. */
    join(userId: string, guildId: string, facts: { atMs?: number; pending?: boolean } = {}): void {
      const { members } = guildOf(guildId);
      const before = members.get(userId) ?? left.get(`${guildId} ${userId}`);
      members.set(userId, {
        joinedMs: facts.atMs ?? now,
        flags: before ? DID_REJOIN : 0,
        pending: facts.pending ?? false,
        roles: new Set(),
      });
    },
    leave(userId: string, guildId: string): void {
      const { members } = guildOf(guildId);
      const member = members.get(userId);
      if (member) left.set(`${guildId} ${userId}`, member);
      members.delete(userId);
    },
    /** The person takes the consent back: all tokens of theirs end. */
    withdraw(userId: string): void {
      for (const grant of grants) if (grant.userId === userId) grant.alive = false;
    },
    /** Agrees at the consent page. */
    newCode(facts: Omit<Code, 'used' | 'expiresMs'>): string {
      const code = seeded('code').slice(0, 30);
      codes.set(code, { ...facts, used: false, expiresMs: now + CODE_LIFE });
      return code;
    },
    /** Uses a code up, once, and only as it was given. Null where it is no good. */
    useCode(text: string, redirectUri: string, verifier: string | undefined): Grant | null {
      const code = codes.get(text);
      const proven =
        code?.challenge === null ||
        (verifier !== undefined && createHash('sha256').update(verifier).digest('base64url') === code?.challenge);
      if (!code || code.used || code.expiresMs <= now || code.redirectUri !== redirectUri || !proven) return null;
      code.used = true;
      const grant = {
        userId: code.userId,
        scopes: code.scopes,
        access: seeded('access'),
        refresh: seeded('refresh'),
        expiresMs: now + TOKEN_LIFE_S * 1000,
        alive: true,
      };
      grants.push(grant);
      return grant;
    },
    /** New tokens for a refresh token, which is worth nothing afterwards. */
    useRefresh(text: string): Grant | null {
      const grant = grants.find(({ refresh, alive }) => alive && refresh === text);
      if (!grant) return null;
      Object.assign(grant, {
        access: seeded('access'),
        refresh: seeded('refresh'),
        expiresMs: now + TOKEN_LIFE_S * 1000,
      });
      return grant;
    },
    byAccess: (text: string): Grant | null =>
      grants.find(({ access, alive, expiresMs }) => alive && expiresMs > now && access === text) ?? null,
    revoke(text: string): void {
      for (const grant of grants) if (grant.access === text || grant.refresh === text) grant.alive = false;
    },
  };
}
