import * as z from 'zod/mini';
import { ORDER_STATES, PROVIDERS } from '../schemas/payment.ts';
import { QUEUE_STATES, SERVER_STATES } from '../schemas/server.ts';
import { line } from '../schemas/primitives.ts';
import { group } from './endpoint.ts';

/**
 * Staff find what they know something of. Each list has the best few matches, and is empty without the permission for
 * its area.
 */
export const adminSearch = group({
  find: {
    method: 'GET',
    path: '/api/admin/search',
    summary: 'Search the admin area',
    access: 'admin.dashboard.view',
    query: z.object({ q: line(2, 100) }),
    fresh: true,
    // Codes stand beside what was typed.
    secret: true,
    errors: [],
    response: z.object({
      users: z.array(
        z.object({ id: z.string(), username: z.string(), email: z.string(), status: z.enum(['active', 'banned']) }),
      ),
      servers: z.array(
        z.object({
          id: z.string(),
          name: z.string(),
          state: z.enum(SERVER_STATES),
          address: z.nullable(z.string()),
          owner: z.string(),
        }),
      ),
      orders: z.array(
        z.object({
          id: z.string(),
          /** Its code, or what was bought. */
          label: z.nullable(z.string()),
          username: z.nullable(z.string()),
          provider: z.enum(PROVIDERS),
          state: z.enum(ORDER_STATES),
          /** Minor units. */
          amount: z.int(),
          currency: z.string(),
        }),
      ),
      codes: z.array(z.object({ id: z.string(), code: z.string(), credits: z.int() })),
      queue: z.array(
        z.object({ id: z.string(), server: z.string(), username: z.string(), state: z.enum(QUEUE_STATES) }),
      ),
    }),
  },
});
