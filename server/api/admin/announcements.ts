import type { Handlers } from '#server/http/implement.types.ts';
import type { StaffAnnouncements } from '#server/modules/announcements/index.ts';
import { permitted } from '#server/modules/permit.ts';
import type { Pictures } from '#server/modules/pictures/index.ts';
import type { adminAnnouncements } from '#shared/contract/announcements.ts';
import { ANNOUNCEMENT_TARGETS_MAX } from '#shared/announcements.ts';
import { iso } from '#shared/time.ts';
import { parseCursor } from '../account-activity.ts';
import type { RenderArticle } from '../announcements.ts';

interface Deps {
  readonly staffAnnouncements: StaffAnnouncements;
  readonly pictures: Pick<Pictures, 'add'>;
  readonly renderArticle: RenderArticle;
}

/** Announcements for staff. */
export function staffAnnouncementsHandlers(deps: Deps): Handlers<typeof adminAnnouncements> {
  const { staffAnnouncements: staff, pictures, renderArticle } = deps;
  return {
    async list(ctx, { query }) {
      const { state: inState = null, audience: of = null, q = '', before } = query;
      const wanted = { state: inState, audience: of, search: q.trim() };
      const { rows, older } = await staff.list(ctx, wanted, parseCursor(before));
      return {
        rows: rows.map(({ id, title, state, texts, audience, tags, pinned, urgent, author, seen, ...times }) => ({
          id,
          title,
          state,
          locales: texts.map(({ locale }) => locale),
          audience,
          tags: [...tags],
          pinned,
          urgent,
          publish_at: iso(times.publishMs),
          end_at: iso(times.endMs),
          author,
          updated_at: iso(times.updatedMs),
          seen,
        })),
        older: older && `${older.ms}.${older.id}`,
      };
    },
    options: (ctx) => staff.options(ctx),
    async audience(ctx, { query }) {
      const targets = (query.targets ?? '').split(',').filter(Boolean).slice(0, ANNOUNCEMENT_TARGETS_MAX);
      const { count, isMore } = await staff.countAudience(ctx, { audience: query.audience, targets });
      return { count, more: isMore };
    },
    create: (ctx, { body }) => staff.create(ctx, body),
    async get(ctx, { params }) {
      const { id, title, state, picture, audience, pinned, urgent, notifies, mails, pushes, revision, seen, ...rest } =
        await staff.get(ctx, params.id);
      return {
        id,
        title,
        state,
        texts: [...rest.texts],
        tags: [...rest.tags],
        picture,
        audience,
        targets: [...rest.targets],
        pinned,
        urgent,
        notifies,
        mails,
        pushes,
        publish_at: iso(rest.publishMs),
        end_at: iso(rest.endMs),
        announced_at: iso(rest.announcedMs),
        revision,
        seen,
        revisions: rest.revisions.map((each) => ({
          revision: each.revision,
          at: iso(each.createdMs),
          author: each.author,
          texts: [...each.content.texts],
        })),
        roles: rest.roles,
        locations: rest.locations,
      };
    },
    save: (ctx, { params, body }) => staff.update(ctx, params.id, body.announcement, body.revision),
    restore: (ctx, { params, body }) => staff.restore(ctx, params.id, body.restores, body.revision),
    dependants: (ctx, { params }) => staff.dependants(ctx, params.id),
    async sendPreview(ctx, { params }) {
      await staff.sendPreview(ctx, params.id);
      return {};
    },
    async remove(ctx, { params }) {
      await staff.remove(ctx, params.id);
      return {};
    },
    preview: permitted('admin.announcements.list', async (_, { body }: { body: { text: string } }) => ({
      html: await renderArticle(body.text),
    })),
    addPicture: async (ctx, { body }) => ({ id: await pictures.add(ctx, 'announcement', body) }),
  };
}
