import * as z from 'zod/mini';
import type { NotificationKind } from '#shared/notifications.ts';
import { ATTENTION_KEYS, type AttentionKey } from '#shared/attention.ts';
import { DISABLED_CAUSES } from '#shared/webhooks.ts';
import type { Permission } from '#shared/permissions.ts';
import { declareEvent, type EventNotification, type StaffGroup } from './declare.ts';
import { PLUGIN_STAFF } from './plugins.ts';

const attention = z.object({
  /** One of shared/attention.ts. */
  key: z.enum(ATTENTION_KEYS),
  count: z.number(),
  /** UTC ms. */
  atMs: z.number(),
});
/** Staff with a permission are notified of one kind of what needs a person. */
const attentionNotification = (
  kind: NotificationKind,
  key: AttentionKey,
  staff: Permission | StaffGroup,
): EventNotification<z.infer<typeof attention>> => ({
  kind,
  when: (payload) => payload.key === key,
  to: typeof staff === 'string' ? { permissions: ['admin.root', staff], limit: 100 } : staff,
  data: ({ count }) => ({ count }),
  key: ({ atMs }) => `attention:${key}:${atMs}`,
});

/** Those who look after the installation: who may see its health. */
const HEALTH_STAFF: StaffGroup = { permissions: ['admin.root', 'admin.health.view'], limit: 100 };

/** Those who look after servers. */
const SERVER_STAFF: StaffGroup = { permissions: ['admin.root', 'admin.servers.list'], limit: 100 };

/** Why a webhook endpoint was switched off by itself. */
const OFF_CAUSES = DISABLED_CAUSES.filter((cause) => cause !== 'staff');

/** What happens to presence, and to the installation itself. */
export const INSTALLATION_EVENTS = {
  /** A session of presence was paid for another ten minutes; `minutes`: those of the session. */
  'afk.minutes_paid': declareEvent({
    version: 1,
    payload: z.object({ userId: z.string(), minutes: z.number() }),
    outside: ['userId', 'minutes'],
    description: 'A user was paid for time on the AFK page.',
  }),
  /** A proof of the ledger found what none had found before: `count` faults in all, at `atMs` (UTC). */
  'ledger.faults_found': declareEvent({
    version: 1,
    payload: z.object({ count: z.number(), atMs: z.number() }),
    outside: ['count'],
    description: 'A proof of the ledger found faults.',
    notifications: [
      {
        kind: 'ledgerFault',
        to: HEALTH_STAFF,
        data: ({ count }) => ({ count }),
        key: ({ atMs }) => `ledgerFault:${atMs}`,
      },
    ],
  }),
  /** A proof of the ledger found no fault where one before it had, at `atMs` (UTC). */
  'ledger.faults_mended': declareEvent({
    version: 1,
    payload: z.object({ atMs: z.number() }),
    outside: [],
    notifications: [{ kind: 'ledgerMended', to: HEALTH_STAFF, key: ({ atMs }) => `ledgerMended:${atMs}` }],
  }),
  /** Something needs staff again that did not before, and of which no other event notifies them. */
  'attention.needed': declareEvent({
    version: 1,
    payload: attention,
    outside: ['key', 'count'],
    description: 'Something waits for staff.',
    notifications: [
      attentionNotification('serversFailed', 'failedServers', SERVER_STAFF),
      attentionNotification('ordersToConfirm', 'ordersToConfirm', 'admin.payments.list'),
      attentionNotification('machineNeeds', 'machine', HEALTH_STAFF),
      attentionNotification('rewardsToReview', 'heldRewards', 'admin.rewards.held.list'),
      // Only those who may read and answer them: the list alone helps nobody who waits.
      attentionNotification('ticketsWaiting', 'tickets', 'admin.tickets.view'),
      attentionNotification('imagesReported', 'imageReports', 'admin.image.reports.list'),
      attentionNotification('mailsFailed', 'failedMails', 'admin.mails.list'),
      attentionNotification('backupMissing', 'backups', 'admin.backups.list'),
      attentionNotification('securityUpdate', 'securityUpdate', 'admin.dashboard.components.system.updates'),
      attentionNotification('driftFound', 'drift', SERVER_STAFF),
    ],
  }),
  /** An endpoint of webhooks was switched off by itself, at `atMs` (UTC). */
  'webhook.disabled': declareEvent({
    version: 1,
    payload: z.object({ endpointId: z.string(), name: z.string(), cause: z.enum(OFF_CAUSES), atMs: z.number() }),
    outside: [],
    notifications: [
      {
        kind: 'webhookDisabled',
        to: PLUGIN_STAFF,
        data: ({ endpointId, name }) => ({ name, webhook: endpointId }),
        key: ({ endpointId, atMs }) => `webhookDisabled:${endpointId}:${atMs}`,
      },
    ],
  }),
  /** The product runs again after no process of it did, from one moment to the other (UTC ms). */
  'installation.resumed': declareEvent({
    version: 1,
    payload: z.object({ fromMs: z.number(), untilMs: z.number() }),
    outside: ['fromMs', 'untilMs'],
    description: 'The dashboard runs again after it was off.',
  }),
};
