import * as z from 'zod/mini';
import { href } from '#shared/routes/href.ts';
import { declareEvent } from './declare.ts';

const ofUser = z.object({ userId: z.string() });
/** Of a change that staff made: the user's id, and their name for the audit log. */
const ofStaffChange = { userId: z.string(), username: z.string() };
const ofPasskey = z.object({ userId: z.string(), passkeyId: z.string(), name: z.string() });
const security = () => `${href('account')}?tab=security`;
const links = () => `${href('account')}?tab=linked`;
const tokens = () => `${href('account')}?tab=tokens`;

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
  /** Users changed their own password. */
  'user.password_changed': declareEvent({
    version: 1,
    payload: ofUser,
    outside: [],
    notifications: [{ kind: 'passwordChanged', to: ({ userId }) => userId }],
    audit: { action: 'account.password', target: ({ userId }) => userId },
  }),
  /** A new password was set by the link in an e-mail, from a device at an address. */
  'user.password_reset': declareEvent({
    version: 1,
    payload: z.object({ userId: z.string(), device: z.string(), address: z.string() }),
    outside: [],
    notifications: [{ kind: 'passwordChanged', to: ({ userId }) => userId }],
    mails: [
      {
        template: 'passwordChanged',
        to: ({ userId }) => userId,
        data: ({ device, address }, nowMs) => ({ device, address, when: { at: nowMs }, path: href('auth.forgot') }),
      },
    ],
    audit: { action: 'account.password_reset', target: ({ userId }) => userId },
  }),
  /** A log-in from a device that the account had not been used from; not from its first. */
  'user.new_device': declareEvent({
    version: 1,
    payload: z.object({ userId: z.string(), sessionId: z.string(), device: z.string(), address: z.string() }),
    outside: [],
    notifications: [
      {
        kind: 'newDevice',
        to: ({ userId }) => userId,
        data: ({ device, address }) => ({ device, address }),
        key: ({ sessionId }) => `newDevice:${sessionId}`,
      },
    ],
    mails: [
      {
        template: 'newDevice',
        to: ({ userId }) => userId,
        data: ({ device, address }, nowMs) => ({ device, address, when: { at: nowMs }, path: href('account') }),
      },
    ],
  }),
  'user.two_factor_enabled': declareEvent({
    version: 1,
    payload: ofUser,
    outside: [],
    notifications: [{ kind: 'twoFactorOn', to: ({ userId }) => userId }],
    mails: [
      {
        template: 'twoFactorOn',
        to: ({ userId }) => userId,
        data: (_, nowMs) => ({ when: { at: nowMs }, path: security() }),
      },
    ],
    audit: { action: 'account.two_factor_on', target: ({ userId }) => userId },
  }),
  'user.two_factor_disabled': declareEvent({
    version: 1,
    payload: ofUser,
    outside: [],
    notifications: [{ kind: 'twoFactorOff', to: ({ userId }) => userId }],
    mails: [
      {
        template: 'twoFactorOff',
        to: ({ userId }) => userId,
        data: (_, nowMs) => ({ when: { at: nowMs }, path: security() }),
      },
    ],
    audit: { action: 'account.two_factor_off', target: ({ userId }) => userId },
  }),
  /** Staff turned the second factor of a user off. */
  'user.two_factor_removed': declareEvent({
    version: 1,
    payload: z.object(ofStaffChange),
    outside: [],
    notifications: [{ kind: 'twoFactorRemoved', to: ({ userId }) => userId }],
    mails: [
      {
        template: 'twoFactorRemoved',
        to: ({ userId }) => userId,
        data: (_, nowMs) => ({ when: { at: nowMs }, path: security() }),
      },
    ],
    audit: {
      action: 'users.two_factor_off',
      target: ({ userId }) => userId,
      before: ({ username }) => ({ username }),
    },
  }),
  /** A recovery code was used up in the place of a code of the app; `left`: those that remain. */
  'user.recovery_code_used': declareEvent({
    version: 1,
    payload: z.object({ userId: z.string(), left: z.number() }),
    outside: [],
    notifications: [{ kind: 'recoveryCodeUsed', to: ({ userId }) => userId, data: ({ left }) => ({ left }) }],
    audit: { action: 'account.recovery_code', target: ({ userId }) => userId, after: ({ left }) => ({ left }) },
  }),
  /** A passkey was added: from now on it logs in. */
  'user.passkey_added': declareEvent({
    version: 1,
    payload: ofPasskey,
    outside: [],
    notifications: [{ kind: 'passkeyAdded', to: ({ userId }) => userId, data: ({ name }) => ({ name }) }],
    mails: [
      {
        template: 'passkeyAdded',
        to: ({ userId }) => userId,
        data: ({ name }, nowMs) => ({ passkey: name, when: { at: nowMs }, path: security() }),
      },
    ],
    audit: { action: 'account.passkey_add', target: ({ passkeyId }) => passkeyId, after: ({ name }) => ({ name }) },
  }),
  'user.passkey_removed': declareEvent({
    version: 1,
    payload: ofPasskey,
    outside: [],
    notifications: [{ kind: 'passkeyRemoved', to: ({ userId }) => userId, data: ({ name }) => ({ name }) }],
    mails: [
      {
        template: 'passkeyRemoved',
        to: ({ userId }) => userId,
        data: ({ name }, nowMs) => ({ passkey: name, when: { at: nowMs }, path: security() }),
      },
    ],
    audit: { action: 'account.passkey_remove', target: ({ passkeyId }) => passkeyId, before: ({ name }) => ({ name }) },
  }),
  /** Staff removed a passkey of a user. */
  'user.passkey_taken': declareEvent({
    version: 1,
    payload: z.object({ ...ofStaffChange, name: z.string() }),
    outside: [],
    notifications: [{ kind: 'passkeyTaken', to: ({ userId }) => userId, data: ({ name }) => ({ name }) }],
    mails: [
      {
        template: 'passkeyTaken',
        to: ({ userId }) => userId,
        data: ({ name }, nowMs) => ({ passkey: name, when: { at: nowMs }, path: security() }),
      },
    ],
    audit: {
      action: 'users.passkey_remove',
      target: ({ userId }) => userId,
      before: ({ username, name }) => ({ username, name }),
    },
  }),
  /** A passkey was refused because its counter went back, as that of a copy does. */
  'user.passkey_copied': declareEvent({
    version: 1,
    payload: ofPasskey,
    outside: [],
    notifications: [
      {
        kind: 'passkeyCopied',
        to: ({ userId }) => userId,
        data: ({ name }) => ({ name }),
        key: ({ passkeyId }) => `passkeyCopied:${passkeyId}`,
      },
    ],
    audit: { action: 'account.passkey_copied', target: ({ passkeyId }) => passkeyId, after: ({ name }) => ({ name }) },
  }),
  /** An API token was made, with these scopes. */
  'user.token_created': declareEvent({
    version: 1,
    payload: z.object({ userId: z.string(), tokenId: z.string(), name: z.string(), scopes: z.array(z.string()) }),
    outside: [],
    notifications: [{ kind: 'tokenCreated', to: ({ userId }) => userId, data: ({ name }) => ({ name }) }],
    mails: [
      {
        template: 'tokenCreated',
        to: ({ userId }) => userId,
        data: ({ name }, nowMs) => ({ token: name, when: { at: nowMs }, path: tokens() }),
      },
    ],
    audit: {
      action: 'account.token_create',
      target: ({ tokenId }) => tokenId,
      after: ({ name, scopes }) => ({ name, scopes }),
    },
  }),
  /** An API token was revoked, by its user, an operator, or a new password. */
  'user.token_revoked': declareEvent({
    version: 1,
    payload: z.object({ userId: z.string(), tokenId: z.string(), name: z.string() }),
    outside: [],
    audit: { action: 'account.token_revoke', target: ({ tokenId }) => tokenId, before: ({ name }) => ({ name }) },
  }),
  /**
   * An account elsewhere was linked; `identityId`: the link's id, `name`: the account's name there, `service`: what the
   * service is called, `isNewUser`: the account here was made with it.
   */
  'user.identity_linked': declareEvent({
    version: 1,
    payload: z.object({
      userId: z.string(),
      identityId: z.string(),
      name: z.string(),
      service: z.string(),
      isNewUser: z.boolean(),
    }),
    outside: ['userId'],
    description: 'A user linked an account of another service.',
    notifications: [
      {
        kind: 'identityLinked',
        to: ({ userId }) => userId,
        data: ({ name }) => ({ name }),
        key: ({ identityId }) => `identityLinked:${identityId}`,
      },
    ],
    mails: [
      {
        template: 'identityLinked',
        to: ({ userId }) => userId,
        data: ({ service }, nowMs) => ({ provider: service, when: { at: nowMs }, path: links() }),
        key: ({ identityId }) => `identityLinked:${identityId}`,
        when: ({ isNewUser }) => !isNewUser,
      },
    ],
  }),
  /** A user ended the link to an account elsewhere; `service`: what the service is called. */
  'user.identity_unlinked': declareEvent({
    version: 1,
    payload: z.object({ userId: z.string(), provider: z.string(), service: z.string() }),
    outside: ['userId'],
    description: 'A user unlinked an account of another service.',
    notifications: [
      { kind: 'identityUnlinked', to: ({ userId }) => userId, data: ({ service }) => ({ name: service }) },
    ],
    mails: [
      {
        template: 'identityUnlinked',
        to: ({ userId }) => userId,
        data: ({ service }, nowMs) => ({ provider: service, when: { at: nowMs }, path: links() }),
      },
    ],
    // Without what the account is called there: the record outlives the link (attacks T56).
    audit: { action: 'account.unlink', target: ({ userId }) => userId, before: ({ provider }) => ({ provider }) },
  }),
  /** Staff ended the link to an account elsewhere; `provider`: what the service is called. */
  'user.identity_taken': declareEvent({
    version: 1,
    payload: z.object({ ...ofStaffChange, provider: z.string() }),
    outside: [],
    notifications: [
      { kind: 'identityTaken', to: ({ userId }) => userId, data: ({ provider }) => ({ name: provider }) },
    ],
    mails: [
      {
        template: 'identityTaken',
        to: ({ userId }) => userId,
        data: ({ provider }, nowMs) => ({
          provider,
          when: { at: nowMs },
          path: links(),
        }),
      },
    ],
    audit: {
      action: 'users.unlink',
      target: ({ userId }) => userId,
      before: ({ username, provider }) => ({ username, provider }),
    },
  }),
};
