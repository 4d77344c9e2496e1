import type { Kysely, Selectable } from 'kysely';
import type { Raw } from '#server/data/raw.ts';
import { insertNew } from '#server/data/row.ts';
import type { DB, MailTexts } from '#server/data/schema.ts';
import type { MailTemplate, MailTextsRepo, StoredContent } from '#server/modules/mailing/ports.ts';
import { toLocale } from '#shared/i18n/locales.ts';
import type { MailBlock } from '#shared/mails.ts';

const toContent = (row: Selectable<MailTexts> & { readonly editor: string | null }): StoredContent => ({
  template: row.template as MailTemplate,
  locale: toLocale(row.locale),
  // Written by `put` alone.
  content: { subject: row.subject, blocks: JSON.parse(row.blocks) as MailBlock[] },
  revision: row.revision,
  updatedMs: row.updated_ms,
  updatedBy: row.editor,
});

/** What hosts made of the product's mails, in the database. */
export function createMailTextsRepo(db: Kysely<DB>, raw: Raw): MailTextsRepo {
  const all = () =>
    db
      .selectFrom('mail_texts')
      .leftJoin('users', 'users.id', 'mail_texts.updated_by')
      .selectAll('mail_texts')
      .select('users.username as editor');
  return {
    async find(template, locale) {
      const row = await all()
        .where('template', '=', template)
        .where('mail_texts.locale', '=', locale)
        .executeTakeFirst();
      return row ? toContent(row) : null;
    },
    list: async () => (await all().execute()).map(toContent),
    async put({ template, locale, content, revision, updatedMs, updatedBy }, seen) {
      const values = {
        subject: content.subject,
        blocks: JSON.stringify(content.blocks),
        revision,
        updated_ms: updatedMs,
        updated_by: updatedBy,
      };
      if (seen === 0) return insertNew(raw, 'mail_texts', { template, locale, ...values });
      const { numUpdatedRows } = await db
        .updateTable('mail_texts')
        .set(values)
        .where('template', '=', template)
        .where('locale', '=', locale)
        .where('revision', '=', seen)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
    async remove(template, locale) {
      await db.deleteFrom('mail_texts').where('template', '=', template).where('locale', '=', locale).execute();
    },
  };
}
