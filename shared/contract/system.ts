import * as z from 'zod/mini';
import { FLAGS } from '../flags.ts';
import { LOCALES } from '../i18n/locales.ts';
import { group } from './endpoint.ts';

/** Public settings, feature flags and debug facts (specification, section 3). */
export const system = group({
  settings: {
    method: 'GET',
    path: '/api/system/settings',
    access: 'open',
    errors: [],
    response: z.object({
      settings: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
      flags: z.record(z.enum(FLAGS), z.boolean()),
      locales: z.array(z.enum(LOCALES)),
      /** Changes with every build: a page of an older build reloads once. */
      build: z.string(),
    }),
  },
});
