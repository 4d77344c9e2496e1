import type { Handlers } from '#server/http/implement.types.ts';
import type { Campaigns, OwnMails, Unsubscribing } from '#server/modules/mailing/index.ts';
import type { adminOwnMails, mailKinds } from '#shared/contract/own-mails.ts';
import { LOCALES } from '#shared/i18n/locales.ts';
import { href } from '#shared/routes/href.ts';
import { iso } from '#shared/time.ts';
import { toContentView, toPreviewView } from './mail-templates.ts';

interface Deps {
  readonly ownMails: OwnMails;
  readonly campaigns: Campaigns;
}

/** The host's own mails for staff. */
export function ownMailsHandlers({ ownMails, campaigns }: Deps): Handlers<typeof adminOwnMails> {
  return {
    async list(ctx) {
      const rows = await ownMails.list(ctx);
      return {
        rows: rows.map(({ id, name, kind, contents, updatedMs, sentMs, isSending }) => ({
          id,
          name,
          kind,
          locales: localesOf(contents),
          updated_at: iso(updatedMs),
          sent_at: iso(sentMs),
          is_sending: isSending,
        })),
      };
    },
    create: (ctx, { body }) => ownMails.create(ctx, body),
    async get(ctx, { params, query }) {
      const { mail, locale, content, variables, preview } = await ownMails.get(
        ctx,
        params.id,
        query.locale ?? ctx.locale,
      );
      return {
        id: mail.id,
        name: mail.name,
        kind: mail.kind,
        link: mail.link,
        locale,
        content: toContentView(content),
        revision: mail.revision,
        updated_at: iso(mail.updatedMs),
        updated_by: mail.updatedBy,
        locales: localesOf(mail.contents),
        variables: [...variables],
        preview: toPreviewView(preview),
      };
    },
    save: (ctx, { params, body: { name, kind, link, locale, revision, ...content } }) =>
      ownMails.save(ctx, params.id, { name, kind, link, locale, content }, revision),
    preview: async (ctx, { body: { name, kind, link, locale, ...content } }) => ({
      preview: toPreviewView(await ownMails.preview(ctx, { name, kind, link, locale, content })),
    }),
    test: (ctx, { params, body: { name, kind, link, locale, ...content } }) =>
      ownMails.sendTest(ctx, params.id, { name, kind, link, locale, content }),
    async dependants(ctx, { params }) {
      const { mail, campaigns: sent } = await ownMails.dependants(ctx, params.id);
      return { name: mail.name, campaigns: sent };
    },
    async remove(ctx, { params }) {
      await ownMails.remove(ctx, params.id);
      return {};
    },
    async campaigns(ctx, { params }) {
      const { mail, roles, sendsMail, campaigns: sent } = await campaigns.get(ctx, params.id);
      return {
        name: mail.name,
        kind: mail.kind,
        revision: mail.revision,
        locales: localesOf(mail.contents),
        roles,
        sends_mail: sendsMail,
        campaigns: sent.map(({ id, state, total, written, createdMs, createdBy, endedMs }) => ({
          id,
          state,
          total,
          written,
          created_at: iso(createdMs),
          created_by: createdBy,
          ended_at: iso(endedMs),
        })),
      };
    },
    count: async (ctx, { params, body }) => ({ count: await campaigns.count(ctx, params.id, body) }),
    send: (ctx, { params, body }) => campaigns.send(ctx, params.id, body),
    cancel: (ctx, { params }) => campaigns.cancel(ctx, params.id),
  };
}

/** Which of them somebody wants. */
export function mailKindsHandlers({
  unsubscribing,
}: {
  readonly unsubscribing: Unsubscribing;
}): Handlers<typeof mailKinds> {
  return {
    get: async (ctx) => ({ kinds: await unsubscribing.list(ctx) }),
    async save(ctx, { body }) {
      await unsubscribing.save(ctx, body.kinds);
      return {};
    },
    byLink: (_, { params }) => unsubscribing.get(params.token),
    async saveByLink(_, { params, body }) {
      await unsubscribing.set(params.token, body.wanted);
      return {};
    },
    async oneClick(_, { params }) {
      await unsubscribing.click(params.token);
      return {};
    },
    openLink: async (_, { params }) => ({ to: href('unsubscribe', { token: params.token }) }),
  };
}

const localesOf = (contents: object) => LOCALES.filter((locale) => Object.hasOwn(contents, locale));
