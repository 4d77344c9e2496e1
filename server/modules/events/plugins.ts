import * as z from 'zod/mini';
import { declareEvent } from './declare.ts';

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
};
