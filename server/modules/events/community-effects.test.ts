import { testEffects, type CommunityEvent, type EffectCases } from '#tests/support/event-effects.ts';

const userId = 'member';
const ticket = { ticketId: 't1', number: 1001, userId, subject: 'Cannot join' };
const ticketFacts = { number: '1001', subject: 'Cannot join', ticket: 't1' };

const image = { imageId: 'i1', userId, name: 'tower.png' };
const report = { reportId: 'r1', imageId: 'i1' };

const CASES: EffectCases<CommunityEvent> = {
  'ticket.created': [
    [{ ...ticket, byMail: false }, {}],
    [
      { ...ticket, byMail: true },
      {
        mails: [
          [
            userId,
            'ticketOpened',
            { number: '1001', subject: 'Cannot join', path: '/ticket/t1' },
            undefined,
            undefined,
          ],
        ],
      },
    ],
  ],
  'ticket.mail_limit': [
    [
      { userId, subject: 'Cannot join', day: '2026-03-10' },
      {
        mails: [
          [
            userId,
            'ticketMailLimit',
            { subject: 'Cannot join', path: '/ticket' },
            `ticketMailLimit:${userId}:2026-03-10`,
            undefined,
          ],
        ],
      },
    ],
  ],
  'ticket.replied': [
    [{ ...ticket, assigneeId: null, seq: 2 }, {}],
    // Who answers their own ticket as staff needs no notification of it.
    [{ ...ticket, assigneeId: userId, seq: 2 }, {}],
    [
      { ...ticket, assigneeId: 'root', seq: 2 },
      { notifications: [['root', 'ticketReplied', { number: '1001', ticket: 't1' }, 'ticketReplied:t1:2']] },
    ],
  ],
  'ticket.answered': [
    [
      { ...ticket, seq: 3, status: 'waiting', text: 'Look at the port' },
      {
        audit: ['tickets.reply', 't1', null, { name: '#1001', status: 'waiting' }],
        notifications: [[userId, 'ticketAnswered', ticketFacts, 'ticketAnswered:t1:3']],
        mails: [
          [
            userId,
            'ticketAnswered',
            { number: '1001', subject: 'Cannot join', text: 'Look at the port', path: '/ticket/t1' },
            'ticketAnswered:t1:3',
            undefined,
          ],
        ],
      },
    ],
  ],
  'ticket.noted': [[ticket, { audit: ['tickets.note', 't1', null, { name: '#1001' }] }]],
  'ticket.changed': [
    [
      { ...ticket, from: { priority: 'low' }, to: { priority: 'high' } },
      { audit: ['tickets.update', 't1', { name: '#1001', priority: 'low' }, { name: '#1001', priority: 'high' }] },
    ],
    [
      { ...ticket, from: { assignee: null }, to: { assignee: 'root' } },
      {
        audit: ['tickets.update', 't1', { name: '#1001', assignee: null }, { name: '#1001', assignee: 'root' }],
        notifications: [['root', 'ticketAssigned', { number: '1001', ticket: 't1' }, null]],
      },
      'health',
    ],
    // Who takes a ticket gets no notification of it, and a ticket that nobody has notifies nobody.
    [
      { ...ticket, from: { assignee: null }, to: { assignee: 'root' } },
      { audit: ['tickets.update', 't1', { name: '#1001', assignee: null }, { name: '#1001', assignee: 'root' }] },
      'root',
    ],
    [
      { ...ticket, from: { assignee: 'root' }, to: { assignee: null } },
      { audit: ['tickets.update', 't1', { name: '#1001', assignee: 'root' }, { name: '#1001', assignee: null }] },
      'health',
    ],
  ],
  'ticket.closed': [
    [{ ...ticket, by: 'user', atMs: 5 }, {}],
    [
      { ...ticket, by: 'staff', atMs: 5 },
      { notifications: [[userId, 'ticketClosed', ticketFacts, 'ticketClosed:t1:5']] },
    ],
    [
      { ...ticket, by: 'silence', atMs: 6 },
      { notifications: [[userId, 'ticketClosed', ticketFacts, 'ticketClosed:t1:6']] },
    ],
  ],
  'ticket.merged': [
    [
      { ...ticket, into: 1002, intoId: 't2', intoSubject: 'Port', byUser: false },
      {
        audit: ['tickets.merge', 't1', null, { name: '#1001', ticket: '#1002' }],
        notifications: [
          [userId, 'ticketMerged', { number: '1001', into: '1002', subject: 'Port', ticket: 't2' }, 'ticketMerged:t1'],
        ],
      },
    ],
    [
      { ...ticket, into: 1002, intoId: 't2', intoSubject: 'Port', byUser: true },
      { audit: ['tickets.merge', 't1', null, { name: '#1001', ticket: '#1002' }] },
    ],
  ],
  'ticket.split': [
    [
      { ...ticket, made: 1003, madeId: 't3', madeSubject: 'Invoice', byUser: false },
      {
        audit: ['tickets.split', 't1', null, { name: '#1001', ticket: '#1003' }],
        notifications: [
          [userId, 'ticketSplit', { number: '1001', made: '1003', subject: 'Invoice', ticket: 't3' }, 'ticketSplit:t3'],
        ],
      },
    ],
    [
      { ...ticket, made: 1003, madeId: 't3', madeSubject: 'Invoice', byUser: true },
      { audit: ['tickets.split', 't1', null, { name: '#1001', ticket: '#1003' }] },
    ],
  ],
  'ticket.sender_blocked': [
    [{ ...ticket, reason: 'Insults' }, { audit: ['tickets.block', 't1', null, { name: '#1001', reason: 'Insults' }] }],
  ],
  'ticket.sender_unblocked': [[ticket, { audit: ['tickets.unblock', 't1', null, { name: '#1001' }] }]],
  'ticket.reopened': [[ticket, {}]],
  'image.hidden': [
    [{ ...image, atMs: 5 }, { notifications: [[userId, 'imageHidden', { name: 'tower.png' }, 'imageHidden:i1:5']] }],
  ],
  'image.shown': [
    [{ ...image, atMs: 6 }, { notifications: [[userId, 'imageShown', { name: 'tower.png' }, 'imageShown:i1:6']] }],
  ],
  'image.removed': [[image, { notifications: [[userId, 'imageRemoved', { name: 'tower.png' }, 'imageRemoved:i1']] }]],
  'image.reported': [[report, {}]],
  'image.report_answered': [
    [
      { complaintId: 'c1', userId, answer: 'upheld' },
      { notifications: [[userId, 'imageReportUpheld', { complaint: 'c1' }, 'imageReportUpheld:c1']] },
    ],
    [
      { complaintId: 'c1', userId, answer: 'rejected' },
      { notifications: [[userId, 'imageReportRejected', { complaint: 'c1' }, 'imageReportRejected:c1']] },
    ],
  ],
  'image.report_decided': [
    [
      { ...report, from: 'open', to: 'hidden' },
      { audit: ['image_reports.decide', 'r1', { name: 'i1', state: 'open' }, { name: 'i1', state: 'hidden' }] },
    ],
  ],
  'image.report_noted': [[report, { audit: ['image_reports.note', 'r1', null, { name: 'i1' }] }]],
  'image.report_allowed': [[report, { audit: ['image_reports.allow', 'r1', null, { name: 'i1' }] }]],
  'image.report_deleted': [[report, { audit: ['image_reports.delete', 'r1', { name: 'i1' }, null] }]],
  'plugin.switched': [
    [
      { identifier: 'webhooks', isOn: true },
      { audit: ['plugins.switch', 'webhooks', { name: 'webhooks', on: false }, { name: 'webhooks', on: true }] },
    ],
  ],
  'plugin.paid': [
    [
      {
        identifier: 'welcome-gifts',
        name: 'Lanternhost',
        userId,
        amount: 50,
        reference: 'plugin:welcome-gifts:member',
      },
      {
        notifications: [
          [userId, 'pluginPaid', { name: 'Lanternhost', cost: 50 }, 'pluginPaid:plugin:welcome-gifts:member'],
        ],
      },
    ],
  ],
  'plugin.stopped': [
    [
      { identifier: 'votes', name: 'Votes', cause: 'faults', atMs: 7 },
      {
        notifications: ['plugins', 'root'].map(
          (id) => [id, 'pluginStopped', { name: 'Votes', plugin: 'votes' }, `pluginStopped:votes:7:${id}`] as const,
        ),
      },
    ],
  ],
  'plugin.notified': [
    [
      { identifier: 'votes', name: 'Votes', userId, text: 'Vote again', key: 'today' },
      {
        notifications: [
          [userId, 'pluginMessage', { name: 'Votes', text: 'Vote again' }, `pluginMessage:votes:${userId}:today`],
        ],
      },
    ],
  ],
  'plugin.mailed': [
    [
      { identifier: 'votes', name: 'Votes', userId, subject: 'Thanks', text: 'You voted.', key: 'today' },
      {
        notifications: [[userId, 'pluginMail', { name: 'Votes', text: 'Thanks' }, `pluginMail:votes:${userId}:today`]],
        mails: [
          [
            userId,
            'pluginMail',
            { subject: 'Thanks', text: 'You voted.', plugin: 'Votes', path: '/dashboard' },
            `pluginMail:votes:${userId}:today`,
            undefined,
          ],
        ],
      },
    ],
  ],
  'ticket.mail_refused': [
    [
      { ...ticket, day: '2026-03-10' },
      {
        mails: [
          [
            userId,
            'ticketMailRefused',
            { number: '1001', subject: 'Cannot join', path: '/ticket/create' },
            'ticketMailRefused:t1:2026-03-10',
            undefined,
          ],
        ],
      },
    ],
  ],
  'announcement.published': [[{ announcementId: 'a1', urgent: true }, {}]],
  'announcement.announced': [
    [
      { announcementId: 'a1', userId, title: 'Faster disks', mails: true, pushes: false },
      {
        notifications: [
          [
            userId,
            'announcementPublished',
            { title: 'Faster disks', announcement: 'a1' },
            `announcementPublished:a1:${userId}`,
          ],
        ],
      },
    ],
  ],
  'announcement.previewed': [
    [
      { announcementId: 'a1', userId, title: 'Faster disks', mails: false, pushes: true },
      {
        notifications: [[userId, 'announcementPreview', { title: 'Faster disks', announcement: 'a1' }, null]],
      },
    ],
  ],
};

testEffects(CASES);
