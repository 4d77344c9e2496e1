import * as z from 'zod/mini';
import {
  ANNOUNCEMENT_AUDIENCES,
  ANNOUNCEMENT_BODY_MAX,
  ANNOUNCEMENT_STATES,
  ANNOUNCEMENT_TAG_MAX,
  ANNOUNCEMENT_TARGETS_MAX,
  REACTIONS,
} from '../announcements.ts';
import { LOCALES } from '../i18n/locales.ts';
import { PAST_CURSOR } from '../past-cursor.ts';
import { PICTURE_MAX_BYTES, PICTURE_UPLOAD_TYPE } from '../pictures.ts';
import { announcementChange, announcementInput, reactionInput } from '../schemas/announcement.ts';
import { id, isoTime, text } from '../schemas/primitives.ts';
import { group } from './endpoint.ts';

const one = z.object({ id });
const before = z.optional(z.string().check(z.regex(PAST_CURSOR, 'INVALID')));
const locale = z.enum(LOCALES);

const card = z.object({
  id,
  title: z.string(),
  summary: z.string(),
  /** Id of the picture above it; '': none. */
  picture: z.string(),
  tags: z.array(z.string()),
  pinned: z.boolean(),
  urgent: z.boolean(),
  author: z.nullable(z.string()),
  published_at: isoTime,
});
/** Names of the reader’s servers at the locations that it is for. */
const affects = z.array(z.string());
const ownCard = z.extend(card, { is_new: z.boolean(), affects });
const reactions = z.array(z.object({ reaction: z.enum(REACTIONS), count: z.int(), own: z.boolean() }));
/** `html`: written by the server from Markdown; `locale`: the language it is in; `minutes`: to read it. */
const whole = z.extend(card, { html: z.string(), locale, minutes: z.int() });
/** Where the next page begins; null: there is none. */
const older = z.nullable(z.string());

/** The board of announcements (behaviour 7.4). */
export const announcements = group({
  list: {
    method: 'GET',
    path: '/api/announcements',
    summary: 'List announcements',
    query: z.object({
      before,
      tag: z.optional(text(1, ANNOUNCEMENT_TAG_MAX)),
      unread: z.optional(z.enum(['1'])),
    }),
    access: 'signed-in',
    errors: [],
    response: z.object({
      pinned: z.array(ownCard),
      rows: z.array(ownCard),
      older,
      tags: z.array(z.string()),
      /** Unread ones, at most 99. */
      unread: z.int(),
    }),
  },
  get: {
    method: 'GET',
    path: '/api/announcements/:id',
    summary: 'Get an announcement',
    params: one,
    access: 'signed-in',
    errors: ['NOT_FOUND'],
    response: z.extend(whole, { reactions, affects }),
  },
  markRead: {
    method: 'POST',
    path: '/api/announcements/:id/read',
    summary: 'Mark an announcement as read',
    description: 'Also puts its banner away.',
    params: one,
    access: 'signed-in',
    errors: ['NOT_FOUND'],
  },
  markAllRead: {
    method: 'POST',
    path: '/api/announcements/read',
    summary: 'Mark all announcements as read',
    access: 'signed-in',
    errors: [],
  },
  react: {
    method: 'POST',
    path: '/api/announcements/:id/reactions',
    summary: 'React to an announcement',
    params: one,
    body: reactionInput,
    access: 'signed-in',
    errors: ['NOT_FOUND', 'VALIDATION_FAILED'],
    response: z.object({ reactions }),
  },
});

/** What is announced to everybody, for visitors without an account, where the host wants that. */
export const news = group({
  list: {
    method: 'GET',
    path: '/api/news',
    summary: 'List public news',
    query: z.object({ before }),
    access: 'open',
    errors: ['NOT_FOUND'],
    response: z.object({ rows: z.array(card), older }),
  },
  get: {
    method: 'GET',
    path: '/api/news/:id',
    summary: 'Get a public news item',
    params: one,
    access: 'open',
    errors: ['NOT_FOUND'],
    /** `site`, `picture_url`: for what other services show of a link to it; null: it has no picture. */
    response: z.extend(whole, { site: z.string(), picture_url: z.nullable(z.string()) }),
  },
  feed: {
    method: 'GET',
    path: '/api/news/feed.atom',
    summary: 'Get the public news as a feed',
    description: 'Atom (RFC 4287).',
    format: 'text',
    access: 'open',
    errors: ['NOT_FOUND'],
  },
});

const written = z.object({ locale, title: z.string(), summary: z.string(), body: z.string() });
const named = z.array(z.object({ id, name: z.string() }));
const state = z.enum(ANNOUNCEMENT_STATES);
const audience = z.enum(ANNOUNCEMENT_AUDIENCES);
const targets = { roles: named, locations: named };

