import * as z from 'zod/mini';
import { isoTime } from '../schemas/primitives.ts';
import { group } from './endpoint.ts';

/** The export of one's data (behaviour 3.8): one archive of JSON and CSV. */
export const accountExport = group({
  get: {
    method: 'GET',
    path: '/api/account/export',
    summary: 'Get the state of your data export',
    access: 'signed-in',
    errors: [],
    response: z.object({
      export: z.nullable(
        z.object({
          state: z.enum(['working', 'ready', 'failed']),
          requested_at: isoTime,
          expires_at: z.nullable(isoTime),
          /** Bytes. */
          size: z.nullable(z.int()),
        }),
      ),
    }),
  },
  request: {
    method: 'POST',
    path: '/api/account/export',
    summary: 'Request an export of your data',
    access: 'signed-in',
    limit: 'create',
    errors: [],
  },
  download: {
    method: 'GET',
    path: '/api/account/export.zip',
    summary: 'Download the export of your data',
    format: 'file',
    access: 'signed-in',
    errors: ['NOT_FOUND'],
  },
});
