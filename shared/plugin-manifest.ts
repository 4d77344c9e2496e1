import * as z from 'zod/mini';
import { LOCALES } from './i18n/locales.ts';
import { PLUGIN_READS, type REQUEST_KINDS } from './plugins.ts';

/** Paths of files in a package: nothing that a system may read otherwise. */
export const PLUGIN_PATH = /^(?!.*\.\.)[\w][\w.-]{0,79}(?:\/[\w][\w.-]{0,79}){0,4}$/;
/** Bytes of a package. */
export const PLUGIN_FILE_MAX = 4_000_000;
/** Names of plugins, as they stand in addresses. */
export const PLUGIN_IDENTIFIER = /^[a-z][a-z0-9-]{2,39}$/;

/** Text without controls, which no database keeps and no page shows. */
const text = (max: number) => z.string().check(z.minLength(1), z.maxLength(max), z.regex(/^\P{Cc}*$/u));
const lines = (max: number) => z.string().check(z.maxLength(max), z.regex(/^(?:\P{Cc}|[\n\t])*$/u));
const words = z.partialRecord(z.enum(LOCALES), z.record(text(120), lines(2000)));
const field = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('text'),
    default: lines(2000),
    max: z.int().check(z.gte(1), z.lte(20_000)),
    lines: z.optional(z.literal(true)),
  }),
  z.strictObject({
    type: z.literal('secret'),
    max: z.int().check(z.gte(1), z.lte(2000)),
    sentTo: z.optional(z.array(text(60)).check(z.maxLength(10))),
  }),
  z.strictObject({ type: z.literal('number'), default: z.int(), min: z.int(), max: z.int() }),
  z.strictObject({
    type: z.literal('choice'),
    default: text(60),
    choices: z.array(text(60)).check(z.minLength(1), z.maxLength(50)),
  }),
  z.strictObject({ type: z.literal('switch'), default: z.boolean() }),
]);
/** Hosts are names, without scheme, port or pattern. */
const host = z
  .string()
  .check(z.regex(/^(?=.{4,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/));
const version = z.string().check(z.regex(/^\d{1,4}\.\d{1,4}\.\d{1,4}$/));
const path = z.string().check(z.regex(PLUGIN_PATH));

const permissions = z.strictObject({
  /** Domain events that it hears, by name or by group (`user.*`). */
  events: z.optional(z.array(text(60)).check(z.minLength(1), z.maxLength(100))),
  /** Users by id: name, language, when they came; servers by id: name, owner, state. */
  reads: z.optional(z.array(z.enum(PLUGIN_READS)).check(z.minLength(1), z.maxLength(2))),
  /** Answers at `/api/plugin/<identifier>/<name>`. */
  endpoints: z.optional(z.literal(true)),
  /** Host names that it may connect to, by HTTPS. */
  hosts: z.optional(z.array(host).check(z.minLength(1), z.maxLength(20))),
  storage: z.optional(z.literal(true)),
  /** E-mails to users, in the host's layout. */
  mail: z.optional(z.literal(true)),
  notifications: z.optional(z.literal(true)),
  /** Credits that it may pay in a day. */
  credits: z.optional(z.int().check(z.gte(1), z.lte(100_000_000))),
});
/** What a plugin asks for, or was granted; what is absent it may not. */
export type PluginPermissions = z.infer<typeof permissions>;

/** `plugin.json` of a package. What it does not know is refused: a permission that is misspelt is none. */
export const pluginManifestSchema = z.strictObject({
  identifier: z.string().check(z.regex(PLUGIN_IDENTIFIER)),
  version,
  /** The oldest version of the product that it runs on. */
  needs: version,
  name: text(60),
  text: text(300),
  author: z.optional(text(60)),
  permissions,
  /** Hooks that run by the clock, and every how many minutes each does. */
  tasks: z.optional(
    z
      .record(z.string().check(z.regex(/^[a-z][a-z0-9-]{0,39}$/)), z.int().check(z.gte(1), z.lte(10_080)))
      .check(z.refine((tasks) => Object.keys(tasks).length <= 10)),
  ),
  settings: z.optional(
    z
      .record(z.string().check(z.regex(/^[a-z][a-z0-9_]{0,39}$/)), field)
      .check(z.refine((fields) => Object.keys(fields).length <= 50)),
  ),
  /** Modules, by their paths in the package. */
  server: z.optional(path),
  client: z.optional(path),
  /**
   * Words by language and key, English for what a language lacks: `name`, `text`, `settings.<key>.label` and `.hint`,
   * `settings.<key>.choices.<value>`.
   */
  texts: z.optional(words),
});
export type PluginManifest = z.infer<typeof pluginManifestSchema>;

/**
 * One thing that a plugin asks for. `client`: it runs in everybody's browser. `value`: the event, host or area;
 * `credits`: so many a day.
 */
export interface PluginRequest {
  readonly kind: (typeof REQUEST_KINDS)[number];
  readonly value?: string;
  readonly credits?: number;
}

/** Everything that a manifest asks for, one by one. */
export function requestsOf({ permissions: asked, client }: PluginManifest): PluginRequest[] {
  const many = (['events', 'reads', 'hosts'] as const).flatMap((kind) =>
    (asked[kind] ?? []).map((value) => ({ kind, value })),
  );
  const flags = (['endpoints', 'storage', 'mail', 'notifications'] as const).flatMap((kind) =>
    asked[kind] ? [{ kind }] : [],
  );
  return [
    ...(asked.credits === undefined ? [] : [{ kind: 'credits' as const, credits: asked.credits }]),
    ...(client === undefined ? [] : [{ kind: 'client' as const }]),
    ...many,
    ...flags,
  ];
}

/** What a version asks for that another did not: an update asks for it again. Empty: nothing more. */
export function addedRequests(before: PluginManifest, after: PluginManifest): PluginRequest[] {
  const had = requestsOf(before);
  return requestsOf(after).filter(
    ({ kind, value, credits = 0 }) =>
      !had.some((each) => each.kind === kind && each.value === value && (each.credits ?? 0) >= credits),
  );
}
