import * as z from 'zod/mini';
import { BOT_FAULTS, RULES_MAX } from '../discord-roles.ts';
import { PLUGIN_FILE_MAX } from '../plugin-manifest.ts';
import { PACKAGE_CHANGES, REQUEST_KINDS } from '../plugins.ts';
import { id, isoTime, text } from '../schemas/primitives.ts';
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
  /** Null: it comes with the product and runs in it. */
  installed: z.nullable(
    z.object({
      name: z.string(),
      text: z.string(),
      author: z.string(),
      signed: z.boolean(),
      /** How it does in the process that answers; null: it does not run there. */
      state: z.nullable(z.enum(['starting', 'running', 'waiting', 'off', 'stopped'])),
      /** How often it broke down in a row in that process; at the fifth time it is turned off. */
      faults: z.int(),
      /** Why it was turned off by itself; null: it was not. `text`: what it said last. */
      stopped: z.nullable(z.object({ cause: z.enum(['faults', 'backlog']), text: z.string(), at: isoTime })),
    }),
  ),
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

const kind = z.enum(REQUEST_KINDS);
/** One thing that a plugin asks for: `value` names the event, area or host; `credits`: so many a day. */
const request = z.object({ kind, value: z.nullable(z.string()), credits: z.nullable(z.int()) });

