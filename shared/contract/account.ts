import * as z from 'zod/mini';
import { CONFIRMATIONS } from '../confirmation.ts';
import { MAIL_WAYS, NOTIFICATION_GROUPS, SUBJECT_NAMES } from '../notifications.ts';
import { passwordInput } from '../schemas/account.ts';
import { notificationSettingsInput, pushSubscriptionInput } from '../schemas/notifications.ts';
import { profileInput } from '../schemas/profile.ts';
import { id, listQuery, text, isoTime } from '../schemas/primitives.ts';
import { SKIN_MAX_BYTES, SKIN_TYPE } from '../skin.ts';
import { STATEMENT_CURSOR } from '../statement.ts';
import { group } from './endpoint.ts';

/** One line of the statement (behaviour 2). `amount` is signed as the user sees it. */
const statementRow = z.object({
  id: z.string(),
  at: isoTime,
  /** The transaction's kind, translated by the client (`account:kind.<kind>`). */
  kind: z.string(),
  /** The name of its subject: code, server, item, user. */
  subject: z.nullable(z.string()),
  amount: z.int(),
  balance_after: z.int(),
  /** An account, or for staff a user's name. */
  counterpart: z.string(),
  /** The reason given by whoever did it. */
  reason: z.nullable(z.string()),
  /** The transaction it reverses. */
  undoes: z.nullable(z.object({ kind: z.string(), at: isoTime })),
  /** Id of its subject, if that still has a page (shared/statement.ts). */
  ref: z.nullable(z.string()),
  /** The actor, and the transaction's reference: only for staff. */
  actor: z.nullable(z.string()),
  reference: z.nullable(z.string()),
});
export type StatementRow = z.infer<typeof statementRow>;

/** A cursor in a statement: time, transaction and number of a row. */
const statementCursor = z.string().check(z.regex(STATEMENT_CURSOR, 'INVALID'));

/** Filters and page of a statement. */
export const statementQuery = z.object({
  kind: z.optional(text(0, 40)),
  direction: z.optional(z.enum(['in', 'out'])),
  from: z.optional(z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/, 'INVALID_DATE'))),
  to: z.optional(z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/, 'INVALID_DATE'))),
  /** A cursor from an answer's paging: rows older or newer than it; neither: the newest rows. */
  before: z.optional(statementCursor),
  after: z.optional(statementCursor),
  per_page: listQuery.per_page,
});

/**
 * A page of a statement, the cursors of the next newer and the next older one (null: there is none), and the current
 * balances.
 */
export const statementAnswer = z.object({
  rows: z.array(statementRow),
  paging: z.object({ per_page: z.int(), newer: z.nullable(statementCursor), older: z.nullable(statementCursor) }),
  balance: z.int(),
  /** The part of the balance that no row shows yet: what is earned by the minute is listed once an hour. */
  accrued: z.int(),
  held: z.int(),
  debt: z.int(),
});

