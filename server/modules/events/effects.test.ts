import type { EventName } from './index.ts';
import { TEST_START } from '#tests/support/clock.ts';
import {
  testEffects,
  type EffectCases,
  type CommunityEvent,
  type ServerOrMoneyEvent,
} from '#tests/support/event-effects.ts';

const userId = 'member';
const when = { at: TEST_START };
const security = '/account?tab=security';
const held = {
  userId,
  username: 'bob',
  heldRewardId: 'h1',
  reference: 'redeem:1',
  source: 'redeem',
  amount: 9,
  score: 60,
};
const paid = { userId, name: 'ann', amount: 25, reference: 'referral:1:x' };

const CASES: EffectCases<Exclude<EventName, ServerOrMoneyEvent | CommunityEvent>> = {
  'user.registered': [
    [
      { userId, role: 'Member', referral: 'ABC', ssoRegistration: '', address: '192.0.2.1', device: null },
      { audit: ['account.register', userId, null, { role: 'Member' }] },
    ],
  ],
  'user.verified': [[{ userId }, { audit: ['account.verify', userId, null, null] }]],
  'user.reclaimed': [[{ userId }, { audit: ['account.reclaimed', userId, null, null] }]],
  'user.deletion_requested': [
    [
      { userId, dueMs: TEST_START },
      {
        audit: ['account.deletion_request', userId, null, null],
        notifications: [[userId, 'deletionRequested', { date: new Date(TEST_START).toISOString() }, null]],
        mails: [[userId, 'deletionRequested', { when, path: '/account?tab=privacy' }, undefined, TEST_START]],
      },
    ],
  ],
  'user.deletion_cancelled': [
    [
      { userId },
      {
        audit: ['account.deletion_cancel', userId, null, null],
        notifications: [[userId, 'deletionCancelled', {}, null]],
      },
    ],
  ],
  'user.export_ready': [
    [{ userId, exportId: 'e1' }, { notifications: [[userId, 'exportReady', {}, 'exportReady:e1']] }],
  ],
  'user.deleted': [[{ userId }, { audit: ['users.delete', userId, null, null] }]],
  'user.renamed': [[{ userId }, {}]],
  'user.email_changed': [
    [
      { userId, from: 'a@x.org', to: 'b@x.org' },
      {
        audit: ['account.email', userId, { email: 'a@x.org' }, { email: 'b@x.org' }],
        notifications: [[userId, 'emailChanged', {}, null]],
      },
    ],
  ],
  'user.email_restored': [
    [
      { userId, from: 'b@x.org', to: 'a@x.org', sinceMs: 7 },
      {
        audit: ['account.email_restored', userId, { email: 'b@x.org' }, { email: 'a@x.org' }],
        notifications: [[userId, 'emailRestored', {}, null]],
      },
    ],
  ],
  'user.banned': [
    [
      { userId, status: 'active', reason: 'spam', untilMs: 7 },
      {
        audit: ['users.ban', userId, { status: 'active' }, { status: 'banned', reason: 'spam', until_ms: 7 }],
        mails: [
          [userId, 'accountBanned', { reason: 'spam', when: { at: 7 }, path: '/auth/login' }, undefined, undefined],
        ],
      },
    ],
    [
      { userId, status: 'active', reason: 'spam', untilMs: null },
      {
        audit: ['users.ban', userId, { status: 'active' }, { status: 'banned', reason: 'spam', until_ms: null }],
        mails: [[userId, 'accountBannedForGood', { reason: 'spam', path: '/auth/login' }, undefined, undefined]],
      },
    ],
  ],
  'user.written': [
    [
      { userId, username: 'ann', subject: 'Maintenance', text: 'Tonight' },
      {
        audit: ['users.mail', userId, null, { username: 'ann', subject: 'Maintenance' }],
        mails: [
          [
            userId,
            'staffMessage',
            { subject: 'Maintenance', text: 'Tonight', path: '/dashboard' },
            undefined,
            undefined,
          ],
        ],
      },
    ],
  ],
  'users.bulk_finished': [
    [
      { userId, runId: 'r1', state: 'done', done: 3, refused: 1 },
      {
        audit: ['users.bulk_end', 'r1', null, { state: 'done', done: 3, refused: 1 }],
        notifications: [[userId, 'bulkDone', { done: 3, refused: 1 }, 'bulk:r1']],
      },
    ],
    [
      { userId, runId: 'r1', state: 'stopped', done: 0, refused: 0 },
      {
        audit: ['users.bulk_end', 'r1', null, { state: 'stopped', done: 0, refused: 0 }],
        notifications: [[userId, 'bulkStopped', { done: 0, refused: 0 }, 'bulk:r1']],
      },
    ],
  ],
  'user.unbanned': [
    [
      { userId, reason: 'spam' },
      {
        audit: ['users.unban', userId, { status: 'banned', reason: 'spam' }, { status: 'active' }],
        mails: [[userId, 'banLifted', { path: '/auth/login' }, undefined, undefined]],
      },
    ],
  ],
  'user.ban_expired': [
    [
      { userId },
      {
        audit: ['account.ban_over', userId, null, null],
        mails: [[userId, 'banLifted', { path: '/auth/login' }, undefined, undefined]],
      },
    ],
  ],
  'user.viewing_started': [
    [
      { userId, username: 'bob', untilMs: 7 },
      {
        audit: ['users.view_as', userId, null, { username: 'bob', until_ms: 7 }],
        notifications: [[userId, 'viewedByStaff', {}, null]],
      },
    ],
  ],
  'user.viewing_ended': [
    [
      { userId, username: 'bob', ending: 'over' },
      { audit: ['users.view_as_end', userId, null, { username: 'bob', ending: 'over' }] },
    ],
  ],
  'user.password_changed': [
    [
      { userId },
      { audit: ['account.password', userId, null, null], notifications: [[userId, 'passwordChanged', {}, null]] },
    ],
  ],
  'user.password_reset': [
    [
      { userId, device: 'Firefox', address: '192.0.2.1' },
      {
        audit: ['account.password_reset', userId, null, null],
        notifications: [[userId, 'passwordChanged', {}, null]],
        mails: [
          [
            userId,
            'passwordChanged',
            { device: 'Firefox', address: '192.0.2.1', when, path: '/auth/forgot-password' },
            undefined,
            undefined,
          ],
        ],
      },
    ],
  ],
  'user.new_device': [
    [
      { userId, sessionId: 's1', device: 'Firefox', address: '192.0.2.1' },
      {
        notifications: [[userId, 'newDevice', { device: 'Firefox', address: '192.0.2.1' }, 'newDevice:s1']],
        mails: [
          [
            userId,
            'newDevice',
            { device: 'Firefox', address: '192.0.2.1', when, path: '/account' },
            undefined,
            undefined,
          ],
        ],
      },
    ],
  ],
  'user.two_factor_enabled': [
    [
      { userId },
      {
        audit: ['account.two_factor_on', userId, null, null],
        notifications: [[userId, 'twoFactorOn', {}, null]],
        mails: [[userId, 'twoFactorOn', { when, path: security }, undefined, undefined]],
      },
    ],
  ],
  'user.two_factor_disabled': [
    [
      { userId },
      {
        audit: ['account.two_factor_off', userId, null, null],
        notifications: [[userId, 'twoFactorOff', {}, null]],
        mails: [[userId, 'twoFactorOff', { when, path: security }, undefined, undefined]],
      },
    ],
  ],
  'user.recovery_code_used': [
    [
      { userId, left: 3 },
      {
        audit: ['account.recovery_code', userId, null, { left: 3 }],
        notifications: [[userId, 'recoveryCodeUsed', { left: 3 }, null]],
      },
    ],
  ],
  'user.passkey_added': [
    [
      { userId, passkeyId: 'k1', name: 'Phone' },
      {
        audit: ['account.passkey_add', 'k1', null, { name: 'Phone' }],
        notifications: [[userId, 'passkeyAdded', { name: 'Phone' }, null]],
        mails: [[userId, 'passkeyAdded', { passkey: 'Phone', when, path: security }, undefined, undefined]],
      },
    ],
  ],
  'user.passkey_removed': [
    [
      { userId, passkeyId: 'k1', name: 'Phone' },
      {
        audit: ['account.passkey_remove', 'k1', { name: 'Phone' }, null],
        notifications: [[userId, 'passkeyRemoved', { name: 'Phone' }, null]],
        mails: [[userId, 'passkeyRemoved', { passkey: 'Phone', when, path: security }, undefined, undefined]],
      },
    ],
  ],
  'user.passkey_taken': [
    [
      { userId, username: 'ann', name: 'Phone' },
      {
        audit: ['users.passkey_remove', userId, { username: 'ann', name: 'Phone' }, null],
        notifications: [[userId, 'passkeyTaken', { name: 'Phone' }, null]],
        mails: [[userId, 'passkeyTaken', { passkey: 'Phone', when, path: security }, undefined, undefined]],
      },
    ],
  ],
  'user.two_factor_removed': [
    [
      { userId, username: 'ann' },
      {
        audit: ['users.two_factor_off', userId, { username: 'ann' }, null],
        notifications: [[userId, 'twoFactorRemoved', {}, null]],
        mails: [[userId, 'twoFactorRemoved', { when, path: security }, undefined, undefined]],
      },
    ],
  ],
  'user.identity_taken': [
    [
      { userId, username: 'ann', provider: 'Discord' },
      {
        audit: ['users.unlink', userId, { username: 'ann', provider: 'Discord' }, null],
        notifications: [[userId, 'identityTaken', { name: 'Discord' }, null]],
        mails: [
          [userId, 'identityTaken', { provider: 'Discord', when, path: '/account?tab=linked' }, undefined, undefined],
        ],
      },
    ],
  ],
  'user.username_changed': [
    [
      { userId, from: 'ann', to: 'anna' },
      {
        audit: ['users.username', userId, { username: 'ann' }, { username: 'anna' }],
        notifications: [[userId, 'usernameChanged', { name: 'anna' }, null]],
        mails: [[userId, 'usernameChanged', { from: 'ann', to: 'anna', when, path: '/account' }, undefined, undefined]],
      },
    ],
  ],
  'user.passkey_copied': [
    [
      { userId, passkeyId: 'k1', name: 'Phone' },
      {
        audit: ['account.passkey_copied', 'k1', null, { name: 'Phone' }],
        notifications: [[userId, 'passkeyCopied', { name: 'Phone' }, 'passkeyCopied:k1']],
      },
    ],
  ],
  'user.token_created': [
    [
      { userId, tokenId: 't1', name: 'Bot', scopes: ['servers:read'] },
      {
        audit: ['account.token_create', 't1', null, { name: 'Bot', scopes: ['servers:read'] }],
        notifications: [[userId, 'tokenCreated', { name: 'Bot' }, null]],
        mails: [[userId, 'tokenCreated', { token: 'Bot', when, path: '/account?tab=tokens' }, undefined, undefined]],
      },
    ],
  ],
  'user.token_revoked': [
    [{ userId, tokenId: 't1', name: 'Bot' }, { audit: ['account.token_revoke', 't1', { name: 'Bot' }, null] }],
  ],
  'user.identity_linked': [
    [
      { userId, identityId: 'i1', name: 'vlad', service: 'Discord', isNewUser: false },
      {
        notifications: [[userId, 'identityLinked', { name: 'vlad' }, 'identityLinked:i1']],
        mails: [
          [
            userId,
            'identityLinked',
            { provider: 'Discord', when, path: '/account?tab=linked' },
            'identityLinked:i1',
            undefined,
          ],
        ],
      },
    ],
    [
      { userId, identityId: 'i1', name: 'vlad', service: 'Discord', isNewUser: true },
      { notifications: [[userId, 'identityLinked', { name: 'vlad' }, 'identityLinked:i1']] },
    ],
  ],
  'user.identity_unlinked': [
    [
      { userId, provider: 'discord', service: 'Discord' },
      {
        audit: ['account.unlink', userId, { provider: 'discord' }, null],
        notifications: [[userId, 'identityUnlinked', { name: 'Discord' }, null]],
        mails: [
          [
            userId,
            'identityUnlinked',
            { provider: 'Discord', when, path: '/account?tab=linked' },
            undefined,
            undefined,
          ],
        ],
      },
    ],
  ],
  'user.role_changed': [
    [
      { userId, username: 'vlad', roleId: 'r2', from: 'Member', to: 'VIP' },
      { audit: ['users.role', userId, { username: 'vlad', role: 'Member' }, { username: 'vlad', role: 'VIP' }] },
    ],
  ],
  'reward.held': [
    [
      { userId, heldRewardId: 'h1', source: 'redeem', amount: 9 },
      { notifications: [[userId, 'rewardHeld', { cost: 9 }, 'rewardHeld:h1']] },
    ],
  ],
  'reward.released': [
    [
      held,
      {
        audit: [
          'held_rewards.release',
          'h1',
          { username: 'bob', source: 'redeem', amount: 9, score: 60 },
          { state: 'release' },
        ],
        notifications: [[userId, 'rewardReleased', { cost: 9 }, 'rewardReleased:h1']],
      },
    ],
  ],
  'reward.rejected': [
    [
      held,
      {
        audit: [
          'held_rewards.reject',
          'h1',
          { username: 'bob', source: 'redeem', amount: 9, score: 60 },
          { state: 'reject' },
        ],
        notifications: [[userId, 'rewardRejected', { cost: 9 }, 'rewardRejected:h1']],
      },
    ],
  ],
  'j4r.clawed_back': [
    [
      { userId, claimId: 'c1', server: 'Builders', amount: 0 },
      { notifications: [[userId, 'j4rClawedBack', { server: 'Builders', cost: 0 }, 'j4rClawedBack:c1']] },
    ],
  ],
  'j4r.unlinked': [
    [
      { userId, claimId: 'c1', server: 'Builders', amount: 45, untilMs: 1_800_000_000_000 },
      {
        notifications: [
          [
            userId,
            'j4rUnlinked',
            { server: 'Builders', cost: 45, until: '2027-01-15T08:00:00.000Z' },
            'j4rUnlinked:c1',
          ],
        ],
      },
    ],
  ],
  'referral.paid': (
    [
      ['newcomer', false, 'referralNewcomerPaid'],
      ['newcomer', true, 'referralNewcomerHeld'],
      ['referrer', false, 'referralReferrerPaid'],
      ['referrer', true, 'referralReferrerHeld'],
    ] as const
  ).map(
    ([side, isHeld, kind]) =>
      [
        { ...paid, side, held: isHeld },
        { notifications: [[userId, kind, { name: 'ann', cost: 25 }, 'referral:1:x']] },
      ] as const,
  ),
  'supporter.paid': (
    [
      [false, 'earlySupporterPaid'],
      [true, 'earlySupporterHeld'],
    ] as const
  ).map(([isHeld, kind]) => [
    { userId, amount: 100, held: isHeld, reference: 'early_supporters:1' },
    { notifications: [[userId, kind, { cost: 100 }, 'early_supporters:1']] },
  ]),
  'referral.code_unknown': [
    [{ userId, code: 'NOBODY' }, { notifications: [[userId, 'referralUnknown', { code: 'NOBODY' }, null]] }],
  ],
  'afk.minutes_paid': [[{ userId, minutes: 10 }, {}]],
  'webhook.disabled': [
    [
      { endpointId: 'w1', name: 'Shop', cause: 'failing', atMs: 7 },
      {
        notifications: ['plugins', 'root'].map(
          (id) => [id, 'webhookDisabled', { name: 'Shop', webhook: 'w1' }, `webhookDisabled:w1:7:${id}`] as const,
        ),
      },
    ],
  ],
  'attention.needed': [
    [
      { key: 'heldRewards', count: 3, atMs: 7 },
      { notifications: [['root', 'rewardsToReview', { count: 3 }, 'attention:heldRewards:7:root']] },
    ],
    [
      { key: 'ordersToConfirm', count: 1, atMs: 8 },
      {
        notifications: [
          ['reader', 'ordersToConfirm', { count: 1 }, 'attention:ordersToConfirm:8:reader'],
          ['root', 'ordersToConfirm', { count: 1 }, 'attention:ordersToConfirm:8:root'],
        ],
      },
    ],
    // Of tickets those who may answer them, and of what no role here is for the owners.
    ...(
      [
        ['tickets', 'ticketsWaiting'],
        ['imageReports', 'imagesReported'],
        ['failedMails', 'mailsFailed'],
        ['backups', 'backupMissing'],
        ['securityUpdate', 'securityUpdate'],
        ['drift', 'driftFound'],
      ] as const
    ).map(
      ([key, kind]) =>
        [
          { key, count: 2, atMs: 9 },
          { notifications: [['root', kind, { count: 2 }, `attention:${key}:9:root`]] },
        ] as const,
    ),
    // Of an outage another event notifies.
    [{ key: 'panelOutages', count: 1, atMs: 9 }, {}],
  ],
  'installation.resumed': [[{ fromMs: 1, untilMs: 2 }, {}]],
};

testEffects(CASES);
