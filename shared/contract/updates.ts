import * as z from 'zod/mini';
import { UPDATE_OUTCOMES } from '../updates.ts';
import { group } from './endpoint.ts';

const release = z.object({
  version: z.string(),
  /** The day it was made (ISO). */
  date: z.string(),
  /** Address of what is new in it. */
  notes: z.string(),
  /** It closes a hole. */
  security: z.boolean(),
});
const updates = z.object({
  /** The version that runs. */
  version: z.string(),
  /** Whether the operator turned on that somebody is asked. */
  enabled: z.boolean(),
  /** Whether that is possible: an address and a key are set as well. */
  configured: z.boolean(),
  /** When the feed was last asked for (ISO), and what that came to; null: never. */
  checked_at: z.nullable(z.string()),
  outcome: z.nullable(z.enum(UPDATE_OUTCOMES)),
  /** The newest release that is newer than what runs; null: none is known. */
  newest: z.nullable(release),
  /** How many releases are newer. */
  behind: z.int(),
  /** One of them closes a hole. */
  security: z.boolean(),
});

/** News of releases, from a signed feed of the operator's choice (attacks T55). */
export const adminUpdates = group({
  get: {
    method: 'GET',
    path: '/api/admin/updates',
    summary: 'Get the state of updates',
    access: 'admin.dashboard.components.system.updates',
    errors: [],
    response: updates,
  },
  check: {
    method: 'POST',
    path: '/api/admin/updates/check',
    summary: 'Check for updates',
    access: 'admin.dashboard.components.system.updates',
    limit: 'check',
    errors: ['FEATURE_DISABLED'],
    response: updates,
  },
  repository: {
    method: 'GET',
    path: '/api/admin/updates/repository',
    summary: 'Get the product’s repository',
    description: 'And its newest releases.',
    access: 'admin.dashboard.components.githubrepo.view',
    errors: [],
    response: z.object({
      version: z.string(),
      /** Address of the project; null: no feed was read. */
      repository: z.nullable(z.string()),
      releases: z.array(release),
    }),
  },
});
