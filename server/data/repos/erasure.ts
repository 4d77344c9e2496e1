import type { Kysely } from 'kysely';
import type { DB } from '#server/data/schema.ts';
import { normaliseName } from '#shared/names.ts';

/** Tables whose rows of a user are deleted with the account, each by its column `user_id`. */
const DELETED = [
  'sessions',
  'known_devices',
  'one_time_tokens',
  'email_changes',
  'data_exports',
  'second_factors',
  'recovery_codes',
  'passkeys',
  'api_tokens',
  'user_notes',
  'support_pins',
  'attention_snoozes',
  'overview_layouts',
  'tickets',
  'images',
  'image_usage',
  'image_traffic',
  'image_keys',
  'image_embeds',
  'ticket_blocks',
  'mails',
  'mail_opt_outs',
  'notifications',
  'announcement_reads',
  'announcement_marks',
  'announcement_reactions',
  'notification_choices',
  'notification_digests',
  'push_subscriptions',
  'user_skins',
  'user_privacy',
  'linked_identities',
  'link_attempts',
  'referral_codes',
  'abuse_signals',
  'panel_account_codes',
  'waiting_list',
  'server_subusers',
  'imported_code_uses',
  'idempotency_keys',
  'leaderboard_scores',
  'leaderboard_marks',
] as const;

/** Tables with things of a user that lines of the audit log are about, each by its column `user_id`. */
const AUDITED = ['mails', 'held_rewards', 'servers', 'server_queue', 'api_tokens', 'passkeys'] as const;

/** Takes everything personal away from an account. */
export async function eraseUser(
  db: Kysely<DB>,
  userId: string,
  name: { username: string; email: string; roleId: string },
  atMs: number,
): Promise<void> {
  const user = await db
    .selectFrom('users')
    .select(['username', 'email_key'])
    .where('id', '=', userId)
    .executeTakeFirst();
  if (!user) return;
  await db.deleteFrom('pending_accounts').where('email_key', '=', user.email_key).execute();
  await uncountReactions(db, userId);
  await forgetSharing(db, userId, user.username);
  await emptyAudit(db, userId);
  for (const table of DELETED) await db.deleteFrom(table).where('user_id', '=', userId).execute();
  await db
    .updateTable('users')
    .set({
      username: name.username,
      username_key: normaliseName(name.username),
      email: name.email,
      email_key: normaliseName(name.email),
      password_hash: '',
      first_name: '',
      last_name: '',
      time_zone: null,
      role_id: name.roleId,
      ban_reason: null,
      banned_by: null,
      verified_ms: null,
      seen_ms: 0,
      factor: 0,
      updated_ms: atMs,
    })
    .where('id', '=', userId)
    .execute();
  await db
    .updateTable('embedded_users')
    .set({ username: name.username, email: name.email })
    .where('external_id', '=', userId)
    .execute();
  // What they had attached is deleted, with its files, by the next turn of the work that clears what is not sent.
  await db
    .updateTable('ticket_attachments')
    .set({ name: '', created_ms: 0 })
    .where('author_id', '=', userId)
    .where('ticket_id', 'is', null)
    .execute();
  await emptyReports(db, userId);
  await emptyHistory(db, userId);
  await emptyServers(db, userId);
  await renameInNotifications(db, userId, { from: user.username, to: name.username });
}

/** Takes a user's reactions to announcements out of their counts. */
async function uncountReactions(db: Kysely<DB>, userId: string): Promise<void> {
  await db
    .updateTable('announcement_reaction_counts')
    .set((eb) => ({ count: eb('count', '-', 1) }))
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('announcement_reactions as own')
          .select('own.user_id')
          .where('own.user_id', '=', userId)
          .whereRef('own.announcement_id', '=', 'announcement_reaction_counts.announcement_id')
          .whereRef('own.reaction', '=', 'announcement_reaction_counts.reaction'),
      ),
    )
    .execute();
}

/** Notifications of others that hold the user's name: of gifts between them, and of who referred whom. */
async function renameInNotifications(
  db: Kysely<DB>,
  userId: string,
  { from, to }: { from: string; to: string },
): Promise<void> {
  const known = db
    .selectFrom('gifts')
    .select('recipient_id as id')
    .where('sender_id', '=', userId)
    .union(db.selectFrom('gifts').select('sender_id as id').where('recipient_id', '=', userId))
    .union(db.selectFrom('referrals').select('referrer_id as id').where('newcomer_id', '=', userId))
    .union(db.selectFrom('referrals').select('newcomer_id as id').where('referrer_id', '=', userId));
  const rows = await db
    .selectFrom('notifications')
    .select(['id', 'kind', 'data'])
    .where('user_id', 'in', known)
    .where((where) => where.or([where('kind', 'like', 'gift%'), where('kind', 'like', 'referral%')]))
    .execute();
  for (const { id, kind, data } of rows) {
    const said = JSON.parse(data) as Record<string, string | number>;
    if (said.name !== from) continue;
    // What they wrote beside a gift goes with their name.
    const emptied = { ...said, name: to, ...(said.note === undefined ? {} : { note: '' }) };
    await db
      .updateTable('notifications')
      .set({ kind: kind === 'giftReceivedNote' ? 'giftReceived' : kind, data: JSON.stringify(emptied) })
      .where('id', '=', id)
      .execute();
  }
}

