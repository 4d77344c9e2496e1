import * as z from 'zod/mini';
import { href } from '#shared/routes/href.ts';
import { declareEvent } from './declare.ts';

const ofUser = z.object({ userId: z.string() });

/** What happens to accounts. */
export const USER_EVENTS = {
  /** An account was made by registration, of a browser or of the link in an e-mail. */
  'user.registered': declareEvent({
    version: 1,
    payload: z.object({
      userId: z.string(),
      /** Name of the role it has. */
      role: z.string(),
      /** Referral code as it was typed, or ''. */
      referral: z.string(),
      /** What a provider said of who registered through it (modules/sso); '' with a password. */
      ssoRegistration: z.string(),
      address: z.string(),
      /** Token that names the browser; null where the link in an e-mail made the account. */
      device: z.nullable(z.string()),
    }),
    outside: ['userId'],
    description: 'Somebody made an account.',
    audit: { action: 'account.register', target: ({ userId }) => userId, after: ({ role }) => ({ role }) },
  }),
  /** An address was proven. */
  'user.verified': declareEvent({
    version: 1,
    payload: ofUser,
    outside: ['userId'],
    description: 'A user proved their e-mail address.',
    audit: { action: 'account.verify', target: ({ userId }) => userId },
  }),
  /** Who proved the address of an account that nobody had confirmed is given it: what was attached to it goes. */
  'user.reclaimed': declareEvent({
    version: 1,
    payload: ofUser,
    outside: [],
    audit: { action: 'account.reclaimed', target: ({ userId }) => userId },
  }),
  /** An account has another address, which its user has proven. */
  'user.email_changed': declareEvent({
    version: 1,
    payload: z.object({ userId: z.string(), from: z.string(), to: z.string() }),
    outside: ['userId'],
    description: 'A user has another e-mail address.',
    notifications: [{ kind: 'emailChanged', to: ({ userId }) => userId }],
    audit: {
      action: 'account.email',
      target: ({ userId }) => userId,
      before: ({ from }) => ({ email: from }),
      after: ({ to }) => ({ email: to }),
    },
  }),
  /**
   * The old address took its account back. What gives access to the account and was added since the change was asked
   * for (`sinceMs`, UTC ms) is not to be trusted.
   */
  'user.email_restored': declareEvent({
    version: 1,
    payload: z.object({ userId: z.string(), from: z.string(), to: z.string(), sinceMs: z.number() }),
    outside: ['userId'],
    description: 'A user went back to their old e-mail address.',
    notifications: [{ kind: 'emailRestored', to: ({ userId }) => userId }],
    audit: {
      action: 'account.email_restored',
      target: ({ userId }) => userId,
      before: ({ from }) => ({ email: from }),
      after: ({ to }) => ({ email: to }),
    },
  }),
  /** Users want their account deleted, from a moment on (`dueMs`, UTC ms). */
  'user.deletion_requested': declareEvent({
    version: 1,
    payload: z.object({ userId: z.string(), dueMs: z.number() }),
    outside: [],
    notifications: [
      {
        kind: 'deletionRequested',
        to: ({ userId }) => userId,
        data: ({ dueMs }) => ({ date: new Date(dueMs).toISOString() }),
      },
    ],
    mails: [
      {
        template: 'deletionRequested',
        to: ({ userId }) => userId,
        data: ({ dueMs }) => ({ when: { at: dueMs }, path: `${href('account')}?tab=privacy` }),
        untilMs: ({ dueMs }) => dueMs,
      },
    ],
    audit: { action: 'account.deletion_request', target: ({ userId }) => userId },
  }),
  'user.deletion_cancelled': declareEvent({
    version: 1,
    payload: ofUser,
    outside: [],
    notifications: [{ kind: 'deletionCancelled', to: ({ userId }) => userId }],
    audit: { action: 'account.deletion_cancel', target: ({ userId }) => userId },
  }),
  /** The export of a user's data can be downloaded. */
  'user.export_ready': declareEvent({
    version: 1,
    payload: z.object({ userId: z.string(), exportId: z.string() }),
    outside: [],
    notifications: [
      { kind: 'exportReady', to: ({ userId }) => userId, key: ({ exportId }) => `exportReady:${exportId}` },
    ],
  }),
  /** An account closed for good; what is personal in it is erased soon. */
  'user.deleted': declareEvent({
    version: 1,
    payload: ofUser,
    outside: ['userId'],
    description: 'An account was closed for good.',
    audit: { action: 'users.delete', target: ({ userId }) => userId },
  }),
  /** First or last name changed. */
  'user.renamed': declareEvent({
    version: 1,
    payload: ofUser,
    outside: ['userId'],
    description: 'A user changed their first or last name.',
  }),
  /** Staff gave a user another username. */
  'user.username_changed': declareEvent({
    version: 1,
    payload: z.object({ userId: z.string(), from: z.string(), to: z.string() }),
    outside: ['userId'],
    description: 'Staff gave a user another username.',
    notifications: [{ kind: 'usernameChanged', to: ({ userId }) => userId, data: ({ to }) => ({ name: to }) }],
    mails: [
      {
        template: 'usernameChanged',
        to: ({ userId }) => userId,
        data: ({ from, to }, nowMs) => ({ from, to, when: { at: nowMs }, path: href('account') }),
      },
    ],
    audit: {
      action: 'users.username',
      target: ({ userId }) => userId,
      before: ({ from }) => ({ username: from }),
      after: ({ to }) => ({ username: to }),
    },
  }),
  /** Somebody has another role; `from`: the name of the one before, null where that is not known. */
  'user.role_changed': declareEvent({
    version: 1,
    payload: z.object({
      userId: z.string(),
      username: z.string(),
      roleId: z.string(),
      from: z.nullable(z.string()),
      to: z.string(),
    }),
    outside: ['userId', 'roleId'],
    description: 'A user was given another role.',
    audit: {
      action: 'users.role',
      target: ({ userId }) => userId,
      before: ({ username, from }) => ({ username, role: from }),
      after: ({ username, to }) => ({ username, role: to }),
    },
  }),
  'user.banned': declareEvent({
    version: 1,
    payload: z.object({
      userId: z.string(),
      /** Status before. */
      status: z.string(),
      reason: z.string(),
      /** UTC ms; null: for good. */
      untilMs: z.nullable(z.number()),
    }),
    outside: ['userId', 'untilMs'],
    description: 'Staff banned a user; `untilMs` is null where the ban has no end.',
    mails: [
      {
        template: 'accountBanned',
        to: ({ userId }) => userId,
        data: ({ reason, untilMs }) => ({ reason, when: { at: untilMs ?? 0 }, path: href('auth.login') }),
        when: ({ untilMs }) => untilMs !== null,
      },
      {
        template: 'accountBannedForGood',
        to: ({ userId }) => userId,
        data: ({ reason }) => ({ reason, path: href('auth.login') }),
        when: ({ untilMs }) => untilMs === null,
      },
    ],
    audit: {
      action: 'users.ban',
      target: ({ userId }) => userId,
      before: ({ status }) => ({ status }),
      after: ({ reason, untilMs }) => ({ status: 'banned', reason, until_ms: untilMs }),
    },
  }),
  /** Staff wrote to somebody in their own words, which reach nobody else. */
  'user.written': declareEvent({
    version: 1,
    payload: z.object({
      userId: z.string(),
      username: z.string(),
      subject: z.string(),
      text: z.string(),
      /** The e-mail is sent once a key; absent: each time. */
      key: z.optional(z.string()),
    }),
    outside: ['userId'],
    description: 'Staff wrote an e-mail to a user.',
    mails: [
      {
        template: 'staffMessage',
        to: ({ userId }) => userId,
        data: ({ subject, text }) => ({ subject, text, path: href('dashboard') }),
        key: ({ key }) => key,
      },
    ],
    audit: {
      action: 'users.mail',
      target: ({ userId }) => userId,
      after: ({ username, subject }) => ({ username, subject }),
    },
  }),
  /** A command on all users who fit a filter is over; `userId`: whoever started it. */
  'users.bulk_finished': declareEvent({
    version: 1,
    payload: z.object({
      userId: z.string(),
      runId: z.string(),
      state: z.enum(['done', 'stopped']),
      done: z.number(),
      refused: z.number(),
    }),
    outside: [],
    notifications: [
      {
        kind: 'bulkDone',
        to: ({ userId }) => userId,
        data: ({ done, refused }) => ({ done, refused }),
        key: ({ runId }) => `bulk:${runId}`,
        when: ({ state }) => state === 'done',
      },
      {
        kind: 'bulkStopped',
        to: ({ userId }) => userId,
        data: ({ done, refused }) => ({ done, refused }),
        key: ({ runId }) => `bulk:${runId}`,
        when: ({ state }) => state === 'stopped',
      },
    ],
    audit: {
      action: 'users.bulk_end',
      target: ({ runId }) => runId,
      after: ({ state, done, refused }) => ({ state, done, refused }),
    },
  }),
  /** Staff lifted a ban. */
  'user.unbanned': declareEvent({
    version: 1,
    payload: z.object({ userId: z.string(), reason: z.nullable(z.string()) }),
    outside: ['userId'],
    description: 'Staff lifted a ban.',
    mails: [{ template: 'banLifted', to: ({ userId }) => userId, data: () => ({ path: href('auth.login') }) }],
    audit: {
      action: 'users.unban',
      target: ({ userId }) => userId,
      before: ({ reason }) => ({ status: 'banned', reason }),
      after: () => ({ status: 'active' }),
    },
  }),
  /** A ban's time was over. */
  'user.ban_expired': declareEvent({
    version: 1,
    payload: ofUser,
    outside: ['userId'],
    description: 'A ban ended by itself.',
    mails: [{ template: 'banLifted', to: ({ userId }) => userId, data: () => ({ path: href('auth.login') }) }],
    audit: { action: 'account.ban_over', target: ({ userId }) => userId },
  }),
  /** A member of staff views as the user, until a moment (UTC ms): they change nothing. */
  'user.viewing_started': declareEvent({
    version: 1,
    payload: z.object({ userId: z.string(), username: z.string(), untilMs: z.number() }),
    outside: [],
    notifications: [{ kind: 'viewedByStaff', to: ({ userId }) => userId }],
    audit: {
      action: 'users.view_as',
      target: ({ userId }) => userId,
      after: ({ username, untilMs }) => ({ username, until_ms: untilMs }),
    },
  }),
  /** They do no more: ended by themselves, by its time or a right that is gone (`over`), or by a ban. */
  'user.viewing_ended': declareEvent({
    version: 1,
    payload: z.object({ userId: z.string(), username: z.string(), ending: z.enum(['ended', 'over', 'banned']) }),
    outside: [],
    audit: {
      action: 'users.view_as_end',
      target: ({ userId }) => userId,
      after: ({ username, ending }) => ({ username, ending }),
    },
  }),
};
