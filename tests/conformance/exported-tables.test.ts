import { expect, test } from 'bun:test';
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { SECTIONS } from '#server/data/repos/data-export-sections.ts';
import type { DB } from '#server/data/schema.ts';
import { openTestDb } from '#tests/support/db.ts';

// Shows behaviour 3.8: whatever is kept about a user is in the export of their data, or stays out for a reason.

/** Columns that say whose a row is, or who did something. */
const OF_USERS = /(?:^|_)(?:user|owner|sender|recipient|newcomer|referrer|actor|author|reporter|assignee|by)(?:_id)?$/;

const STAFF = 'work of staff: what they did is in their activity';
const OPENS = 'opens something, or proves who one is';
const NO_USER = 'names no user';
/** What is not exported, as `table.column`, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'afk_sessions.taken_by': NO_USER,
  'announcement_revisions.author_id': STAFF,
  'announcements.author_id': STAFF,
  'data_exports.user_id': 'the export itself',
  'embedded_servers.user_id': 'the number of a server’s owner in the panel inside: the server is exported',
  'held_rewards.decided_by': STAFF,
  'idempotency_keys.user_id': 'answers to what was sent, kept for a day',
  'image_embeds.author': NO_USER,
  'image_reports.decided_by': STAFF,
  'image_usage.user_id': 'sums of the images that are exported',
  'import_runs.started_by': STAFF,
  'leaderboard_marks.user_id': 'whose score is counted anew next',
  'library_images.created_by': STAFF,
  'ledger_blocks.user_id': 'old transactions: they are exported as the statement, with the others',
  'ledger_transactions.actor': 'who moved credits: one’s own statement is exported from the postings',
  'link_attempts.user_id': OPENS,
  'mail_campaigns.created_by': STAFF,
  'mail_campaigns.last_user_id': 'whom it came to last',
  'mail_texts.updated_by': STAFF,
  'one_time_tokens.user_id': OPENS,
  'own_mails.updated_by': STAFF,
  'panel_account_codes.user_id': OPENS,
  'payment_refunds.actor_id': STAFF,
  'plugin_keys.author': NO_USER,
  'plugin_packages.granted_by': STAFF,
  'recovery_codes.user_id': OPENS,
  'redeem_codes.changed_by': STAFF,
  'redeem_codes.created_by': STAFF,
  'server_debts.taken_by': NO_USER,
  'server_events.actor_id': 'who did something with a server of whoever owns it',
  'server_queue.user_id': 'work that is being done on servers that are exported',
  'sessions.viewed_user_id': 'whom staff view just now: it stands in their activity',
  'support_pins.user_id': OPENS,
  'ticket_attachments.author_id': 'in the tickets that are exported',
  'ticket_blocks.by_id': STAFF,
  'ticket_messages.author_id': 'in the tickets that are exported',
  'tickets.assignee_id': STAFF,
  'user_bulk_runs.started_by': STAFF,
  'user_notes.author_id': STAFF,
  'user_notes.user_id': 'what staff noted for each other',
  'users.banned_by': STAFF,
};

/** The columns of the database that refer to users, as `table.column`. */
async function columnsOfUsers(): Promise<string[]> {
  const db = await openTestDb('sqlite');
  const columns = await db.sql<{ place: string; name: string }>(
    `SELECT m.name || '.' || c.name AS place, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
     WHERE m.type = 'table' ORDER BY place`,
  );
  await db.close();
  return columns.filter(({ name }) => OF_USERS.test(name)).map(({ place }) => place);
}

/** The columns by which the export finds what is a user's, as `table.column`. */
async function columnsAskedBy(): Promise<Set<string>> {
  const asked = new Set<string>();
  const db = new Kysely<DB>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (inside) => new SqliteIntrospector(inside),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
    log: ({ query: { sql } }) => {
      const [, first = ''] = /from "(\w+)"/.exec(sql) ?? [];
      for (const [, table = first, column = ''] of sql.matchAll(/(?:"(\w+)"\.)?"(\w+)" = \?/g))
        asked.add(`${table}.${column}`);
    },
  });
  for (const section of Object.values(SECTIONS)) await section(db, 'somebody');
  return asked;
}

test('every column that refers to a user is exported, or is left out for a reason', async () => {
  const [columns, asked] = [await columnsOfUsers(), await columnsAskedBy()];
  expect(columns.length).toBeGreaterThan(80);
  expect(columns.filter((column) => !asked.has(column) && LEFT_OUT[column] === undefined)).toEqual([]);
  // Nothing stands there that is exported, or is gone.
  expect(Object.keys(LEFT_OUT).filter((column) => asked.has(column) || !columns.includes(column))).toEqual([]);
});
