import * as z from 'zod/mini';
import { isoTime, text } from '../schemas/primitives.ts';
import { group } from './endpoint.ts';

const value = z.union([z.string(), z.number(), z.boolean()]);
const identifier = text(1, 60);
const one = z.object({ identifier });
const plugin = z.object({
  identifier: z.string(),
  version: z.string(),
  on: z.boolean(),
  /** Whether it has settings. */
  configurable: z.boolean(),
  /** Address of the page that it is used on; null: none. */
  page: z.nullable(z.string()),
});
export type PluginSummary = z.infer<typeof plugin>;

const field = z.object({
  key: z.string(),
  type: z.enum(['text', 'secret', 'number', 'choice', 'switch']),
  /** Of a text: characters; of a number: the greatest. */
  max: z.optional(z.int()),
  min: z.optional(z.int()),
  lines: z.boolean(),
  choices: z.optional(z.array(z.string())),
});
export type PluginFieldView = z.infer<typeof field>;

/** Plugins for staff (behaviour 8.8). */
export const adminPlugins = group({
  list: {
    summary: 'List plugins',
    method: 'GET',
    path: '/api/admin/plugins',
    access: 'admin.plugins.list',
    errors: [],
    response: z.object({ rows: z.array(plugin) }),
  },
  get: {
    summary: 'Get a plugin and its settings',
    method: 'GET',
    path: '/api/admin/plugins/:identifier',
    params: one,
    access: 'admin.plugins.edit',
    errors: ['NOT_FOUND'],
    response: z.object({
      plugin,
      fields: z.array(field),
      /** Values of all fields but secrets. */
      values: z.record(z.string(), value),
      /** Of each secret whether there is one. */
      secrets: z.record(z.string(), z.boolean()),
      revision: z.int(),
    }),
  },
  setOn: {
    summary: 'Turn a plugin on or off',
    method: 'PUT',
    path: '/api/admin/plugins/:identifier/on',
    params: one,
    body: z.strictObject({ on: z.boolean() }),
    access: 'admin.plugins.edit',
    errors: ['NOT_FOUND'],
  },
  configure: {
    summary: 'Change settings of a plugin',
    method: 'PATCH',
    path: '/api/admin/plugins/:identifier',
    params: one,
    body: z.strictObject({
      /** The fields that change; '' removes a secret. */
      values: z.record(text(1, 60), z.union([text(0, 20_000), z.number(), z.boolean()])),
      revision: z.int(),
    }),
    access: 'admin.plugins.edit',
    idempotent: true,
    errors: ['NOT_FOUND', 'VALIDATION_FAILED', 'CONFLICT'],
    response: z.object({ revision: z.int() }),
  },
});

const state = z.enum(['up', 'partial', 'down']);

/** The built-in plugin that tells everybody how the host is; NOT_FOUND where it is off. */
export const statusPage = group({
  get: {
    summary: 'Get the status of the installation',
    method: 'GET',
    path: '/api/status',
    access: 'open',
    errors: ['NOT_FOUND'],
    response: z.object({
      state,
      note: z.string(),
      at: isoTime,
      /** Null: staff do not show them. */
      panels: z.nullable(
        z.array(
          z.object({
            /** '': the built-in one. */
            name: z.string(),
            state,
            /** The worst of each of the last 24 hours, the oldest first; null where nothing was written down. */
            hours: z.array(z.nullable(state)),
          }),
        ),
      ),
      /** When the product did not run in the last 30 days, the latest first. */
      downtimes: z.array(z.object({ from: isoTime, until: isoTime })),
      /** Share of the last 30 days in which it ran, 0 to 1. */
      uptime: z.number(),
    }),
  },
});
export type StatusView = z.infer<typeof statusPage.get.response>;
