import * as z from 'zod/mini';
import { href } from '#shared/routes/href.ts';
import { SUBUSER_RIGHTS } from '#shared/subusers.ts';
import { iso } from '#shared/time.ts';
import { declareEvent } from './declare.ts';

/** What every event of a server says of it. */
const server = { userId: z.string(), serverId: z.string(), name: z.string() };
interface OfServer {
  readonly userId: string;
  readonly serverId: string;
  readonly name: string;
}

const owner = ({ userId }: OfServer) => userId;
/** What every notification of a server says of it. */
const about = ({ serverId, name }: OfServer) => ({ id: serverId, server: name });
const viewPath = ({ serverId }: OfServer) => href('server.view', { id: serverId });
const renewPath = ({ serverId }: OfServer) => href('server.renew', { id: serverId });

/** A reminder of an expiry. `cost`: credits of a renewal. */
const reminder = {
  ...server,
  cost: z.number(),
  /** UTC ms. */
  expiresMs: z.number(),
  /** Tells this reminder from the others of the server. */
  reminderKey: z.string(),
};

/** What happens to servers. */
export const SERVER_EVENTS = {
  /** A server is its owner's to use. */
  'server.ready': declareEvent({
    version: 1,
    payload: z.object({
      ...server,
      /** Id of the entry of the queue that built it. */
      entryId: z.string(),
      /** Where players reach it, or ''. */
      address: z.string(),
    }),
    outside: ['userId', 'serverId'],
    description: 'A server was built and is ready.',
    notifications: [
      {
        kind: 'serverReady',
        to: owner,
        data: (payload) => ({ ...about(payload), address: payload.address }),
        key: ({ serverId, entryId }) => `serverReady:${serverId}:${entryId}`,
      },
    ],
    mails: [
      {
        template: 'serverReady',
        to: owner,
        data: (payload) => ({ server: payload.name, address: payload.address, path: viewPath(payload) }),
        key: ({ entryId }) => `serverReady:${entryId}`,
      },
    ],
  }),
  /** A server could not be built, or is lost; its limits and its slot are free. */
  'server.failed': declareEvent({
    version: 1,
    payload: z.object({
      ...server,
      /** Code of the failure. */
      reason: z.string(),
      /** Tells this failure from another of the same server. */
      failureKey: z.string(),
    }),
    outside: ['userId', 'serverId', 'reason'],
    description: 'A server could not be built, or was lost.',
    notifications: [
      {
        kind: 'serverFailed',
        to: owner,
        data: (payload) => ({ ...about(payload), reason: payload.reason }),
        key: ({ serverId, failureKey }) => `serverFailed:${serverId}:${failureKey}`,
      },
    ],
    mails: [
      {
        template: 'serverFailed',
        to: owner,
        data: (payload) => ({ server: payload.name, path: viewPath(payload) }),
        key: ({ serverId, failureKey }) => `serverFailed:${serverId}:${failureKey}`,
      },
    ],
  }),
  /** A period of a server was paid, by its owner or automatically. The owner is notified of what they did not do. */
  'server.renewed': declareEvent({
    version: 1,
    payload: z.object({
      ...server,
      cost: z.number(),
      /** The new one, UTC ms. */
      expiresMs: z.number(),
      automatic: z.boolean(),
    }),
    outside: ['userId', 'serverId', 'cost', 'expiresMs', 'automatic'],
    description: 'A server was renewed.',
    notifications: [
      {
        kind: 'serverRenewed',
        when: ({ automatic }) => automatic,
        to: owner,
        data: (payload) => ({ ...about(payload), cost: payload.cost, until: iso(payload.expiresMs) }),
        key: ({ serverId, expiresMs }) => `serverRenewed:${serverId}:${expiresMs}`,
      },
    ],
  }),
  /** A server expires in `days` days. */
  'server.expiring': declareEvent({
    version: 1,
    payload: z.object({ ...reminder, days: z.number() }),
    outside: ['userId', 'serverId', 'expiresMs'],
    description: 'A server expires soon.',
    notifications: [
      {
        kind: 'renewReminder',
        to: owner,
        data: (payload) => ({
          ...about(payload),
          days: payload.days,
          cost: payload.cost,
          expires: iso(payload.expiresMs),
        }),
        key: ({ serverId, reminderKey }) => `renewReminder:${serverId}:${reminderKey}`,
      },
    ],
    mails: [
      {
        template: 'renewReminder',
        to: owner,
        data: (payload) => ({
          server: payload.name,
          credits: payload.cost,
          days: payload.days,
          when: { at: payload.expiresMs },
          path: renewPath(payload),
        }),
        key: (payload) => `${payload.serverId}:${payload.reminderKey}`,
        untilMs: ({ expiresMs }) => expiresMs,
      },
    ],
  }),
  /** The expiry of a server is past, and it is suspended at `suspendsMs` (UTC) unless it is renewed. */
  'server.overdue': declareEvent({
    version: 1,
    payload: z.object({ ...reminder, suspendsMs: z.number() }),
    outside: ['userId', 'serverId', 'expiresMs', 'suspendsMs'],
    description: 'A server has expired and is suspended soon.',
    notifications: [
      {
        kind: 'renewOverdue',
        to: owner,
        data: (payload) => ({
          ...about(payload),
          cost: payload.cost,
          expires: iso(payload.expiresMs),
          suspends: iso(payload.suspendsMs),
        }),
        key: ({ serverId, reminderKey }) => `renewOverdue:${serverId}:${reminderKey}`,
      },
    ],
    mails: [
      {
        template: 'renewOverdue',
        to: owner,
        data: (payload) => ({
          server: payload.name,
          credits: payload.cost,
          when: { at: payload.expiresMs },
          until: { at: payload.suspendsMs },
          path: renewPath(payload),
        }),
        key: (payload) => `${payload.serverId}:${payload.reminderKey}`,
        untilMs: ({ suspendsMs }) => suspendsMs,
      },
    ],
  }),
  /** A server is suspended because its period is over, and is deleted at `deletesMs` (UTC); once a period. */
  'server.expired': declareEvent({
    version: 1,
    payload: z.object({ ...server, cost: z.number(), expiresMs: z.number(), deletesMs: z.number() }),
    outside: ['userId', 'serverId', 'deletesMs'],
    description: 'A server was suspended because it expired.',
    notifications: [
      {
        kind: 'serverSuspended',
        to: owner,
        data: (payload) => ({ ...about(payload), cost: payload.cost, deletes: iso(payload.deletesMs) }),
        key: ({ serverId, expiresMs }) => `serverSuspended:${serverId}:suspended:${expiresMs}`,
      },
    ],
    mails: [
      {
        template: 'serverSuspended',
        to: owner,
        data: (payload) => ({ server: payload.name, when: { at: payload.deletesMs }, path: renewPath(payload) }),
        key: ({ serverId, expiresMs }) => `${serverId}:suspended:${expiresMs}`,
        untilMs: ({ deletesMs }) => deletesMs,
      },
    ],
  }),
  /** A server that is suspended because it expired is deleted soon, at `deletesMs` (UTC). */
  'server.deletion_near': declareEvent({
    version: 1,
    payload: z.object({ ...server, cost: z.number(), expiresMs: z.number(), deletesMs: z.number() }),
    outside: ['userId', 'serverId', 'deletesMs'],
    description: 'A server that expired is deleted soon.',
    notifications: [
      {
        kind: 'serverDeleteWarning',
        to: owner,
        data: (payload) => ({ ...about(payload), cost: payload.cost, deletes: iso(payload.deletesMs) }),
        key: ({ serverId, expiresMs, deletesMs }) =>
          `serverDeleteWarning:${serverId}:deleteWarning:${expiresMs}:${deletesMs}`,
      },
    ],
    mails: [
      {
        template: 'serverDeleteWarning',
        to: owner,
        data: (payload) => ({ server: payload.name, when: { at: payload.deletesMs }, path: renewPath(payload) }),
        key: ({ serverId, expiresMs, deletesMs }) => `${serverId}:deleteWarning:${expiresMs}:${deletesMs}`,
        untilMs: ({ deletesMs }) => deletesMs,
      },
    ],
  }),
  /** Staff suspended a server, or gave another reason for it. */
  'server.suspended_by_staff': declareEvent({
    version: 1,
    payload: z.object({
      ...server,
      /** What the owner reads. */
      reason: z.string(),
      /** What we wanted of the server until then has this number. */
      revision: z.number(),
      /** UTC ms. */
      atMs: z.number(),
    }),
    outside: ['userId', 'serverId'],
    description: 'Staff suspended a server.',
    notifications: [
      {
        kind: 'serverHalted',
        to: owner,
        data: (payload) => ({ ...about(payload), reason: payload.reason }),
        key: ({ serverId, revision, atMs }) => `serverHalted:${serverId}:${revision}:${atMs}`,
      },
    ],
  }),
  /** A server that was suspended is its owner's to use again; `revision`: of what we want of it now. */
  'server.resumed': declareEvent({
    version: 1,
    payload: z.object({ ...server, revision: z.number() }),
    outside: ['userId', 'serverId'],
    description: 'A suspended server runs again.',
    notifications: [
      {
        kind: 'serverResumed',
        to: owner,
        data: about,
        key: ({ serverId, revision }) => `serverResumed:${serverId}:${revision}`,
      },
    ],
  }),
  /** The owner of a server lets somebody work on it. `userId`: the owner. */
  'server.subuser_added': declareEvent({
    version: 1,
    payload: z.object({
      ...server,
      subuserId: z.string(),
      /** Username of the owner. */
      owner: z.string(),
      rights: z.array(z.enum(SUBUSER_RIGHTS)),
      /** UTC ms. */
      addedMs: z.number(),
    }),
    outside: ['userId', 'serverId', 'subuserId'],
    description: 'The owner of a server let another user work on it.',
    notifications: [
      {
        kind: 'subuserAdded',
        to: ({ subuserId }) => subuserId,
        data: (payload) => ({ ...about(payload), name: payload.owner }),
        key: ({ serverId, subuserId, addedMs }) => `subuserAdded:${serverId}:${subuserId}:${addedMs}`,
      },
    ],
    audit: {
      action: 'servers.subuser_add',
      target: ({ serverId }) => serverId,
      after: ({ subuserId, rights }) => ({ subuser: subuserId, rights }),
    },
  }),
  /** Somebody does not work on a server of somebody else any more. `userId`: the owner. */
  'server.subuser_removed': declareEvent({
    version: 1,
    payload: z.object({
      ...server,
      subuserId: z.string(),
      /** Usernames. */
      owner: z.string(),
      subuser: z.string(),
      /** The owner took it back, the other one left, or was banned. */
      reason: z.enum(['removed', 'left', 'banned']),
      /** UTC ms. */
      removedMs: z.number(),
    }),
    outside: ['userId', 'serverId', 'subuserId', 'reason'],
    description: 'Another user does not work on a server any more: removed by its owner, left, or banned.',
    notifications: [
      {
        kind: 'subuserRemoved',
        when: ({ reason }) => reason === 'removed',
        to: ({ subuserId }) => subuserId,
        data: (payload) => ({ ...about(payload), name: payload.owner }),
        key: ({ serverId, subuserId, removedMs }) => `subuserRemoved:${serverId}:${subuserId}:${removedMs}`,
      },
      {
        kind: 'subuserLeft',
        when: ({ reason }) => reason === 'left',
        to: owner,
        data: (payload) => ({ ...about(payload), name: payload.subuser }),
        key: ({ serverId, subuserId, removedMs }) => `subuserLeft:${serverId}:${subuserId}:${removedMs}`,
      },
    ],
    audit: {
      action: 'servers.subuser_remove',
      target: ({ serverId }) => serverId,
      before: ({ subuserId, reason }) => ({ subuser: subuserId, reason }),
    },
  }),
  /** Nothing is left of a server in its panel. */
  'server.deleted': declareEvent({
    version: 1,
    payload: z.object({
      ...server,
      /** Whether it was deleted because it had expired. */
      expired: z.boolean(),
    }),
    outside: ['userId', 'serverId', 'expired'],
    description: 'A server was deleted.',
    notifications: [
      {
        kind: 'serverDeleted',
        to: owner,
        data: about,
        key: ({ serverId }) => `serverDeleted:${serverId}:gone`,
      },
    ],
    mails: [
      {
        template: 'serverDeleted',
        when: ({ expired }) => expired,
        to: owner,
        data: ({ name }) => ({ server: name, path: href('server.create') }),
        key: ({ serverId }) => `serverDeleted:${serverId}`,
      },
    ],
  }),
};
