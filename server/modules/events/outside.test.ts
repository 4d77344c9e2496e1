import { expect, test } from 'bun:test';
import { EVENTS, type EventName } from './index.ts';

/**
 * The fields that hearers outside of the product get: ids, amounts, codes and moments; no names, no addresses, no text
 * that somebody wrote.
 */
const OUTSIDE: Readonly<Record<EventName, readonly string[]>> = {
  'user.registered': ['userId'],
  'user.verified': ['userId'],
  'user.reclaimed': [],
  'user.email_changed': ['userId'],
  'user.email_restored': ['userId'],
  'user.deletion_requested': [],
  'user.deletion_cancelled': [],
  'user.export_ready': [],
  'user.deleted': ['userId'],
  'user.renamed': ['userId'],
  'user.banned': ['userId', 'untilMs'],
  'user.username_changed': ['userId'],
  'user.two_factor_removed': [],
  'user.passkey_taken': [],
  'user.identity_taken': [],
  'users.bulk_finished': [],
  'user.unbanned': ['userId'],
  'user.written': ['userId'],
  'user.ban_expired': ['userId'],
  'user.viewing_started': [],
  'user.viewing_ended': [],
  'user.password_changed': [],
  'user.password_reset': [],
  'user.new_device': [],
  'user.two_factor_enabled': [],
  'user.two_factor_disabled': [],
  'user.recovery_code_used': [],
  'user.passkey_added': [],
  'user.passkey_removed': [],
  'user.passkey_copied': [],
  'user.token_created': [],
  'user.token_revoked': [],
  'user.identity_linked': ['userId'],
  'reward.held': ['userId', 'heldRewardId', 'source', 'amount'],
  'reward.released': ['userId', 'heldRewardId', 'source', 'amount'],
  'reward.rejected': ['userId', 'heldRewardId', 'source', 'amount'],
  'gift.sent': ['senderId', 'recipientId', 'amount'],
  'order.credited': ['userId', 'orderId', 'amount'],
  'order.credits_taken': ['userId', 'orderId', 'amount'],
  'order.credits_returned': ['userId', 'orderId', 'amount'],
  'purchase.refunded': ['userId', 'purchaseId', 'kind', 'quantity', 'total'],
  'credits.adjusted': ['userId', 'amount'],
  'j4r.taken_back': ['userId', 'amount'],
  'j4r.unlinked': [],
  'referral.paid': ['userId', 'side', 'amount', 'held'],
  'supporter.paid': ['userId', 'amount', 'held'],
  'referral.code_unknown': [],
  'order.mismatched': ['orderId', 'reason'],
  'order.debt_incurred': ['userId', 'orderId', 'amount'],
  'order.disputed': ['orderId', 'state'],
  'order.sync_failed': ['orderId'],
  'payment.unknown': [],
  'payment.event_failed': [],
  'refund.failed': ['orderId', 'refundId'],
  'server.ready': ['userId', 'serverId'],
  'server.failed': ['userId', 'serverId', 'reason'],
  'server.renewed': ['userId', 'serverId', 'cost', 'expiresMs', 'automatic'],
  'server.expiring': ['userId', 'serverId', 'expiresMs'],
  'server.overdue': ['userId', 'serverId', 'expiresMs', 'suspendsMs'],
  'server.expired': ['userId', 'serverId', 'deletesMs'],
  'server.deletion_near': ['userId', 'serverId', 'deletesMs'],
  'server.suspended_by_staff': ['userId', 'serverId'],
  'server.resumed': ['userId', 'serverId'],
  'server.deleted': ['userId', 'serverId', 'expired'],
  'location.capacity_offered': ['userId', 'locationId'],
  'outage.reported': ['panelId', 'node', 'cause', 'sinceMs'],
  'outage.ended': ['panelId', 'node', 'cause', 'sinceMs'],
  'afk.minutes_paid': ['userId', 'minutes'],
  'ledger.faults_found': ['count'],
  'ledger.faults_mended': [],
  'attention.needed': ['key', 'count'],
  'ticket.created': ['ticketId', 'number', 'userId'],
  'ticket.replied': ['ticketId', 'number', 'userId'],
  'ticket.answered': ['ticketId', 'number', 'userId'],
  'ticket.noted': [],
  'ticket.changed': ['ticketId', 'number', 'userId'],
  'ticket.closed': ['ticketId', 'number', 'userId'],
  'ticket.reopened': ['ticketId', 'number', 'userId'],
  'announcement.published': ['announcementId', 'urgent'],
  'announcement.announced': [],
  'ticket.mail_refused': [],
  'ticket.mail_limit': [],
  'installation.resumed': ['fromMs', 'untilMs'],
};

test('hearers outside of the product get these fields of each event, and no others', () => {
  const declared = Object.entries(EVENTS).map(([name, { outside }]): [string, readonly string[]] => [name, outside]);
  expect(Object.fromEntries(declared)).toEqual(OUTSIDE);
});

test('staff who are notified of an event are one of six groups, each with its limit', () => {
  const groups = Object.values(EVENTS).flatMap(({ notifications = [] }) =>
    notifications.flatMap(({ to }) => (typeof to === 'function' ? [] : [to])),
  );
  expect(new Set(groups)).toEqual(
    new Set([
      { permissions: ['admin.root', 'admin.payments.edit'], limit: 100 },
      { permissions: ['admin.root', 'admin.panels.list'], limit: 200 },
      { permissions: ['admin.root', 'admin.health.view'], limit: 100 },
      { permissions: ['admin.root', 'admin.servers.list'], limit: 100 },
      { permissions: ['admin.root', 'admin.payments.list'], limit: 100 },
      { permissions: ['admin.root', 'admin.rewards.held.list'], limit: 100 },
    ]),
  );
});
