import { testEffects, type EffectCases, type ServerOrMoneyEvent } from '#tests/support/event-effects.ts';

const server = { userId: 'member', serverId: 's1', name: 'Survival' };
const about = { id: 's1', server: 'Survival' };
/** 2027-01-15, -16 and -17, at 08:00 UTC. */
const [day, next, third] = [1_800_000_000_000, 1_800_086_400_000, 1_800_172_800_000];
const [dayIso, nextIso] = ['2027-01-15T08:00:00.000Z', '2027-01-16T08:00:00.000Z'];
const outage = { panelId: 'p1', panel: 'North', node: '', nodeName: null, cause: 'panel', sinceMs: 7 } as const;
const node = { ...outage, node: '3', nodeName: 'Node 3', cause: 'node' } as const;
const toNorth = { panel: 'North', panel_id: 'p1' };

const toPaymentStaff = (kind: string, data: object, key: string) =>
  ['payments', 'root'].map((id) => [id, kind, data, `${kind}:${key}:${id}`] as const);
const toPanelStaff = (kind: string, data: object, key: string) =>
  ['panels', 'root'].map((id) => [id, kind, data, `${kind}:${key}:${id}`] as const);
const toHealthStaff = (kind: string, data: object, key: string) =>
  ['health', 'root'].map((id) => [id, kind, data, `${kind}:${key}:${id}`] as const);

