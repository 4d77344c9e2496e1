import type { Raw } from '#server/data/raw.ts';
import { findRow, listRows, lockRow } from '#server/data/row.ts';
import type { DiscordGuild, DiscordRoleMembers } from '#server/data/schema.ts';
import type {
  DiscordRole,
  DiscordRolesRepo,
  GuildState,
  MemberState,
  RoleFacts,
  RoleMember,
  RoleRule,
} from '#server/modules/discord-roles/ports.ts';
import type { BotFault } from '#shared/discord-roles.ts';

/** The one row of the Discord server. */
const HERE = 'here';
const SAVE_GUILD = `INSERT INTO discord_guild (id, guild_id, name, roles, fault, fault_ms, checked_ms, rules, revision)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET guild_id = excluded.guild_id, name = excluded.name, roles = excluded.roles,
    fault = excluded.fault, fault_ms = excluded.fault_ms, checked_ms = excluded.checked_ms, rules = excluded.rules,
    revision = excluded.revision`;
const SAVE_MEMBER = `INSERT INTO discord_role_members
    (subject, user_id, guild_id, given, wanted, state, next_ms, unlinked_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (subject) DO UPDATE SET user_id = excluded.user_id, guild_id = excluded.guild_id, given = excluded.given,
    wanted = excluded.wanted, state = excluded.state, next_ms = excluded.next_ms, unlinked_ms = excluded.unlinked_ms`;
const HAS_SERVER = `EXISTS (SELECT 1 FROM servers s WHERE s.user_id = u.id AND s.state <> 'deleted')`;
const FACTS = `SELECT u.id AS user_id, l.subject, u.status, u.role_id, ${HAS_SERVER} AS has_server FROM users u
  LEFT JOIN linked_identities l ON l.user_id = u.id AND l.provider = 'discord' WHERE u.id = ?`;
const LINKED = `SELECT u.id AS user_id, l.subject, u.status, u.role_id, ${HAS_SERVER} AS has_server, m.guild_id, m.wanted,
    m.next_ms
  FROM linked_identities l JOIN users u ON u.id = l.user_id LEFT JOIN discord_role_members m ON m.subject = l.subject
  WHERE l.provider = 'discord' AND l.user_id > ? ORDER BY l.user_id LIMIT ?`;
const UNLINKED = `SELECT m.user_id FROM discord_role_members m
  LEFT JOIN linked_identities l ON l.provider = 'discord' AND l.subject = m.subject
  WHERE l.id IS NULL AND (m.unlinked_ms IS NULL OR m.next_ms <= ?) ORDER BY m.subject LIMIT ?`;
const REFUSED = `SELECT u.username FROM discord_role_members m JOIN users u ON u.id = m.user_id
  WHERE m.state = 'refused' ORDER BY u.username LIMIT ?`;

interface FactsRow {
  readonly user_id: string;
  readonly subject: string | null;
  readonly status: string;
  readonly role_id: string;
  /** SQLite says 1, PostgreSQL true. */
  readonly has_server: number | boolean;
}
interface LinkedRow extends FactsRow {
  readonly subject: string;
  readonly guild_id: string | null;
  readonly wanted: string | null;
  readonly next_ms: number | null;
}

const toFacts = (row: FactsRow): RoleFacts => ({
  userId: row.user_id,
  subject: row.subject,
  isActive: row.status === 'active',
  roleId: row.role_id,
  hasServer: Boolean(row.has_server),
});
// What stands in these columns was written here.
const toGuild = (row: DiscordGuild): GuildState => ({
  guildId: row.guild_id,
  name: row.name,
  roles: JSON.parse(row.roles) as DiscordRole[],
  fault: row.fault as BotFault | null,
  faultMs: row.fault_ms,
  checkedMs: row.checked_ms,
  rules: JSON.parse(row.rules) as RoleRule[],
  revision: row.revision,
});
const toMember = (row: DiscordRoleMembers): RoleMember => ({
  subject: row.subject,
  userId: row.user_id,
  guildId: row.guild_id,
  given: JSON.parse(row.given) as string[],
  wanted: JSON.parse(row.wanted) as string[],
  state: row.state,
  nextMs: row.next_ms,
  unlinkedMs: row.unlinked_ms,
});

/** Roles in the Discord server, in the database. */
export function createDiscordRolesRepo(raw: Raw): DiscordRolesRepo {
  return {
    async findGuild(lock = false) {
      const row = await (lock ? lockRow : findRow)(raw, 'discord_guild', { id: HERE });
      return row ? toGuild(row) : null;
    },
    async saveGuild({ guildId, name, roles, fault, faultMs, checkedMs, rules, revision }) {
      const [known, set] = [JSON.stringify(roles), JSON.stringify(rules)];
      await raw.run(SAVE_GUILD, [HERE, guildId, name, known, fault, faultMs, checkedMs, set, revision]);
    },
    async findFacts(userId) {
      const row = await raw.one<FactsRow>(FACTS, [userId]);
      return row ? toFacts(row) : null;
    },
    async listLinked(afterUserId, limit) {
      const rows = await raw.all<LinkedRow>(LINKED, [afterUserId, limit]);
      return rows.map((row) => ({
        ...toFacts(row),
        subject: row.subject,
        member:
          row.guild_id === null
            ? null
            : {
                guildId: row.guild_id,
                wanted: JSON.parse(row.wanted ?? '[]') as string[],
                nextMs: row.next_ms ?? 0,
              },
      }));
    },
    async findMember(subject, lock = false) {
      const row = await (lock ? lockRow : findRow)(raw, 'discord_role_members', { subject });
      return row ? toMember(row) : null;
    },
    async listMembers(userId) {
      return (await listRows(raw, 'discord_role_members', { user_id: userId }, 'subject')).map(toMember);
    },
    async saveMember({ subject, userId, guildId, given, wanted, state, nextMs, unlinkedMs }) {
      const [had, should] = [JSON.stringify(given), JSON.stringify(wanted)];
      await raw.run(SAVE_MEMBER, [subject, userId, guildId, had, should, state, nextMs, unlinkedMs]);
    },
    async removeMember(subject) {
      await raw.run('DELETE FROM discord_role_members WHERE subject = ?', [subject]);
    },
    async listUnlinked(nowMs, limit) {
      return (await raw.all<{ user_id: string }>(UNLINKED, [nowMs, limit])).map(({ user_id: id }) => id);
    },
    async purgeUnlinked(beforeMs) {
      await raw.run('DELETE FROM discord_role_members WHERE unlinked_ms < ?', [beforeMs]);
    },
    async countMembers() {
      const rows = await raw.all<{ state: MemberState; count: number }>(
        'SELECT state, COUNT(*) AS count FROM discord_role_members GROUP BY state',
      );
      const counts = new Map(rows.map(({ state, count }) => [state, count]));
      return { done: counts.get('done') ?? 0, absent: counts.get('absent') ?? 0, refused: counts.get('refused') ?? 0 };
    },
    async listRefused(limit) {
      return (await raw.all<{ username: string }>(REFUSED, [limit])).map(({ username }) => username);
    },
  };
}
