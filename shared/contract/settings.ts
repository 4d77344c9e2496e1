import * as z from 'zod/mini';
import { PAST_CURSOR } from '../past-cursor.ts';
import { id, isoTime, text } from '../schemas/primitives.ts';
import { settingChangesInput, settingsInput, settingTextInput, settingUndoInput } from '../schemas/setting.ts';
import { SETTING_EFFECTS } from '../setting-effects.ts';
import { SERVICE_OUTCOMES, TESTED_SERVICE_NAMES } from '../service-tests.ts';
import { group } from './endpoint.ts';

const value = z.union([z.string(), z.number(), z.boolean()]);
const row = z.object({
  key: z.string(),
  /** Of a secret always ''. */
  value,
  /** Of a secret whether there is one; of others whether they are stored. */
  is_set: z.boolean(),
  /** A secret is stored that the installation's key does not open. */
  is_unreadable: z.boolean(),
  /** How often it was stored; 0: never. Sent back with a change. */
  revision: z.int(),
  changed_at: z.nullable(isoTime),
  /** The variable of the environment that holds in the place of what is stored. */
  overridden_by: z.nullable(z.string()),
});
const variable = z.object({
  name: z.string(),
  /** The group of settings that it stands beside. */
  group: z.string(),
  /** Null for what is not set, and for secrets. */
  value: z.nullable(z.string()),
  is_set: z.boolean(),
});
export type EnvironmentVariable = z.infer<typeof variable>;
/** How many a change affects at once: users, servers or what is open. Counted up to a limit. */
const affected = z.object({ who: z.enum(SETTING_EFFECTS), count: z.int(), more: z.boolean() });
const difference = z.object({ key: z.string(), before: value, after: value, affected: z.nullable(affected) });
export type SettingDifference = z.infer<typeof difference>;
/** How the caller's own request is read: from which address, at which origin, and whether pages are refused there. */
const reading = z.object({ address: z.string(), origin: z.string(), blocked: z.boolean() });
/** How it is read now and with the changes. */
const reach = z.object({ now: reading, after: reading });
export type SettingReach = z.infer<typeof reach>;

/** A value of the past. Of a long text `chars` says how long it is; `value` is '' for it in a list of changes. */
const past = z.object({ value, chars: z.nullable(z.int()) });
export type PastValue = z.infer<typeof past>;
const entry = z.object({
  id,
  at: isoTime,
  key: z.string(),
  /** Who changed it; null: the command line, or somebody whose account is gone. */
  actor: z.nullable(z.string()),
  before: past,
  after: past,
  /** Whether the caller may restore what was before. */
  can_undo: z.boolean(),
});
export type SettingHistoryEntry = z.infer<typeof entry>;

/** Settings of the installation for staff (behaviour 8.4). */
export const adminSettings = group({
  list: {
    method: 'GET',
    path: '/api/admin/settings',
    summary: 'List settings',
    description: 'And the environment variables that hold in their place.',
    access: 'admin.settings.view',
    errors: [],
    response: z.object({ rows: z.array(row), environment: z.array(variable) }),
  },
  review: {
    method: 'POST',
    path: '/api/admin/settings/review',
    summary: 'Review changes of settings',
    description: 'Says what would change and whom it affects. Changes nothing.',
    body: settingChangesInput,
    access: 'admin.settings.edit',
    errors: ['VALIDATION_FAILED'],
    response: z.object({
      differences: z.array(difference),
      /** Where the address or the trusted proxies change; null also where a process of its own serves the pages. */
      reach: z.nullable(reach),
    }),
  },
  save: {
    method: 'PATCH',
    path: '/api/admin/settings',
    summary: 'Change settings',
    description: 'All or nothing. `fields` of a refusal has a code for each key.',
    body: settingsInput,
    access: 'admin.settings.edit',
    idempotent: true,
    errors: ['VALIDATION_FAILED'],
    response: z.object({ changed: z.int() }),
  },
  history: {
    method: 'GET',
    path: '/api/admin/settings/history',
    summary: 'List changes of settings',
    description: 'Newest first; of one setting with `key`.',
    query: z.object({
      key: z.optional(text(0, 100)),
      before: z.optional(z.string().check(z.regex(PAST_CURSOR, 'INVALID'))),
    }),
    access: 'admin.settings.view',
    errors: [],
    response: z.object({ entries: z.array(entry), older: z.nullable(z.string()) }),
  },
  change: {
    method: 'GET',
    path: '/api/admin/settings/history/:id',
    summary: 'Get a change of a setting',
    description: 'The setting as it is now, and whom undoing affects. Long texts are there as a whole.',
    params: z.object({ id }),
    access: 'admin.settings.view',
    errors: ['NOT_FOUND'],
    response: z.object({ entry, current: past, revision: z.int(), affected: z.nullable(affected) }),
  },
  undo: {
    method: 'POST',
    path: '/api/admin/settings/history/:id/undo',
    summary: 'Undo a change of a setting',
    description: 'Checked like any other change.',
    params: z.object({ id }),
    body: settingUndoInput,
    access: 'admin.settings.edit',
    idempotent: true,
    errors: ['NOT_FOUND', 'VALIDATION_FAILED'],
    response: z.object({ changed: z.int() }),
  },
  export: {
    method: 'GET',
    path: '/api/admin/settings/export',
    summary: 'Export the settings',
    description: 'Without secrets.',
    access: 'admin.settings.view',
    format: 'file',
    errors: [],
  },
  test: {
    method: 'POST',
    path: '/api/admin/settings/test/:service',
    summary: 'Test a service',
    description: 'With what is stored.',
    params: z.object({ service: z.enum(TESTED_SERVICE_NAMES) }),
    access: 'admin.settings.edit',
    limit: 'create',
    errors: [],
    response: z.object({ outcome: z.enum(SERVICE_OUTCOMES), fact: z.nullable(z.string()) }),
  },
  preview: {
    method: 'POST',
    path: '/api/admin/settings/preview',
    summary: 'Preview a text of the settings',
    description: 'Markdown as pages show it.',
    body: settingTextInput,
    access: 'admin.settings.edit',
    errors: ['VALIDATION_FAILED'],
    response: z.object({ html: z.string() }),
  },
});
