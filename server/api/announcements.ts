import type { Handlers } from '#server/http/implement.types.ts';
import type { Announcements } from '#server/modules/announcements/index.ts';
import type { announcements as contract, news } from '#shared/contract/announcements.ts';
import { pictureUrl } from '#shared/picture-url.ts';
import { iso } from '#shared/time.ts';
import { parseCursor } from './account-activity.ts';
import { toAtom } from './atom.ts';

/** HTML of Markdown that may stand in a page, with pictures of the installation. */
export type RenderArticle = (markdown: string) => Promise<string>;

interface Deps {
  readonly announcements: Announcements;
  readonly renderArticle: RenderArticle;
}
type Board = Awaited<ReturnType<Announcements['publicBoard']>>;

const toCard = ({ id, title, summary, picture, tags, pinned, urgent, author, publishMs }: Board['rows'][number]) => ({
  id,
  title,
  summary,
  picture,
  tags: [...tags],
  pinned,
  urgent,
  author,
  published_at: iso(publishMs),
});
const toReactions = (found: Awaited<ReturnType<Announcements['react']>>) =>
  found.map(({ reaction, count, isOwn }) => ({ reaction, count, own: isOwn }));
const toOlder = (older: Board['older']) => older && `${older.ms}.${older.id}`;

/** Announcements for those who are signed in. */
export function announcementsHandlers({ announcements, renderArticle }: Deps): Handlers<typeof contract> {
  return {
    async list(ctx, { query }) {
      const { before, tag, unread: isUnread } = query;
      const found = await announcements.board(ctx, {
        before: parseCursor(before),
        tag,
        isUnread: isUnread !== undefined,
      });
      const toOwn = (card: (typeof found.rows)[number]) => ({
        ...toCard(card),
        is_new: card.isNew,
        affects: [...card.affects],
      });
      const { pinned, rows, older, tags, unread } = found;
      return { pinned: pinned.map(toOwn), rows: rows.map(toOwn), older: toOlder(older), tags, unread };
    },
    async get(ctx, { params }) {
      const found = await announcements.get(ctx, params.id);
      const { body, minutes, locale, reactions } = found;
      return {
        ...toCard(found),
        html: await renderArticle(body),
        minutes,
        locale,
        reactions: toReactions(reactions),
        affects: [...found.affects],
      };
    },
    async markRead(ctx, { params }) {
      await announcements.markRead(ctx, params.id);
      return {};
    },
    async markAllRead(ctx) {
      await announcements.markAllRead(ctx);
      return {};
    },
    react: async (ctx, { params, body }) => ({
      reactions: toReactions(await announcements.react(ctx, params.id, body.reaction, body.on)),
    }),
  };
}

interface NewsDeps extends Deps {
  readonly settings: { current(): { readonly app_name: string } };
  /** Address of the installation, without a slash at its end. */
  readonly appUrl: () => string;
  readonly ids: { hash(text: string): string };
}

/** What visitors without an account read of them. */
export function newsHandlers({ announcements, renderArticle, settings, appUrl, ids }: NewsDeps): Handlers<typeof news> {
  /** Other services read no relative addresses. */
  return {
    async list(ctx, { query }) {
      const { rows, older } = await announcements.publicBoard(ctx.locale, parseCursor(query.before));
      return { rows: rows.map(toCard), older: toOlder(older) };
    },
    async get(ctx, { params }) {
      const found = await announcements.publicGet(ctx.locale, params.id);
      const { body, minutes, locale, picture } = found;
      return {
        ...toCard(found),
        html: await renderArticle(body),
        minutes,
        locale,
        site: settings.current().app_name,
        picture_url: picture === '' ? null : `${appUrl()}${pictureUrl(picture, 'link')}`,
      };
    },
    async feed(ctx) {
      const { rows } = await announcements.publicBoard(ctx.locale, null, true);
      const body = toAtom({
        name: settings.current().app_name,
        base: appUrl(),
        locale: ctx.locale,
        entries: await Promise.all(rows.map(async (row) => ({ ...row, html: await renderArticle(row.body) }))),
      });
      return { type: 'application/atom+xml', body, version: ids.hash(body).slice(0, 20), immutable: false };
    },
  };
}
