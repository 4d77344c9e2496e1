import type { BotFault, RoleSource } from '#shared/discord-roles.ts';
import type { Outcome } from '../identities/ports.ts';

/** A role of the Discord server that a bot could give. */
export interface DiscordRole {
  readonly id: string;
  readonly name: string;
  /** It stands above the bot’s own highest role, or at its height: Discord refuses to give it. */
  readonly isAbove: boolean;
}
export interface DiscordGuild {
  readonly name: string;
  /** Whether the bot may manage roles. */
  readonly mayManage: boolean;
  /** The highest first, without that of everybody and those of other applications. */
  readonly roles: readonly DiscordRole[];
}
/** What Discord refuses a bot. `absent`: no such member of the server. */
export type BotRefusal = 'token' | 'unknownGuild' | 'absent' | 'unknownRole' | 'forbidden';

/** A bot in a Discord server. Nothing here throws for what the network does. */
export interface DiscordBot {
  readGuild(token: string, guildId: string): Promise<Outcome<DiscordGuild, BotRefusal>>;
  /** Ids of the roles that a member has. */
  listMemberRoles(token: string, guildId: string, userId: string): Promise<Outcome<readonly string[], BotRefusal>>;
  /** Gives a role; nothing where the member has it. */
  giveRole(token: string, guildId: string, userId: string, roleId: string): Promise<Outcome<null, BotRefusal>>;
  /** Takes a role; nothing where the member lacks it. */
  takeRole(token: string, guildId: string, userId: string, roleId: string): Promise<Outcome<null, BotRefusal>>;
}

/** Which role of Discord stands for what. */
export interface RoleRule {
  readonly source: RoleSource;
  readonly roleId: string;
}
/** What is known of the Discord server, and what staff set of it. */
export interface GuildState {
  readonly guildId: string;
  /** '' until it was read. */
  readonly name: string;
  readonly roles: readonly DiscordRole[];
  readonly fault: BotFault | null;
  /** Since when; null: no fault. */
  readonly faultMs: number | null;
  /** When Discord was asked last; null: never. */
  readonly checkedMs: number | null;
  readonly rules: readonly RoleRule[];
  /** Counts changes of the rules. */
  readonly revision: number;
}

/** How a person on Discord stands: done; no member of the server; a role was refused. */
export type MemberState = 'done' | 'absent' | 'refused';
/** What we gave a person on Discord. */
export interface RoleMember {
  /** Discord’s id of the person. */
  readonly subject: string;
  readonly userId: string;
  readonly guildId: string;
  /** Roles that were given by us, or may have been: an answer may have got lost. */
  readonly given: readonly string[];
  /** What they should have had when they were last looked at. */
  readonly wanted: readonly string[];
  readonly state: MemberState;
  /** Looked at again from this moment, whatever happens. */
  readonly nextMs: number;
  /** Since when the link to the user is gone; null: it is not, or nobody has seen that yet. */
  readonly unlinkedMs: number | null;
}
/** What decides on the roles of a user. */
export interface RoleFacts {
  readonly userId: string;
  /** Discord’s id of the person; null: not linked. */
  readonly subject: string | null;
  readonly isActive: boolean;
  readonly roleId: string;
  readonly hasServer: boolean;
}
/** A linked user beside what we gave them. */
export interface LinkedMember extends RoleFacts {
  readonly subject: string;
  readonly member: Pick<RoleMember, 'guildId' | 'wanted' | 'nextMs'> | null;
}

export interface DiscordRolesRepo {
  /** Locked until the transaction ends where asked; null: nothing was ever set. */
  findGuild(lock?: boolean): Promise<GuildState | null>;
  saveGuild(state: GuildState): Promise<void>;
  findFacts(userId: string): Promise<RoleFacts | null>;
  /** Linked users behind one, by id. */
  listLinked(afterUserId: string, limit: number): Promise<LinkedMember[]>;
  findMember(subject: string, lock?: boolean): Promise<RoleMember | null>;
  /** What was given to accounts on Discord as those of a user. */
  listMembers(userId: string): Promise<RoleMember[]>;
  saveMember(member: RoleMember): Promise<void>;
  removeMember(subject: string): Promise<void>;
  /** Users whose link is gone and who still have something of ours, if it is time to look at them. */
  listUnlinked(nowMs: number, limit: number): Promise<string[]>;
  /** Forgets those whose link is gone since before a moment. */
  purgeUnlinked(beforeMs: number): Promise<void>;
  /** Members by how they stand. */
  countMembers(): Promise<Readonly<Record<MemberState, number>>>;
  /** Usernames of those whom a role was refused to, by name. */
  listRefused(limit: number): Promise<string[]>;
}