export const account = group({
  get: {
    method: 'GET',
    path: '/api/account',
    summary: 'Get your account',
    access: 'signed-in',
    errors: [],
    response: z.object({
      username: z.string(),
      email: z.string(),
      first_name: z.string(),
      last_name: z.string(),
      locale: z.string(),
      /** IANA name; null: they follow the installation. */
      time_zone: z.nullable(z.string()),
      /** Whether the user may do what needs a confirmed address. */
      verified: z.boolean(),
      confirmation: z.enum(CONFIRMATIONS),
      /** Logs in with a password; others sign in with a service elsewhere. */
      has_password: z.boolean(),
      role: z.object({ name: z.string(), color: z.string() }),
      created_at: isoTime,
      /** Address of the skin on the user's own profile card; null for the default one. */
      skin: z.nullable(z.string()),
    }),
  },
  update: {
    method: 'PATCH',
    path: '/api/account',
    summary: 'Change your profile',
    body: profileInput,
    access: 'signed-in',
    errors: [],
  },
  changePassword: {
    method: 'POST',
    path: '/api/account/password',
    summary: 'Change your password',
    body: passwordInput,
    access: 'signed-in',
    limit: 'login',
    errors: ['VALIDATION_FAILED'],
  },
  sessions: {
    method: 'GET',
    path: '/api/account/sessions',
    summary: 'List your sessions',
    access: 'signed-in',
    errors: [],
    response: z.object({
      sessions: z.array(
        z.object({
          id: z.string(),
          device: z.string(),
          address: z.string(),
          created_at: isoTime,
          seen_at: isoTime,
          /** When the second factor was passed in it; null where it was not. */
          factor_at: z.nullable(isoTime),
          current: z.boolean(),
        }),
      ),
    }),
  },
  endSession: {
    method: 'DELETE',
    path: '/api/account/sessions/:id',
    summary: 'End one of your sessions',
    params: z.object({ id }),
    access: 'signed-in',
    errors: ['NOT_FOUND'],
  },
  endOtherSessions: {
    method: 'DELETE',
    path: '/api/account/sessions',
    summary: 'End all your other sessions',
    access: 'signed-in',
    errors: [],
    response: z.object({ ended: z.int() }),
  },
  statement: {
    method: 'GET',
    path: '/api/account/statement',
    summary: 'List your credit movements',
    query: statementQuery,
    access: 'signed-in',
    errors: [],
    response: statementAnswer,
  },
  statementCsv: {
    method: 'GET',
    path: '/api/account/statement.csv',
    summary: 'Export your credit movements',
    query: statementQuery,
    format: 'csv',
    access: 'signed-in',
    errors: [],
  },
  putSkin: {
    method: 'PUT',
    path: '/api/account/skin',
    summary: 'Upload your skin',
    upload: { type: SKIN_TYPE, max: SKIN_MAX_BYTES },
    access: 'signed-in',
    limit: 'upload',
    errors: ['VALIDATION_FAILED', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
    response: z.object({ skin: z.string() }),
  },
  removeSkin: {
    method: 'DELETE',
    path: '/api/account/skin',
    summary: 'Remove your skin',
    access: 'signed-in',
    errors: [],
  },
  skin: {
    method: 'GET',
    path: '/api/users/:id/skin.png',
    summary: 'Get a user’s skin',
    description: 'As PNG; only to those who may see it.',
    params: z.object({ id }),
    format: 'file',
    access: 'signed-in',
    errors: ['NOT_FOUND'],
  },
});

export const notifications = group({
  list: {
    method: 'GET',
    path: '/api/notifications',
    summary: 'List your notifications',
    access: 'signed-in',
    errors: [],
    response: z.object({
      unread: z.int(),
      notifications: z.array(
        z.object({
          id: z.string(),
          kind: z.string(),
          data: z.record(z.string(), z.union([z.string(), z.number()])),
          at: isoTime,
          read: z.boolean(),
        }),
      ),
    }),
  },
  markAllRead: {
    method: 'POST',
    path: '/api/notifications/read',
    summary: 'Mark all notifications as read',
    access: 'signed-in',
    errors: [],
  },
  markRead: {
    method: 'POST',
    path: '/api/notifications/:id/read',
    summary: 'Mark a notification as read',
    description: 'Only your own; nothing happens where there is none.',
    params: z.object({ id }),
    access: 'signed-in',
    errors: [],
  },
  settings: {
    method: 'GET',
    path: '/api/account/notifications',
    summary: 'Get your notification settings',
    description: 'By which ways and when notifications come. Only staff have the subjects of staff.',
    access: 'signed-in',
    errors: [],
    response: z.object({
      ways: z.array(
        z.object({
          subject: z.enum(SUBJECT_NAMES),
          group: z.enum(NOTIFICATION_GROUPS),
          app: z.boolean(),
          mail: z.enum(MAIL_WAYS),
          push: z.boolean(),
          /** In the app and by mail it comes whatever one chooses. */
          always: z.boolean(),
        }),
      ),
      digest_hour: z.int(),
      quiet: z.nullable(z.object({ from: z.int(), until: z.int() })),
      /** In which the hours are meant. */
      time_zone: z.string(),
      /** The key that browsers subscribe with, and those that did; null where the host pushes nothing. */
      push: z.nullable(
        z.object({
          key: z.string(),
          devices: z.array(
            z.object({
              id: z.string(),
              device: z.string(),
              since: isoTime,
              reached_at: z.nullable(isoTime),
              /** It is the browser that asks. */
              current: z.boolean(),
            }),
          ),
        }),
      ),
    }),
  },
  saveSettings: {
    method: 'PUT',
    path: '/api/account/notifications',
    summary: 'Change your notification settings',
    body: notificationSettingsInput,
    access: 'signed-in',
    errors: ['VALIDATION_FAILED'],
  },
  subscribe: {
    method: 'POST',
    path: '/api/account/push',
    summary: 'Subscribe a browser to pushes',
    description: 'Until the session ends. Only from a browser.',
    body: pushSubscriptionInput,
    access: 'signed-in',
    errors: ['VALIDATION_FAILED', 'FORBIDDEN'],
  },
  unsubscribe: {
    method: 'DELETE',
    path: '/api/account/push/:id',
    summary: 'Unsubscribe a browser from pushes',
    params: z.object({ id }),
    access: 'signed-in',
    errors: ['NOT_FOUND'],
  },
  testPush: {
    method: 'POST',
    path: '/api/account/push/test',
    summary: 'Send a test push',
    description: 'To each of your browsers.',
    access: 'signed-in',
    errors: [],
    response: z.object({ devices: z.int() }),
  },
  resetSettings: {
    method: 'DELETE',
    path: '/api/account/notifications',
    summary: 'Reset your notification settings',
    description: 'Goes back to what holds for everybody who chose nothing.',
    access: 'signed-in',
    errors: [],
  },
});

/** The payload of an event that only names what changed. */
const nothing = z.object({});

/**
 * Live updates: the stream names what changed; the page then reloads its data. `within`: how many ms ago the page began
 * to load what it shows; later changes are sent at once.
 */
export const live = group({
  events: {
    method: 'GET',
    path: '/api/events',
    summary: 'Stream live updates',
    query: z.object({ within: z.optional(z.string().check(z.regex(/^\d{1,12}$/))) }),
    format: 'events',
    events: {
      balance: nothing,
      servers: nothing,
      notifications: nothing,
      session: nothing,
      afk: nothing,
      attention: nothing,
      webhooks: nothing,
      plugins: nothing,
      tickets: nothing,
      images: nothing,
      typing: nothing,
    },
    access: 'signed-in',
    limit: 'stream',
    errors: ['RATE_LIMITED', 'VALIDATION_FAILED'],
  },
});
