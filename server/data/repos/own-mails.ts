import type { Kysely, Selectable } from 'kysely';
import type { Param, Raw } from '#server/data/raw.ts';
import { insertNew, insertRow } from '#server/data/row.ts';
import type { DB, MailCampaigns, OwnMails } from '#server/data/schema.ts';
import type { Audience, Campaign, MailContents, OwnMail, OwnMailsRepo } from '#server/modules/mailing/own-ports.ts';
import type { MailKind } from '#shared/mails.ts';

// What stands in these columns was written here.
const parseContents = (text: string): MailContents => JSON.parse(text) as MailContents;

const toMail = (row: Selectable<OwnMails> & { readonly editor: string | null }): OwnMail => ({
  id: row.id,
  name: row.name,
  kind: row.kind,
  link: row.link,
  contents: parseContents(row.contents),
  revision: row.revision,
  createdMs: row.created_ms,
  updatedMs: row.updated_ms,
  updatedBy: row.editor,
});
const toCampaign = (row: Selectable<MailCampaigns> & { readonly sender: string | null }): Campaign => ({
  id: row.id,
  mailId: row.mail_id,
  name: row.name,
  kind: row.kind,
  link: row.link,
  contents: parseContents(row.contents),
  audience: JSON.parse(row.audience) as Audience,
  state: row.state,
  lastUserId: row.last_user_id,
  total: row.total,
  written: row.written,
  createdMs: row.created_ms,
  createdBy: row.sender,
  endedMs: row.ended_ms,
});

/** The condition of an audience, and its values. */
function conditionOf(audience: Audience, kind: MailKind): { readonly sql: string; readonly values: readonly Param[] } {
  const { roleId, locale, seenSinceMs, verified } = audience;
  const parts: (readonly [string, ...Param[]])[] = [
    ["u.status = 'active'"],
    ['NOT EXISTS (SELECT 1 FROM mail_opt_outs o WHERE o.user_id = u.id AND o.kind = ?)', kind],
    ['NOT EXISTS (SELECT 1 FROM mails m WHERE m.address = u.email AND m.bounced = 1)'],
    ...(roleId === null ? [] : [['u.role_id = ?', roleId] as const]),
    ...(locale === null ? [] : [['u.locale = ?', locale] as const]),
    ...(seenSinceMs === null ? [] : [['u.seen_ms >= ?', seenSinceMs] as const]),
    ...(verified ? [['u.verified_ms IS NOT NULL'] as const] : []),
  ];
  return { sql: parts.map(([sql]) => sql).join(' AND '), values: parts.flatMap(([, ...values]) => values) };
}

/** The host's own mails in the database. */
export function createOwnMailsRepo(db: Kysely<DB>, raw: Raw): OwnMailsRepo {
  return { ...mailsPart(db, raw), ...campaignsPart(db, raw), ...receiversPart(db, raw) };
}

type Mails = 'list' | 'find' | 'add' | 'update' | 'remove';
function mailsPart(db: Kysely<DB>, raw: Raw): Pick<OwnMailsRepo, Mails> {
  const all = () =>
    db
      .selectFrom('own_mails')
      .leftJoin('users', 'users.id', 'own_mails.updated_by')
      .selectAll('own_mails')
      .select('users.username as editor');
  return {
    list: async () => (await all().orderBy('own_mails.created_ms', 'desc').execute()).map(toMail),
    async find(id) {
      const row = await all().where('own_mails.id', '=', id).executeTakeFirst();
      return row ? toMail(row) : null;
    },
    add: ({ id, name, kind, link, contents, revision, createdMs, updatedMs, updatedBy }) =>
      insertRow(raw, 'own_mails', {
        id,
        name,
        kind,
        link,
        contents: JSON.stringify(contents),
        revision,
        created_ms: createdMs,
        updated_ms: updatedMs,
        updated_by: updatedBy,
      }),
    async update({ id, name, kind, link, contents, revision, updatedMs, updatedBy }, seen) {
      const { numUpdatedRows } = await db
        .updateTable('own_mails')
        .set({
          name,
          kind,
          link,
          contents: JSON.stringify(contents),
          revision,
          updated_ms: updatedMs,
          updated_by: updatedBy,
        })
        .where('id', '=', id)
        .where('revision', '=', seen)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
    async remove(id) {
      await db.deleteFrom('own_mails').where('id', '=', id).execute();
    },
  };
}

type Campaigns = 'addCampaign' | 'findCampaign' | 'listCampaigns' | 'advance';
function campaignsPart(db: Kysely<DB>, raw: Raw): Pick<OwnMailsRepo, Campaigns> {
  const all = () =>
    db
      .selectFrom('mail_campaigns')
      .leftJoin('users', 'users.id', 'mail_campaigns.created_by')
      .selectAll('mail_campaigns')
      .select('users.username as sender');
  return {
    addCampaign: (campaign) =>
      insertNew(raw, 'mail_campaigns', {
        id: campaign.id,
        mail_id: campaign.mailId,
        name: campaign.name,
        kind: campaign.kind,
        link: campaign.link,
        contents: JSON.stringify(campaign.contents),
        audience: JSON.stringify(campaign.audience),
        state: campaign.state,
        last_user_id: campaign.lastUserId,
        total: campaign.total,
        written: campaign.written,
        created_ms: campaign.createdMs,
        created_by: campaign.createdBy,
        ended_ms: campaign.endedMs,
      }),
    async findCampaign(id) {
      const row = await all().where('mail_campaigns.id', '=', id).executeTakeFirst();
      return row ? toCampaign(row) : null;
    },
    listCampaigns: async (mailId, limit) =>
      (
        await all().where('mail_id', '=', mailId).orderBy('mail_campaigns.created_ms', 'desc').limit(limit).execute()
      ).map(toCampaign),
    async advance(id, { lastUserId, written, state, endedMs }) {
      const { numUpdatedRows } = await db
        .updateTable('mail_campaigns')
        .set({ last_user_id: lastUserId, written, state, ended_ms: endedMs })
        .where('id', '=', id)
        .where('state', '=', 'sending')
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
  };
}

type Receivers = 'listAudience' | 'countAudience' | 'listOptOuts' | 'optOut' | 'optIn';
function receiversPart(db: Kysely<DB>, raw: Raw): Pick<OwnMailsRepo, Receivers> {
  return {
    async listAudience(audience, kind, afterId, limit) {
      const { sql, values } = conditionOf(audience, kind);
      const rows = await raw.all<{ id: string }>(
        `SELECT u.id FROM users u WHERE ${raw.stopCondition} AND u.id > ? AND ${sql} ORDER BY u.id LIMIT ?`,
        [afterId, ...values, limit],
      );
      return rows.map(({ id }) => id);
    },
    async countAudience(audience, kind) {
      const { sql, values } = conditionOf(audience, kind);
      const row = await raw.one<{ n: number }>(
        `SELECT COUNT(*) AS n FROM users u WHERE ${raw.stopCondition} AND ${sql}`,
        values,
      );
      return Number(row?.n ?? 0);
    },
    async listOptOuts(userId) {
      const rows = await db.selectFrom('mail_opt_outs').select('kind').where('user_id', '=', userId).execute();
      return rows.map(({ kind }) => kind);
    },
    async optOut(userId, kind, atMs) {
      await insertNew(raw, 'mail_opt_outs', { user_id: userId, kind, created_ms: atMs });
    },
    async optIn(userId, kind) {
      await db.deleteFrom('mail_opt_outs').where('user_id', '=', userId).where('kind', '=', kind).execute();
    },
  };
}
