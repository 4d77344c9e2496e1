import * as z from 'zod/mini';
import { href } from '#shared/routes/href.ts';
import { declareEvent, type StaffGroup } from './declare.ts';

/** Those who look after plugins. */
export const PLUGIN_STAFF: StaffGroup = { permissions: ['admin.root', 'admin.plugins.edit'], limit: 100 };

/** What happens to plugins, and what they do. */
export const PLUGIN_EVENTS = {
  /** Staff turned a plugin on or off. */
  'plugin.switched': declareEvent({
    version: 1,
    payload: z.object({ identifier: z.string(), isOn: z.boolean() }),
    outside: ['identifier', 'isOn'],
    description: 'Staff turned a plugin on or off.',
    audit: {
      action: 'plugins.switch',
      target: ({ identifier }) => identifier,
      before: ({ identifier, isOn }) => ({ name: identifier, on: !isOn }),
      after: ({ identifier, isOn }) => ({ name: identifier, on: isOn }),
    },
  }),
  /** A plugin paid a user from its budget; `name`: who gave it, in words; `reference`: the ledger's. */
  'plugin.paid': declareEvent({
    version: 1,
    payload: z.object({
      identifier: z.string(),
      name: z.string(),
      userId: z.string(),
      amount: z.number(),
      reference: z.string(),
    }),
    outside: ['identifier', 'userId', 'amount'],
    description: 'A plugin paid a user from its budget.',
    notifications: [
      {
        kind: 'pluginPaid',
        to: ({ userId }) => userId,
        data: ({ name, amount }) => ({ name, cost: amount }),
        key: ({ reference }) => `pluginPaid:${reference}`,
      },
    ],
  }),
  /** A plugin was turned off by itself, at `atMs` (UTC). */
  'plugin.stopped': declareEvent({
    version: 1,
    payload: z.object({
      identifier: z.string(),
      name: z.string(),
      cause: z.enum(['faults', 'backlog']),
      atMs: z.number(),
    }),
    outside: ['identifier', 'cause'],
    description: 'A plugin was turned off because it kept failing.',
    notifications: [
      {
        kind: 'pluginStopped',
        to: PLUGIN_STAFF,
        data: ({ name, identifier }) => ({ name, plugin: identifier }),
        key: ({ identifier, atMs }) => `pluginStopped:${identifier}:${atMs}`,
      },
    ],
  }),
  /** A plugin has something to say to a user, in its own words; `key`: unique among what it says to them. */
  'plugin.notified': declareEvent({
    version: 1,
    payload: z.object({
      identifier: z.string(),
      name: z.string(),
      userId: z.string(),
      text: z.string(),
      key: z.string(),
    }),
    outside: [],
    notifications: [
      {
        kind: 'pluginMessage',
        to: ({ userId }) => userId,
        data: ({ name, text }) => ({ name, text }),
        key: ({ identifier, userId, key }) => `pluginMessage:${identifier}:${userId}:${key}`,
      },
    ],
  }),
  /** A plugin writes to a user, in its own words: an e-mail, and its subject as a notification. `key`: as above. */
  'plugin.mailed': declareEvent({
    version: 1,
    payload: z.object({
      identifier: z.string(),
      name: z.string(),
      userId: z.string(),
      subject: z.string(),
      text: z.string(),
      key: z.string(),
    }),
    outside: [],
    notifications: [
      {
        kind: 'pluginMail',
        to: ({ userId }) => userId,
        data: ({ name, subject }) => ({ name, text: subject }),
        key: ({ identifier, userId, key }) => `pluginMail:${identifier}:${userId}:${key}`,
      },
    ],
    mails: [
      {
        template: 'pluginMail',
        to: ({ userId }) => userId,
        data: ({ name, subject, text }) => ({ subject, text, plugin: name, path: href('dashboard') }),
        key: ({ identifier, userId, key }) => `pluginMail:${identifier}:${userId}:${key}`,
      },
    ],
  }),
};
