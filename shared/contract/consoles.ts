import * as z from 'zod/mini';
import { isoTime } from '../schemas/primitives.ts';
import { commandInput } from '../schemas/server.ts';
import { CONSOLE_KINDS } from '../server-codes.ts';
import { group } from './endpoint.ts';
import { serverParams } from './server-views.ts';

const consoleLine = z.object({
  /** Grows with each line; not by one. */
  seq: z.int(),
  at: isoTime,
  kind: z.enum(CONSOLE_KINDS),
  /** Of control characters only sequences of colours; of `state`: the state it came to. */
  text: z.string(),
});
export type ConsoleEventLine = z.infer<typeof consoleLine>;

/** Consoles of servers that run on this installation's node; those of other panels are in their panel. */
export const consoles = group({
  stream: {
    method: 'GET',
    path: '/api/servers/:id/console',
    summary: 'Stream a server’s console',
    description: 'The lines that are kept, or those behind the number `after`, and each new one.',
    params: serverParams,
    query: z.object({ after: z.optional(z.string().check(z.regex(/^\d{1,16}$/))) }),
    format: 'events',
    events: {
      lines: z.object({
        lines: z.array(consoleLine),
        /** Lines before the first of these are missing. */
        gap: z.boolean(),
      }),
      /** The panel does not answer; the next lines say that it does again. */
      away: z.object({}),
    },
    access: 'signed-in',
    asStaff: 'admin.servers.list',
    limit: 'stream',
    errors: [
      'NOT_FOUND',
      'FORBIDDEN',
      'RATE_LIMITED',
      'SERVER_SUSPENDED',
      'SERVER_NOT_READY',
      'NO_GAME_PROCESS',
      'POWER_UNAVAILABLE',
      'VALIDATION_FAILED',
    ],
  },
  command: {
    method: 'POST',
    path: '/api/servers/:id/command',
    summary: 'Send a line to a server’s console',
    params: serverParams,
    body: commandInput,
    access: 'signed-in',
    asStaff: 'admin.servers.edit',
    limit: 'command',
    errors: [
      'NOT_FOUND',
      'FORBIDDEN',
      'SERVER_SUSPENDED',
      'SERVER_NOT_READY',
      'SERVER_BUSY',
      'SERVER_OFF',
      'NO_GAME_PROCESS',
      'POWER_UNAVAILABLE',
      'PANEL_UNREACHABLE',
    ],
  },
});
