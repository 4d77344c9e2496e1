import * as z from 'zod/mini';
import { isoTime } from '../schemas/primitives.ts';
import { settingChangesInput, settingsInput, settingTextInput } from '../schemas/setting.ts';
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
const difference = z.object({ key: z.string(), before: value, after: value });
export type SettingDifference = z.infer<typeof difference>;

/** Settings of the installation for staff (behaviour 8.4). */
export const adminSettings = group({
  /** Every setting of the registry, and the variables of the environment that settings do not reach. */
  list: {
    method: 'GET',
    path: '/api/admin/settings',
    access: 'admin.settings.view',
    errors: [],
    response: z.object({ rows: z.array(row), environment: z.array(variable) }),
  },
  /** What a change would do; refused as the change itself. Of secrets only whether there is one. */
  review: {
    method: 'POST',
    path: '/api/admin/settings/review',
    body: settingChangesInput,
    access: 'admin.settings.edit',
    errors: ['VALIDATION_FAILED'],
    response: z.object({ differences: z.array(difference) }),
  },
  /** Saves changes, all or nothing. `fields` of a refusal has a code for each key. */
  save: {
    method: 'PATCH',
    path: '/api/admin/settings',
    body: settingsInput,
    access: 'admin.settings.edit',
    idempotent: true,
    errors: ['VALIDATION_FAILED'],
    response: z.object({ changed: z.int() }),
  },
  /** Markdown as the pages show it, for the preview of a text that is being written. */
  preview: {
    method: 'POST',
    path: '/api/admin/settings/preview',
    body: settingTextInput,
    access: 'admin.settings.edit',
    errors: ['VALIDATION_FAILED'],
    response: z.object({ html: z.string() }),
  },
});
