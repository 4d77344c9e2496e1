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

/** What happens to the ways into an account: password, second factor, passkeys, API tokens, accounts elsewhere. */
export const SIGN_IN_EVENTS = {
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