/**
 * Takes a user's name out of notifications about servers that they shared, and ends the sharing. Whoever was notified
 * has a row of it, which stays when the right ends; those of the user's own rights are deleted with them.
 */
async function forgetSharing(db: Kysely<DB>, userId: string, username: string): Promise<void> {
  const own = db.selectFrom('servers').select('id').where('user_id', '=', userId);
  const notified = db
    .selectFrom('server_subusers')
    .select('user_id as id')
    .where('server_id', 'in', own)
    .union(
      db
        .selectFrom('server_subusers')
        .innerJoin('servers', 'servers.id', 'server_subusers.server_id')
        .select('servers.user_id as id')
        .where('server_subusers.user_id', '=', userId),
    );
  const rows = await db
    .selectFrom('notifications')
    .select(['id', 'data'])
    .where('user_id', 'in', notified)
    .where('kind', 'like', 'subuser%')
    .execute();
  const gone = rows.filter(({ data }) => (JSON.parse(data) as { name?: string }).name === username);
  for (const { id } of gone) await db.deleteFrom('notifications').where('id', '=', id).execute();
  await db.deleteFrom('server_subusers').where('server_id', 'in', own).execute();
}

/** Empties reports of a user's images, and takes their name from what they reported. */
async function emptyReports(db: Kysely<DB>, userId: string): Promise<void> {
  await db.updateTable('image_reports').set({ name: '', note: '' }).where('owner_id', '=', userId).execute();
  await db
    .updateTable('image_complaints')
    .set({ reporter_id: null, details: '' })
    .where('reporter_id', '=', userId)
    .execute();
}

/**
 * Empties what the audit log says of a user: where they sat, what changed of them, of what is theirs (names of servers,
 * addresses of e-mails), and what they called what they made themselves. That it was done, when and by whom stays.
 */
async function emptyAudit(db: Kysely<DB>, userId: string): Promise<void> {
  const nothing = { before: null, after: null };
  await db.updateTable('audit').set({ address: null, device: null }).where('actor_id', '=', userId).execute();
  await db.updateTable('audit').set(nothing).where('target', '=', userId).execute();
  await db
    .updateTable('audit')
    .set(nothing)
    .where('actor_id', '=', userId)
    .where('action', 'like', 'account.%')
    .execute();
  // As credited payments were recorded before they named their user by id. The order keeps the figures.
  await db
    .updateTable('audit')
    .set(nothing)
    .where('action', '=', 'payments.credit')
    .where('after', 'like', '%"username"%')
    .where('target', 'in', db.selectFrom('payment_orders').select('id').where('user_id', '=', userId))
    .execute();
  for (const table of AUDITED)
    await db
      .updateTable('audit')
      .set(nothing)
      .where('target', 'in', db.selectFrom(table).select('id').where('user_id', '=', userId))
      .execute();
}

/** Empties what a user did and what was noted of it. */
async function emptyHistory(db: Kysely<DB>, userId: string): Promise<void> {
  await db.updateTable('afk_sessions').set({ device: '' }).where('user_id', '=', userId).execute();
  await db.updateTable('gifts').set({ note: '' }).where('sender_id', '=', userId).execute();
  await db.updateTable('held_rewards').set({ note: null, reasons: '[]' }).where('user_id', '=', userId).execute();
  await db.updateTable('link_claims').set({ network: null, session_id: '' }).where('user_id', '=', userId).execute();
  await db.updateTable('referrals').set({ network: null }).where('newcomer_id', '=', userId).execute();
}

const serversOf = (db: Kysely<DB>, userId: string) =>
  db.selectFrom('servers').select('id').where('user_id', '=', userId);

/** Empties what players called their servers, and deletes what they wanted done with them. */
async function emptyServers(db: Kysely<DB>, userId: string): Promise<void> {
  await db
    .updateTable('servers')
    .set({ name: '', description: '', variables: '{}', suspend_note: null })
    .where('user_id', '=', userId)
    .execute();
  await db.updateTable('server_debts').set({ name: '' }).where('user_id', '=', userId).execute();
  await db.deleteFrom('server_schedules').where('server_id', 'in', serversOf(db, userId)).execute();
  await db.deleteFrom('server_usage_hours').where('server_id', 'in', serversOf(db, userId)).execute();
}
