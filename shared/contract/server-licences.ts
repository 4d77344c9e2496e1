import * as z from 'zod/mini';
import { id } from '../schemas/primitives.ts';
import { group } from './endpoint.ts';

/** Licences of games. A person accepts one: no token may, so they stand apart from what tokens do with servers. */
export const serverLicences = group({
  accept: {
    method: 'POST',
    path: '/api/servers/:id/licence',
    summary: 'Accept the licence of a server’s game',
    description: 'By its owner, before its first start. Who accepted it and when is kept.',
    params: z.object({ id }),
    access: 'signed-in',
    limit: 'power',
    errors: [
      'NOT_FOUND',
      'SERVER_SUSPENDED',
      'SERVER_NOT_READY',
      'SERVER_BUSY',
      'NO_GAME_PROCESS',
      'POWER_UNAVAILABLE',
      'PANEL_UNREACHABLE',
      'NO_LICENCE_NEEDED',
    ],
  },
});
