import * as z from 'zod/mini';
import { ATTENTION_KEYS, SNOOZE_HOURS } from '../attention.ts';
import { text } from '../schemas/primitives.ts';
import { group } from './endpoint.ts';

/** Name of one item: its key, and what it is about where a key has several (`panelOutages:<panel>/<node>`). */
const item = text(1, 200);

/** What needs a person, as far as the caller may see it. */
export const adminAttention = group({
  list: {
    method: 'GET',
    path: '/api/admin/attention',
    summary: 'List what needs a person',
    access: 'admin.dashboard.view',
    fresh: true,
    errors: [],
    response: z.object({
      /** When it was found out (ISO). */
      at: z.string(),
      items: z.array(
        z.object({
          id: item,
          key: z.enum(ATTENTION_KEYS),
          count: z.int(),
          /** Since when the oldest of them waits (ISO); null: it is not known. */
          since: z.nullable(z.string()),
          /** Values of its text. */
          data: z.record(z.string(), z.union([z.string(), z.number()])),
          /** The caller put it off until then (ISO), and no more came since; null: they did not. */
          snoozed_until: z.nullable(z.string()),
        }),
      ),
    }),
  },
  snooze: {
    method: 'PUT',
    path: '/api/admin/attention/snooze',
    summary: 'Put off what needs a person',
    description: 'For you alone. It comes back early when there is more of it.',
    access: 'admin.dashboard.view',
    body: z.strictObject({ item, hours: z.literal(SNOOZE_HOURS) }),
    errors: ['NOT_FOUND'],
  },
  unsnooze: {
    method: 'PUT',
    path: '/api/admin/attention/unsnooze',
    summary: 'Stop putting off what needs a person',
    access: 'admin.dashboard.view',
    body: z.strictObject({ item }),
    errors: [],
  },
});