const review = z.object({
  id,
  identifier: z.string(),
  name: z.string(),
  text: z.string(),
  author: z.string(),
  version: z.string(),
  /** Bytes of the file. */
  size: z.int(),
  /** SHA-256 over everything in it. */
  digest: z.string(),
  /** By a key that was seen before, by a new one, not by the key of what is installed, or by nobody. */
  signature: z.enum(['known', 'new', 'other', 'none']),
  signer: z.nullable(z.string()),
  /** Since when the key is known. */
  known_since: z.nullable(isoTime),
  requests: z.array(z.object({ ...request.shape, new: z.boolean() })),
  /** The version that it would replace; null: it is not installed. */
  installed: z.nullable(z.string()),
  /** What installing it would be, by that version. */
  change: z.enum(PACKAGE_CHANGES),
  /** Credits a day that are granted to what is installed; null: none. */
  granted_credits: z.nullable(z.int()),
});
export type PluginReview = z.infer<typeof review>;

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
      /** Of an installed one: its words in the caller’s language, what it may do, and what it wrote last. */
      details: z.nullable(
        z.object({
          words: z.record(z.string(), z.string()),
          granted: z.array(request),
          granted_at: isoTime,
          /** Username; null: not known. */
          granted_by: z.nullable(z.string()),
          installed_at: isoTime,
          signer: z.nullable(z.string()),
          lines: z.array(z.object({ at: isoTime, text: z.string() })),
        }),
      ),
    }),
  },
  remove: {
    summary: 'Remove an installed plugin',
    description: 'With its settings and everything that it keeps.',
    method: 'DELETE',
    path: '/api/admin/plugins/:identifier',
    params: one,
    access: 'admin.plugins.edit',
    errors: ['NOT_FOUND'],
  },
  upload: {
    summary: 'Upload a plugin',
    description: 'A package (ZIP), to look at before it is installed. Nothing of it runs. It waits for a day.',
    method: 'POST',
    path: '/api/admin/plugin-uploads',
    upload: { type: 'application/zip', max: PLUGIN_FILE_MAX },
    ceiling: 'image',
    access: 'admin.plugins.edit',
    limit: 'upload',
    errors: ['VALIDATION_FAILED', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
    response: z.object({ id }),
  },
  review: {
    summary: 'Get what an uploaded plugin asks for',
    method: 'GET',
    path: '/api/admin/plugin-uploads/:id',
    params: z.object({ id }),
    access: 'admin.plugins.edit',
    errors: ['NOT_FOUND'],
    response: z.object({ review }),
  },
  install: {
    summary: 'Install an uploaded plugin',
    description:
      'A new one is turned on; an update stays as it was. What runs in browsers is granted by owners alone (`PERMISSION_NOT_HELD`), many credits a day as well (`APPROVAL_REQUIRED`).',
    method: 'POST',
    path: '/api/admin/plugin-uploads/:id/install',
    params: z.object({ id }),
    body: z.strictObject({
      /** Everything else is not granted. */
      granted: z.array(kind).check(z.maxLength(20)),
      /** Credits a day; null: as many as it asks for, of what is installed no more than it was granted. */
      credits: z.nullable(z.int().check(z.gte(1), z.lte(100_000_000))),
      /** It is installed although nobody signed it, or somebody else than before. */
      unsigned: z.boolean(),
    }),
    access: 'admin.plugins.edit',
    limit: 'create',
    idempotent: true,
    errors: ['NOT_FOUND', 'VALIDATION_FAILED', 'PERMISSION_NOT_HELD', 'APPROVAL_REQUIRED'],
    response: z.object({ identifier: z.string() }),
  },
  discard: {
    summary: 'Discard an uploaded plugin',
    method: 'DELETE',
    path: '/api/admin/plugin-uploads/:id',
    params: z.object({ id }),
    access: 'admin.plugins.edit',
    errors: [],
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

const source = z.string().check(z.regex(/^(?:linked|server|role:[\w-]{1,60})$/));
const snowflake = z.string().check(z.regex(/^\d{15,20}$/));
const rule = { source, role_id: snowflake };

const discordServer = z.object({
  id: z.string(),
  /** '' until it was read. */
  name: z.string(),
  /** The roles of the server that a bot could give, the highest first; `above`: this bot cannot. */
  roles: z.array(z.object({ id: z.string(), name: z.string(), above: z.boolean() })),
  /** Why the bot cannot do its work; null: it can, or nobody asked yet. */
  fault: z.nullable(z.enum(BOT_FAULTS)),
  fault_since: z.nullable(isoTime),
  /** When Discord was asked last; null: never. */
  checked_at: z.nullable(isoTime),
  rules: z.array(z.object(rule)),
  revision: z.int(),
});

/** Roles in the host's Discord server: part of the built-in plugin `discord`. */
export const adminDiscordRoles = group({
  get: {
    summary: 'Get the roles given in Discord',
    method: 'GET',
    path: '/api/admin/discord-roles',
    access: 'admin.plugins.edit',
    errors: [],
    response: z.object({
      /** Null: no server or no bot is set. */
      server: z.nullable(discordServer),
      /** Roles of the installation, the highest first. */
      own_roles: z.array(z.object({ id: z.string(), name: z.string() })),
      /** Linked users with a rule that fits: done, not in the server, or refused a role by Discord. */
      counts: z.object({ done: z.int(), absent: z.int(), refused: z.int() }),
      /** Usernames of some whom a role was refused to. */
      refused: z.array(z.string()),
    }),
  },
  save: {
    summary: 'Set which Discord role stands for what',
    description: 'What is not named stands for nothing.',
    method: 'PUT',
    path: '/api/admin/discord-roles',
    body: z.strictObject({ rules: z.array(z.strictObject(rule)).check(z.maxLength(RULES_MAX)), revision: z.int() }),
    access: 'admin.plugins.edit',
    idempotent: true,
    errors: ['VALIDATION_FAILED', 'CONFLICT'],
    response: z.object({ revision: z.int() }),
  },
  check: {
    summary: 'Check the Discord bot',
    description: 'Asks Discord whether the bot can do its work, and reads the roles of the server.',
    method: 'POST',
    path: '/api/admin/discord-roles/check',
    access: 'admin.plugins.edit',
    limit: 'check',
    errors: [],
  },
});
export type DiscordServerView = z.infer<typeof discordServer>;

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

const hook = z.object({ identifier: text(3, 40), name: z.string().check(z.regex(/^[a-z0-9][a-z0-9-]{0,59}$/)) });
const hookAnswer = z.object({
  /** What the plugin answers, as JSON; '' where it says nothing. */
  answer: z.string(),
});
const HOOK_ERRORS = ['NOT_FOUND', 'PLUGIN_FAILED', 'VALIDATION_FAILED'] as const;

/** Endpoints of installed plugins. What they take and answer, the plugin says. */
export const pluginEndpoints = group({
  get: {
    summary: 'Read from a plugin’s endpoint',
    description: 'The plugin decides what it takes and answers, and is given the caller’s id.',
    method: 'GET',
    path: '/api/plugin/:identifier/:name',
    params: hook,
    query: z.object({ q: z.optional(text(0, 500)) }),
    access: 'open',
    limit: 'guestRead',
    errors: HOOK_ERRORS,
    response: hookAnswer,
  },
  post: {
    summary: 'Send to a plugin’s endpoint',
    description: 'The plugin decides what it takes and answers, and is given the caller’s id.',
    method: 'POST',
    path: '/api/plugin/:identifier/:name',
    params: hook,
    body: z.strictObject({ input: text(0, 60_000) }),
    access: 'open',
    limit: 'guestRead',
    errors: HOOK_ERRORS,
    response: hookAnswer,
  },
});