const CASES: EffectCases<ServerOrMoneyEvent> = {
  'server.ready': [
    [
      { ...server, entryId: 'e1', address: '192.0.2.1:25565' },
      {
        notifications: [['member', 'serverReady', { ...about, address: '192.0.2.1:25565' }, 'serverReady:s1:e1']],
        mails: [
          [
            'member',
            'serverReady',
            { server: 'Survival', address: '192.0.2.1:25565', path: '/server/s1' },
            'serverReady:e1',
            undefined,
          ],
        ],
      },
    ],
  ],
  'server.failed': [
    [
      { ...server, reason: 'panelAway', failureKey: 'e1' },
      {
        notifications: [['member', 'serverFailed', { ...about, reason: 'panelAway' }, 'serverFailed:s1:e1']],
        mails: [
          ['member', 'serverFailed', { server: 'Survival', path: '/server/s1' }, 'serverFailed:s1:e1', undefined],
        ],
      },
    ],
  ],
  'server.renewed': [
    [
      { ...server, cost: 40, expiresMs: day, automatic: true },
      {
        notifications: [
          ['member', 'serverRenewed', { ...about, cost: 40, until: dayIso }, 'serverRenewed:s1:1800000000000'],
        ],
      },
    ],
    [{ ...server, cost: 40, expiresMs: day, automatic: false }, {}],
  ],
  'server.expiring': [
    [
      { ...server, cost: 40, expiresMs: day, reminderKey: 'remind7:1', days: 7 },
      {
        notifications: [
          ['member', 'renewReminder', { ...about, days: 7, cost: 40, expires: dayIso }, 'renewReminder:s1:remind7:1'],
        ],
        mails: [
          [
            'member',
            'renewReminder',
            { server: 'Survival', credits: 40, days: 7, when: { at: day }, path: '/server/s1/renew' },
            's1:remind7:1',
            day,
          ],
        ],
      },
    ],
  ],
  'server.overdue': [
    [
      { ...server, cost: 40, expiresMs: day, reminderKey: 'remindOver:1', suspendsMs: next },
      {
        notifications: [
          [
            'member',
            'renewOverdue',
            { ...about, cost: 40, expires: dayIso, suspends: nextIso },
            'renewOverdue:s1:remindOver:1',
          ],
        ],
        mails: [
          [
            'member',
            'renewOverdue',
            { server: 'Survival', credits: 40, when: { at: day }, until: { at: next }, path: '/server/s1/renew' },
            's1:remindOver:1',
            next,
          ],
        ],
      },
    ],
  ],
  'server.expired': [
    [
      { ...server, cost: 40, expiresMs: day, deletesMs: next },
      {
        notifications: [
          [
            'member',
            'serverSuspended',
            { ...about, cost: 40, deletes: nextIso },
            'serverSuspended:s1:suspended:1800000000000',
          ],
        ],
        mails: [
          [
            'member',
            'serverSuspended',
            { server: 'Survival', when: { at: next }, path: '/server/s1/renew' },
            's1:suspended:1800000000000',
            next,
          ],
        ],
      },
    ],
  ],
  'server.deletion_near': [
    [
      { ...server, cost: 40, expiresMs: third, deletesMs: next },
      {
        notifications: [
          [
            'member',
            'serverDeleteWarning',
            { ...about, cost: 40, deletes: nextIso },
            'serverDeleteWarning:s1:deleteWarning:1800172800000:1800086400000',
          ],
        ],
        mails: [
          [
            'member',
            'serverDeleteWarning',
            { server: 'Survival', when: { at: next }, path: '/server/s1/renew' },
            's1:deleteWarning:1800172800000:1800086400000',
            next,
          ],
        ],
      },
    ],
  ],
  'server.suspended_by_staff': [
    [
      { ...server, reason: 'Too loud', revision: 4, atMs: day },
      {
        notifications: [
          ['member', 'serverHalted', { ...about, reason: 'Too loud' }, 'serverHalted:s1:4:1800000000000'],
        ],
      },
    ],
  ],
  'server.resumed': [
    [{ ...server, revision: 5 }, { notifications: [['member', 'serverResumed', about, 'serverResumed:s1:5']] }],
  ],
  'server.subuser_added': [
    [
      { ...server, userId: 'root', subuserId: 'member', owner: 'ann', rights: ['power'], addedMs: 7 },
      {
        notifications: [['member', 'subuserAdded', { ...about, name: 'ann' }, 'subuserAdded:s1:member:7']],
        audit: ['servers.subuser_add', 's1', null, { subuser: 'member', rights: ['power'] }],
      },
    ],
  ],
  'server.subuser_removed': [
    [
      { ...server, userId: 'root', subuserId: 'member', owner: 'ann', subuser: 'bob', reason: 'removed', removedMs: 8 },
      {
        notifications: [['member', 'subuserRemoved', { ...about, name: 'ann' }, 'subuserRemoved:s1:member:8']],
        audit: ['servers.subuser_remove', 's1', { subuser: 'member', reason: 'removed' }, null],
      },
    ],
    [
      { ...server, userId: 'root', subuserId: 'member', owner: 'ann', subuser: 'bob', reason: 'left', removedMs: 9 },
      {
        notifications: [['root', 'subuserLeft', { ...about, name: 'bob' }, 'subuserLeft:s1:member:9']],
        audit: ['servers.subuser_remove', 's1', { subuser: 'member', reason: 'left' }, null],
      },
    ],
    [
      { ...server, userId: 'root', subuserId: 'member', owner: 'ann', subuser: 'bob', reason: 'banned', removedMs: 9 },
      { audit: ['servers.subuser_remove', 's1', { subuser: 'member', reason: 'banned' }, null] },
    ],
  ],
  'server.deleted': [
    [
      { ...server, expired: true },
      {
        notifications: [['member', 'serverDeleted', about, 'serverDeleted:s1:gone']],
        mails: [
          ['member', 'serverDeleted', { server: 'Survival', path: '/server/create' }, 'serverDeleted:s1', undefined],
        ],
      },
    ],
    [{ ...server, expired: false }, { notifications: [['member', 'serverDeleted', about, 'serverDeleted:s1:gone']] }],
  ],
  'location.capacity_offered': [
    [
      { userId: 'member', entryId: 'w1', locationId: 'l1', location: 'Paris' },
      {
        notifications: [['member', 'capacityFree', { location: 'Paris' }, 'capacityFree:w1']],
        mails: [
          ['member', 'capacityFree', { location: 'Paris', path: '/server/create' }, 'capacityFree:w1', undefined],
        ],
      },
    ],
  ],
  'outage.reported': [
    [outage, { notifications: toPanelStaff('panelAway', toNorth, 'p1::7') }],
    [{ ...outage, cause: 'key' }, { notifications: toPanelStaff('panelKey', toNorth, 'p1::7') }],
    [node, { notifications: toPanelStaff('nodeAway', { ...toNorth, node: 'Node 3' }, 'p1:3:7') }],
  ],
  'outage.ended': [
    [{ ...outage, cause: 'key' }, { notifications: toPanelStaff('panelBack', toNorth, 'p1::7') }],
    [node, { notifications: toPanelStaff('nodeBack', { ...toNorth, node: 'Node 3' }, 'p1:3:7') }],
  ],
  'gift.sent': [
    [
      { senderId: 'root', senderName: 'ann', recipientId: 'member', recipientName: 'bob', amount: 3, note: 'hi' },
      {
        notifications: [
          ['member', 'giftReceivedNote', { name: 'ann', cost: 3, note: 'hi' }, null],
          ['root', 'giftSent', { name: 'bob', cost: 3 }, null],
        ],
      },
    ],
    [
      { senderId: 'root', senderName: 'ann', recipientId: 'member', recipientName: 'bob', amount: 3, note: '' },
      {
        notifications: [
          ['member', 'giftReceived', { name: 'ann', cost: 3, note: '' }, null],
          ['root', 'giftSent', { name: 'bob', cost: 3 }, null],
        ],
      },
    ],
  ],
  'credits.adjusted': [
    [
      { userId: 'member', adjustmentId: 'a1', amount: 5, reason: 'sorry' },
      { notifications: [['member', 'adjustmentIn', { cost: 5, reason: 'sorry' }, 'adjustment:a1']] },
    ],
    [
      { userId: 'member', adjustmentId: 'a1', amount: -5, reason: 'fraud' },
      { notifications: [['member', 'adjustmentOut', { cost: 5, reason: 'fraud' }, 'adjustment:a1']] },
    ],
    [{ userId: 'member', adjustmentId: 'a1', amount: 0, reason: 'none' }, {}],
  ],
  'purchase.refunded': [
    [
      { userId: 'member', purchaseId: 'b1', kind: 'memory', quantity: 2, total: 30 },
      {
        audit: ['store.refund', 'b1', { userId: 'member', kind: 'memory', quantity: 2, total: 30 }, null],
        notifications: [['member', 'purchaseRefunded', { cost: 30 }, 'store.refund:b1']],
      },
    ],
  ],
  'order.credited': [
    [
      { userId: 'member', orderId: 'o1', amount: 100 },
      { notifications: [['member', 'creditsAdded', { cost: 100 }, 'creditsAdded:o1']] },
    ],
  ],
  'order.credits_taken': [
    [
      { userId: 'member', orderId: 'o1', amount: 60, reference: 'payment:1' },
      { notifications: [['member', 'paymentTaken', { cost: 60 }, 'payment:1']] },
    ],
  ],
  'order.credits_returned': [
    [
      { userId: 'member', orderId: 'o1', amount: 60, reference: 'payment:2' },
      { notifications: [['member', 'paymentReturned', { cost: 60 }, 'payment:2']] },
    ],
  ],
  'order.mismatched': [
    [
      { orderId: 'o1', reason: 'AMOUNT', paymentRef: 'pi_1' },
      { notifications: toPaymentStaff('paymentMismatch', { order: 'o1' }, 'o1:AMOUNT:pi_1') },
    ],
  ],
  'order.debt_incurred': [
    [
      { userId: 'member', orderId: 'o1', amount: 12, reference: 'payment:3' },
      { notifications: toPaymentStaff('paymentDebt', { cost: 12 }, 'payment:3') },
    ],
  ],
  'order.disputed': [
    [
      { orderId: 'o1', disputeId: 'd1', state: 'open', reopenedMs: null },
      { notifications: toPaymentStaff('paymentDispute', { order: 'o1' }, 'd1:open') },
    ],
    [
      { orderId: 'o1', disputeId: 'd1', state: 'open', reopenedMs: 9 },
      { notifications: toPaymentStaff('paymentDispute', { order: 'o1' }, 'd1:open:9') },
    ],
  ],
  'order.sync_failed': [
    [
      { orderId: 'o1', provider: 'stripe', day: '2027-01-15' },
      { notifications: toPaymentStaff('paymentStuck', {}, 'stripe:2027-01-15') },
    ],
  ],
  'payment.unknown': [[{ eventId: 'n1' }, { notifications: toPaymentStaff('paymentUnknown', {}, 'n1') }]],
  'payment.event_failed': [[{ eventId: 'n1' }, { notifications: toPaymentStaff('paymentStuck', {}, 'n1') }]],
  'refund.failed': [
    [
      { orderId: 'o1', refundId: 'r1' },
      { notifications: toPaymentStaff('paymentRefundFailed', { order: 'o1' }, 'r1') },
    ],
  ],
  'ledger.faults_found': [[{ count: 2, atMs: 7 }, { notifications: toHealthStaff('ledgerFault', { count: 2 }, '7') }]],
  'ledger.faults_mended': [[{ atMs: 7 }, { notifications: toHealthStaff('ledgerMended', {}, '7') }]],
};

testEffects(CASES);
