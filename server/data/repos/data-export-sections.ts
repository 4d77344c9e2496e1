import type { Kysely } from 'kysely';
import type { DB } from '#server/data/schema.ts';
import type { ExportedRow } from '#server/modules/exports/ports.ts';

type Section = (db: Kysely<DB>, userId: string) => Promise<ExportedRow[]>;

/** What we keep about a user, by section: no secrets, no hashes, and nothing of others. */
export const SECTIONS: Readonly<Record<string, Section>> = {
  account: (db, id) =>
    db
      .selectFrom('users')
      .innerJoin('roles', 'roles.id', 'users.role_id')
      .select(['users.id', 'username', 'email', 'first_name', 'last_name', 'locale', 'time_zone', 'roles.name as role'])
      .select(['status', 'verified_ms', 'terms_ms', 'users.created_ms'])
      .where('users.id', '=', id)
      .execute(),
  privacy: (db, id) =>
    db
      .selectFrom('user_privacy')
      .select(['leaderboard', 'profile', 'fields', 'avatar', 'background', 'badge', 'updated_ms'])
      .where('user_id', '=', id)
      .execute(),
  sessions: (db, id) =>
    db
      .selectFrom('sessions')
      .select(['device', 'user_agent', 'address', 'created_ms', 'seen_ms', 'expires_ms'])
      .where('user_id', '=', id)
      .orderBy('created_ms')
      .execute(),
  devices: (db, id) =>
    db
      .selectFrom('known_devices')
      .select(['first_ms', 'last_ms', 'factor_ms'])
      .where('user_id', '=', id)
      .orderBy('first_ms')
      .execute(),
  activity: (db, id) =>
    db
      .selectFrom('audit')
      .select(['at_ms', 'action', 'address', 'device'])
      .where('actor_id', '=', id)
      .orderBy('at_ms')
      .execute(),
  linked_accounts: (db, id) =>
    db
      .selectFrom('linked_identities')
      .select(['provider', 'subject', 'name', 'scopes', 'linked_ms'])
      .where('user_id', '=', id)
      .execute(),
  passkeys: (db, id) =>
    db
      .selectFrom('passkeys')
      .select(['name', 'multi_device', 'backed_up', 'created_ms', 'used_ms', 'copied_ms'])
      .where('user_id', '=', id)
      .orderBy('created_ms')
      .execute(),
  // Without their hashes: of the token itself only its last characters, as the page shows them.
  api_tokens: (db, id) =>
    db
      .selectFrom('api_tokens')
      .select(['name', 'tail', 'scopes', 'addresses', 'created_ms', 'expires_ms', 'used_ms', 'used_address'])
      .where('user_id', '=', id)
      .orderBy('created_ms')
      .execute(),
  signals: (db, id) =>
    db
      .selectFrom('abuse_signals')
      .select(['kind', 'value', 'first_ms', 'last_ms'])
      .where('user_id', '=', id)
      .orderBy('first_ms')
      .execute(),
  servers: (db, id) =>
    db
      .selectFrom('servers')
      .select(['id', 'name', 'description', 'state', 'memory', 'disk', 'cpu', 'ports', 'databases', 'backups'])
      .select(['variables', 'address', 'expires_ms', 'created_ms', 'deleted_ms'])
      .where('user_id', '=', id)
      .orderBy('created_ms')
      .execute(),
  // Of servers of others only what is said to whoever works on them.
  shared_servers: (db, id) =>
    db
      .selectFrom('server_subusers')
      .select(['server_id', 'rights', 'created_ms', 'ended_ms'])
      .where('user_id', '=', id)
      .orderBy('created_ms')
      .execute(),
  subusers: (db, id) =>
    db
      .selectFrom('server_subusers')
      .innerJoin('servers', 'servers.id', 'server_subusers.server_id')
      .innerJoin('users', 'users.id', 'server_subusers.user_id')
      .select(['server_subusers.server_id', 'users.username', 'server_subusers.rights'])
      .select(['server_subusers.created_ms', 'server_subusers.ended_ms'])
      .where('servers.user_id', '=', id)
      .orderBy('server_subusers.created_ms')
      .execute(),
  server_schedules: (db, id) =>
    db
      .selectFrom('server_schedules')
      .innerJoin('servers', 'servers.id', 'server_schedules.server_id')
      .select([
        'server_schedules.id',
        'server_schedules.server_id',
        'server_schedules.name',
        'server_schedules.enabled',
      ])
      .select(['server_schedules.only_online', 'server_schedules.timing', 'server_schedules.time_zone'])
      .select(['server_schedules.steps', 'server_schedules.last_ms', 'server_schedules.last_outcome'])
      .select('server_schedules.created_ms')
      .where('servers.user_id', '=', id)
      .orderBy('server_schedules.created_ms')
      .execute(),
  purchases: (db, id) =>
    db
      .selectFrom('store_purchases')
      .select(['kind', 'units', 'quantity', 'price_each', 'total', 'created_ms', 'refunded_ms'])
      .where('user_id', '=', id)
      .orderBy('created_ms')
      .execute(),
  payments: (db, id) =>
    db
      .selectFrom('payment_orders')
      .select(['id', 'provider', 'state', 'label', 'currency', 'amount', 'tax', 'credits', 'bonus', 'refunded'])
      .select(['created_ms', 'paid_ms'])
      .where('user_id', '=', id)
      .orderBy('created_ms')
      .execute(),
  images: (db, id) =>
    db
      .selectFrom('images')
      .innerJoin('image_objects', 'image_objects.hash', 'images.hash')
      .select(['images.id', 'images.name', 'image_objects.type', 'image_objects.width', 'image_objects.height'])
      .select(['images.bytes', 'images.price', 'images.views', 'images.hidden_ms', 'images.created_ms'])
      .where('images.user_id', '=', id)
      // As in the archive of their files.
      .orderBy('images.created_ms')
      .orderBy('images.id')
      .execute(),
  image_reports: (db, id) =>
    db
      .selectFrom('image_complaints')
      .select(['id', 'image_id', 'reason', 'details', 'created_ms'])
      .where('reporter_id', '=', id)
      .orderBy('created_ms')
      .execute(),
  image_keys: (db, id) =>
    db.selectFrom('image_keys').select(['tail', 'created_ms', 'used_ms']).where('user_id', '=', id).execute(),
  image_embeds: (db, id) =>
    db
      .selectFrom('image_embeds')
      .select(['enabled', 'title', 'description', 'author', 'color'])
      .where('user_id', '=', id)
      .execute(),
  image_traffic: (db, id) =>
    db.selectFrom('image_traffic').select(['day', 'bytes']).where('user_id', '=', id).orderBy('day').execute(),
  redeemed_codes: (db, id) =>
    db
      .selectFrom('redeem_uses')
      .select(['code', 'credits', 'at_ms'])
      .where('user_id', '=', id)
      .orderBy('at_ms')
      .execute(),
  imported_payments: (db, id) =>
    db
      .selectFrom('imported_payments')
      .select(['gateway', 'reference', 'status', 'amount', 'currency', 'credits', 'paid_ms'])
      .where('user_id', '=', id)
      .orderBy('paid_ms')
      .execute(),
  early_supporter: (db, id) =>
    db
      .selectFrom('early_supporters')
      .select(['state', 'credits', 'created_ms', 'qualified_ms'])
      .where('user_id', '=', id)
      .execute(),
  gifts_sent: (db, id) =>
    db
      .selectFrom('gifts')
      .select(['amount', 'fee', 'note', 'created_ms'])
      .where('sender_id', '=', id)
      .orderBy('created_ms')
      .execute(),
  afk_sessions: (db, id) =>
    db
      .selectFrom('afk_sessions')
      .select(['device', 'started_ms', 'ended_ms', 'minutes', 'earned'])
      .where('user_id', '=', id)
      .orderBy('started_ms')
      .execute(),
  notifications: (db, id) =>
    db
      .selectFrom('notifications')
      .select(['kind', 'data', 'created_ms', 'read_ms'])
      .where('user_id', '=', id)
      .orderBy('created_ms')
      .execute(),
  notification_choices: (db, id) =>
    db
      .selectFrom('notification_choices')
      .select(['choices', 'digest_hour', 'quiet_from', 'quiet_until', 'updated_ms'])
      .where('user_id', '=', id)
      .orderBy('updated_ms')
      .execute(),
  notification_digests: (db, id) =>
    db.selectFrom('notification_digests').select('due_ms').where('user_id', '=', id).orderBy('due_ms').execute(),
  // Without the addresses and keys of the browsers: who has them could send to them.
  push_subscriptions: (db, id) =>
    db
      .selectFrom('push_subscriptions')
      .select(['device', 'created_ms', 'reached_ms'])
      .where('user_id', '=', id)
      .orderBy('created_ms')
      .execute(),
  tickets: (db, id) =>
    db
      .selectFrom('tickets')
      .select(['id', 'number', 'subject', 'priority', 'status', 'created_ms', 'closed_ms'])
      .select(['rating', 'rating_text', 'rated_ms'])
      .where('user_id', '=', id)
      .orderBy('created_ms')
      .execute(),
  // Without what staff noted for each other.
  ticket_messages: (db, id) =>
    db
      .selectFrom('ticket_messages')
      .innerJoin('tickets', 'tickets.id', 'ticket_messages.ticket_id')
      .select([
        'tickets.number as ticket',
        'ticket_messages.kind',
        'ticket_messages.text',
        'ticket_messages.created_ms',
      ])
      .where('tickets.user_id', '=', id)
      .where('ticket_messages.kind', 'in', ['user', 'staff'])
      .orderBy('tickets.created_ms')
      .orderBy('ticket_messages.seq')
      .execute(),
  ticket_attachments: (db, id) =>
    db
      .selectFrom('ticket_attachments')
      .innerJoin('tickets', 'tickets.id', 'ticket_attachments.ticket_id')
      .innerJoin('ticket_messages', (join) =>
        join
          .onRef('ticket_messages.ticket_id', '=', 'ticket_attachments.ticket_id')
          .onRef('ticket_messages.seq', '=', 'ticket_attachments.seq'),
      )
      .select(['tickets.number as ticket', 'ticket_attachments.id', 'ticket_attachments.name'])
      .select(['ticket_attachments.type', 'ticket_attachments.bytes', 'ticket_attachments.created_ms'])
      .where('tickets.user_id', '=', id)
      .where('ticket_messages.kind', 'in', ['user', 'staff'])
      .orderBy('ticket_attachments.created_ms')
      .execute(),
  ticket_blocks: (db, id) =>
    db.selectFrom('ticket_blocks').select(['reason', 'created_ms']).where('user_id', '=', id).execute(),
  mail_opt_outs: (db, id) =>
    db.selectFrom('mail_opt_outs').select(['kind', 'created_ms']).where('user_id', '=', id).orderBy('kind').execute(),
  announcement_reads: (db, id) =>
    db
      .selectFrom('announcement_reads')
      .select(['announcement_id', 'created_ms'])
      .where('user_id', '=', id)
      .orderBy('created_ms')
      .execute(),
  announcement_marks: (db, id) =>
    db.selectFrom('announcement_marks').select('until_ms').where('user_id', '=', id).execute(),
  announcement_reactions: (db, id) =>
    db
      .selectFrom('announcement_reactions')
      .select(['announcement_id', 'reaction', 'created_ms'])
      .where('user_id', '=', id)
      .orderBy('created_ms')
      .execute(),
  attention_snoozes: (db, id) =>
    db.selectFrom('attention_snoozes').select(['item', 'until_ms']).where('user_id', '=', id).orderBy('item').execute(),
  overview_layouts: (db, id) => db.selectFrom('overview_layouts').select('layout').where('user_id', '=', id).execute(),
  // Without their bodies: links in them open things.
  mails: (db, id) =>
    db
      .selectFrom('mails')
      .select(['address', 'template', 'state', 'created_ms', 'sent_ms'])
      .where('user_id', '=', id)
      .orderBy('created_ms')
      .execute(),
  // Of who came by the user only what came of it.
  referral_code: (db, id) =>
    db.selectFrom('referral_codes').select(['code', 'created_ms']).where('user_id', '=', id).execute(),
  referred: (db, id) =>
    db
      .selectFrom('referrals')
      .select(['code', 'state', 'created_ms', 'qualified_ms', 'closed_ms'])
      .select(['referrer_state as reward', 'referrer_credits as credits', 'referrer_ms as rewarded_ms'])
      .where('referrer_id', '=', id)
      .orderBy('created_ms')
      .execute(),
  referred_by: (db, id) =>
    db
      .selectFrom('referrals')
      .select(['code', 'state', 'network', 'created_ms', 'qualified_ms', 'closed_ms'])
      .select(['newcomer_state as reward', 'newcomer_credits as credits'])
      .where('newcomer_id', '=', id)
      .execute(),
  link_rewards: (db, id) =>
    db
      .selectFrom('link_claims')
      .select(['provider', 'state', 'credits', 'network', 'started_ms', 'closed_ms'])
      .where('user_id', '=', id)
      .orderBy('started_ms')
      .execute(),
  join_rewards: (db, id) =>
    db
      .selectFrom('j4r_claims')
      .select(['name', 'guild_id', 'state', 'credits', 'joined_ms', 'claimed_ms', 'vests_ms'])
      .select(['unlinked_ms', 'ended_ms', 'taken'])
      .where('user_id', '=', id)
      .orderBy('claimed_ms')
      .execute(),
  // Without why they wait: who knew it could go around it.
  held_rewards: (db, id) =>
    db
      .selectFrom('held_rewards')
      .select(['source', 'amount', 'state', 'created_ms', 'release_ms', 'decided_ms', 'note', 'note_ms'])
      .where('user_id', '=', id)
      .orderBy('created_ms')
      .execute(),
  earned: (db, id) =>
    db
      .selectFrom('earn_counters')
      .select(['day', 'source', 'credits'])
      .where('user_id', '=', id)
      .orderBy('day')
      .execute(),
  gifts_received: (db, id) =>
    db
      .selectFrom('gifts')
      .select(['amount', 'note', 'created_ms'])
      .where('recipient_id', '=', id)
      .orderBy('created_ms')
      .execute(),
  gift_days: (db, id) =>
    db.selectFrom('gift_days').select(['day', 'side', 'credits']).where('user_id', '=', id).orderBy('day').execute(),
  leaderboard: (db, id) =>
    db.selectFrom('leaderboard_scores').select(['board', 'score', 'listed']).where('user_id', '=', id).execute(),
  skins: (db, id) => db.selectFrom('user_skins').select(['png', 'updated_ms']).where('user_id', '=', id).execute(),
  limits: (db, id) =>
    db
      .selectFrom('user_limits')
      .select(['memory', 'disk', 'cpu', 'slots', 'ports', 'databases', 'backups'])
      .where('user_id', '=', id)
      .execute(),
  email_changes: (db, id) =>
    db
      .selectFrom('email_changes')
      .select(['old_email', 'new_email', 'created_ms', 'done_ms', 'expires_ms'])
      .where('user_id', '=', id)
      .orderBy('created_ms')
      .execute(),
  second_factor: (db, id) => db.selectFrom('second_factors').select('enabled_ms').where('user_id', '=', id).execute(),
  deletion: (db, id) =>
    db.selectFrom('account_deletions').select(['requested_ms', 'due_ms']).where('user_id', '=', id).execute(),
  // Whose accounts they were is a keyed hash there.
  linked_before: (db, id) =>
    db
      .selectFrom('identity_history')
      .select(['provider', 'first_ms', 'last_ms'])
      .where('user_id', '=', id)
      .orderBy('first_ms')
      .execute(),
  discord_roles: (db, id) =>
    db.selectFrom('discord_role_members').select(['guild_id', 'given', 'state']).where('user_id', '=', id).execute(),
  panel_accounts: (db, id) =>
    db.selectFrom('panel_accounts').select(['panel_id', 'account', 'at_ms']).where('user_id', '=', id).execute(),
  waiting_list: (db, id) =>
    db
      .selectFrom('waiting_list')
      .select(['location_id', 'egg_id', 'memory', 'disk', 'ports', 'created_ms', 'notified_ms'])
      .where('user_id', '=', id)
      .orderBy('created_ms')
      .execute(),
  server_debts: (db, id) =>
    db
      .selectFrom('server_debts')
      .select(['server_id', 'name', 'owed', 'state', 'ended_ms', 'until_ms', 'created_ms'])
      .where('user_id', '=', id)
      .orderBy('created_ms')
      .execute(),
  server_history: (db, id) =>
    db
      .selectFrom('server_events')
      .select(['server_id', 'at_ms', 'code'])
      .where('user_id', '=', id)
      .orderBy('at_ms')
      .execute(),
  // Without who complained, and what staff noted.
  reported_images: (db, id) =>
    db
      .selectFrom('image_reports')
      .select(['image_id', 'name', 'state', 'reason', 'created_ms', 'decided_ms'])
      .where('owner_id', '=', id)
      .orderBy('created_ms')
      .execute(),
  imported_codes: (db, id) =>
    db
      .selectFrom('imported_code_uses')
      .innerJoin('redeem_codes', 'redeem_codes.id', 'imported_code_uses.code_id')
      .select('redeem_codes.code')
      .where('imported_code_uses.user_id', '=', id)
      .execute(),
};