/** Announcements for staff (behaviour 7.4). */
export const adminAnnouncements = group({
  list: {
    method: 'GET',
    path: '/api/admin/announcements',
    summary: 'List announcements for staff',
    query: z.object({ state: z.optional(state), audience: z.optional(audience), q: z.optional(text(0, 100)), before }),
    access: 'admin.announcements.list',
    errors: [],
    response: z.object({
      rows: z.array(
        z.object({
          id,
          title: z.string(),
          state,
          locales: z.array(locale),
          audience,
          tags: z.array(z.string()),
          pinned: z.boolean(),
          urgent: z.boolean(),
          publish_at: z.nullable(isoTime),
          end_at: z.nullable(isoTime),
          author: z.nullable(z.string()),
          updated_at: isoTime,
          /** How many users have read it. */
          seen: z.int(),
        }),
      ),
      older,
    }),
  },
  options: {
    method: 'GET',
    path: '/api/admin/announcements/options',
    summary: 'Get whom an announcement can be for',
    access: 'admin.announcements.create',
    errors: [],
    response: z.object(targets),
  },
  audience: {
    method: 'GET',
    path: '/api/admin/announcements/audience',
    summary: 'Count whom an announcement would reach',
    description: 'Users in good standing as of now, counted up to 10,000.',
    query: z.object({
      audience,
      /** Ids of roles or locations, with commas between them. */
      targets: z.optional(text(0, ANNOUNCEMENT_TARGETS_MAX * 40)),
    }),
    access: 'admin.announcements.list',
    errors: [],
    response: z.object({ count: z.int(), more: z.boolean() }),
  },
  create: {
    method: 'POST',
    path: '/api/admin/announcements',
    summary: 'Create an announcement',
    body: announcementInput,
    access: 'admin.announcements.create',
    limit: 'create',
    idempotent: true,
    errors: ['VALIDATION_FAILED'],
    response: z.object({ id: z.string() }),
  },
  get: {
    method: 'GET',
    path: '/api/admin/announcements/:id',
    summary: 'Get an announcement for staff',
    params: one,
    access: 'admin.announcements.edit',
    errors: ['NOT_FOUND'],
    response: z.object({
      id,
      title: z.string(),
      state,
      texts: z.array(written),
      tags: z.array(z.string()),
      picture: z.string(),
      audience,
      targets: z.array(z.string()),
      pinned: z.boolean(),
      urgent: z.boolean(),
      notifies: z.boolean(),
      mails: z.boolean(),
      pushes: z.boolean(),
      publish_at: z.nullable(isoTime),
      end_at: z.nullable(isoTime),
      /** When its audience first heard of it. */
      announced_at: z.nullable(isoTime),
      revision: z.int(),
      seen: z.int(),
      revisions: z.array(
        z.object({ revision: z.int(), at: isoTime, author: z.nullable(z.string()), texts: z.array(written) }),
      ),
      ...targets,
    }),
  },
  save: {
    method: 'PATCH',
    path: '/api/admin/announcements/:id',
    summary: 'Change an announcement',
    params: one,
    body: announcementChange,
    access: 'admin.announcements.edit',
    idempotent: true,
    errors: ['NOT_FOUND', 'VALIDATION_FAILED', 'CONFLICT'],
    response: z.object({ revision: z.int() }),
  },
  restore: {
    method: 'POST',
    path: '/api/admin/announcements/:id/restore',
    summary: 'Restore an earlier text of an announcement',
    description: 'Texts, tags and picture of a revision come back.',
    params: one,
    body: z.strictObject({ restores: z.int(), revision: z.int() }),
    access: 'admin.announcements.edit',
    idempotent: true,
    errors: ['NOT_FOUND', 'VALIDATION_FAILED', 'CONFLICT'],
    response: z.object({ revision: z.int() }),
  },
  sendPreview: {
    method: 'POST',
    path: '/api/admin/announcements/:id/send-preview',
    summary: 'Send yourself an announcement as a preview',
    description: 'You are notified as its audience would be, by the ways that you chose yourself.',
    params: one,
    access: 'admin.announcements.edit',
    limit: 'mail',
    errors: ['NOT_FOUND'],
  },
  dependants: {
    method: 'GET',
    path: '/api/admin/announcements/:id/dependants',
    summary: 'Get what hangs on an announcement',
    params: one,
    access: 'admin.announcements.delete',
    errors: ['NOT_FOUND'],
    response: z.object({ title: z.string(), seen: z.int() }),
  },
  remove: {
    method: 'DELETE',
    path: '/api/admin/announcements/:id',
    summary: 'Delete an announcement',
    params: one,
    access: 'admin.announcements.delete',
    errors: ['NOT_FOUND'],
  },
  preview: {
    method: 'POST',
    path: '/api/admin/announcements/preview',
    summary: 'Preview an announcement',
    body: z.strictObject({ text: text(0, ANNOUNCEMENT_BODY_MAX) }),
    access: 'admin.announcements.list',
    errors: ['VALIDATION_FAILED'],
    response: z.object({ html: z.string() }),
  },
  addPicture: {
    method: 'POST',
    path: '/api/admin/announcements/pictures',
    summary: 'Upload a picture for an announcement',
    description: 'For a text or above an announcement. Answers with its id.',
    ceiling: 'image',
    upload: { type: PICTURE_UPLOAD_TYPE, max: PICTURE_MAX_BYTES },
    access: 'admin.announcements.edit',
    limit: 'upload',
    errors: ['VALIDATION_FAILED', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
    response: z.object({ id: z.string() }),
  },
});
