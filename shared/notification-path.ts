import { isNotificationKind, type NotificationFacts, type NotificationKind } from './notifications.ts';
import { href } from './routes/staff-href.ts';

const tab = (name: string) => `${href('account')}?tab=${name}`;

/** Where the kinds lead whose place follows from their name alone. */
const PATHS: Readonly<Partial<Record<NotificationKind, () => string>>> = {
  serversFailed: () => `${href('admin.servers.list')}?state=failed`,
  ordersToConfirm: () => `${href('admin.payments.list')}?provider=manual&state=pending`,
  machineNeeds: () => href('admin.machine'),
  rewardsToReview: () => href('admin.heldRewards'),
  ticketsWaiting: () => href('admin.tickets.list'),
  imagesReported: () => href('admin.imageReports.list'),
  mailsFailed: () => `${href('admin.mails.list')}?state=failed`,
  backupMissing: () => href('admin.backups'),
  securityUpdate: () => `${href('admin.dashboard')}#updates`,
  driftFound: () => href('admin.servers.drift'),
  capacityFree: () => href('server.create'),
  imageHidden: () => href('images'),
  imageShown: () => href('images'),
  purchaseRefunded: () => tab('statement'),
  tokenCreated: () => tab('tokens'),
  viewedByStaff: () => tab('activity'),
  exportReady: () => tab('privacy'),
  passwordChanged: () => tab('sessions'),
  newDevice: () => tab('sessions'),
};

/** The path that a notification leads to, or null. */
export function notificationPath(kind: string, data: NotificationFacts): string | null {
  // About a panel: only those who may see panels are notified.
  if (kind === 'subuserAdded' && typeof data.id === 'string') return href('server.shared', { id: data.id });
  if (kind === 'subuserRemoved') return href('dashboard');
  if ('panel_id' in data) return href('admin.panels.list');
  if (isNotificationKind(kind) && PATHS[kind]) return PATHS[kind]();
  if (typeof data.announcement === 'string')
    return kind === 'announcementPreview'
      ? href('admin.announcements.edit', { id: data.announcement })
      : href('announcement.view', { id: data.announcement });
  if (typeof data.ticket === 'string')
    return kind === 'ticketReplied' || kind === 'ticketAssigned'
      ? href('admin.tickets.view', { id: data.ticket })
      : href('ticket.view', { id: data.ticket });
  if (typeof data.webhook === 'string') return href('admin.webhooks.view', { id: data.webhook });
  if (typeof data.complaint === 'string') return href('images.report.state', { id: data.complaint });
  if (/^(gift|adjustment|credits)/.test(kind)) return tab('statement');
  if (kind.startsWith('deletion')) return tab('privacy');
  if (kind.startsWith('passkey')) return tab('security');
  return typeof data.id === 'string' && 'server' in data && kind !== 'serverDeleted'
    ? href('server.view', { id: data.id })
    : null;
}
