import * as z from 'zod/mini';
import type { NotificationKind } from '#shared/notifications.ts';
import { href } from '#shared/routes/staff-href.ts';
import { declareEvent, type EventNotification, type StaffGroup } from './declare.ts';

/** Who is notified of panels: staff who see them. */
const PANEL_STAFF: StaffGroup = { permissions: ['admin.root', 'admin.panels.list'], limit: 200 };

const outage = z.object({
  panelId: z.string(),
  /** Name of the panel. */
  panel: z.string(),
  /** Id of the node in its panel, or '' for an outage of the whole panel. */
  node: z.string(),
  /** Name of the node, or its id where it has none; null for an outage of the whole panel. */
  nodeName: z.nullable(z.string()),
  /** Of the causes of an outage those that staff did not bring about themselves. */
  cause: z.enum(['panel', 'key', 'node']),
  /** UTC ms. */
  sinceMs: z.number(),
});
type OutagePayload = z.infer<typeof outage>;

const outageNotification = (
  kind: NotificationKind,
  when: (payload: OutagePayload) => boolean,
): EventNotification<OutagePayload> => ({
  kind,
  when,
  to: PANEL_STAFF,
  data: ({ panelId, panel, nodeName }) => ({
    panel,
    panel_id: panelId,
    ...(nodeName === null ? {} : { node: nodeName }),
  }),
  key: ({ panelId, node, sinceMs }) => `${kind}:${panelId}:${node}:${sinceMs}`,
});

/** What happens to the places that servers are at. */
export const CAPACITY_EVENTS = {
  /** There is capacity at a location for a user who waited for it. */
  'location.capacity_offered': declareEvent({
    version: 1,
    payload: z.object({
      userId: z.string(),
      /** Id of their entry in the waiting list. */
      entryId: z.string(),
      locationId: z.string(),
      /** Name of the location. */
      location: z.string(),
    }),
    outside: ['userId', 'locationId'],
    description: 'A user who waited for a location can create a server there.',
    notifications: [
      {
        kind: 'capacityFree',
        to: ({ userId }) => userId,
        data: ({ location }) => ({ location }),
        key: ({ entryId }) => `capacityFree:${entryId}`,
      },
    ],
    mails: [
      {
        template: 'capacityFree',
        to: ({ userId }) => userId,
        data: ({ location }) => ({ location, path: href('server.create') }),
        key: ({ entryId }) => `capacityFree:${entryId}`,
      },
    ],
  }),
  /** A panel, or a node of it, has taken no orders for so long that staff have to know. */
  'outage.reported': declareEvent({
    version: 1,
    payload: outage,
    outside: ['panelId', 'node', 'cause', 'sinceMs'],
    description: 'A panel or a node is not reachable; `node` is empty for a whole panel.',
    notifications: [
      outageNotification('panelAway', ({ cause }) => cause === 'panel'),
      outageNotification('panelKey', ({ cause }) => cause === 'key'),
      outageNotification('nodeAway', ({ cause }) => cause === 'node'),
    ],
  }),
  /** An outage that was reported is over. */
  'outage.ended': declareEvent({
    version: 1,
    payload: outage,
    outside: ['panelId', 'node', 'cause', 'sinceMs'],
    description: 'A panel or a node is reachable again.',
    notifications: [
      outageNotification('panelBack', ({ node }) => node === ''),
      outageNotification('nodeBack', ({ node }) => node !== ''),
    ],
  }),
};
