import type { Handlers } from '#server/http/implement.types.ts';
import type { StaffMailTemplates } from '#server/modules/mailing/index.ts';
import type { adminMailTemplates } from '#shared/contract/mail-templates.ts';
import { iso } from '#shared/time.ts';

interface Deps {
  readonly staffMailTemplates: StaffMailTemplates;
}
type Preview = Awaited<ReturnType<StaffMailTemplates['preview']>>;

/** The product's mails for staff. */
export function mailTemplatesHandlers({ staffMailTemplates }: Deps): Handlers<typeof adminMailTemplates> {
  return {
    async list(ctx, { query }) {
      const rows = await staffMailTemplates.list(ctx, query.locale ?? ctx.locale);
      return {
        rows: rows.map(({ template, updatedMs, ...row }) => ({ id: template, ...row, updated_at: iso(updatedMs) })),
      };
    },
    async get(ctx, { params, query }) {
      const view = await staffMailTemplates.get(ctx, params.id, query.locale ?? ctx.locale);
      const { template, locale, content, original, stored, changed, variables, preview } = view;
      return {
        id: template,
        locale,
        content: toContentView(content),
        original: toContentView(original),
        revision: stored?.revision ?? 0,
        updated_at: iso(stored?.updatedMs ?? null),
        updated_by: stored?.updatedBy ?? null,
        changed: [...changed],
        variables: [...variables],
        preview: toPreviewView(preview),
      };
    },
    save: (ctx, { params, body: { locale, revision, ...content } }) =>
      staffMailTemplates.save(ctx, params.id, { locale, content, revision }),
    preview: async (ctx, { params, body: { locale, user = '', ...content } }) => ({
      preview: toPreviewView(await staffMailTemplates.preview(ctx, params.id, { locale, content, user: user.trim() })),
    }),
    test: (ctx, { params, body: { locale, ...content } }) =>
      staffMailTemplates.sendTest(ctx, params.id, locale, content),
    async changes(ctx, { params }) {
      const { template, changed } = await staffMailTemplates.listChanges(ctx, params.id);
      return { id: template, changed };
    },
    async reset(ctx, { params, body }) {
      await staffMailTemplates.reset(ctx, params.id, body.locale ?? null);
      return {};
    },
  };
}

type Content = Awaited<ReturnType<StaffMailTemplates['get']>>['content'];
/** A content as it is answered. */
export const toContentView = ({ subject, blocks }: Content) => ({
  subject,
  blocks: blocks.map((block) => ({ ...block })),
});
/** A preview as it is answered. */
export const toPreviewView = ({ darkStyle, ...preview }: Preview) => ({ ...preview, dark_style: darkStyle });
