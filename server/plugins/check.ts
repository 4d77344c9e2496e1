import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { HOOK_GROUPS } from './protocol.ts';
import { PACKAGE_MAX } from './package.ts';
import { startSandbox, type SpawnSandbox } from './sandbox.ts';
import { isPluginEvent, manifestFault } from '#server/modules/plugins/index.ts';
import { pluginManifestSchema, type PluginManifest } from '#shared/plugin-manifest.ts';
import { wantsEvent } from '#shared/webhooks.ts';

/** What is wrong with a plugin: where, and what to do. */
interface Fault {
  /** A file, and the field or line in it: `plugin.json: permissions.events.0`. */
  readonly at: string;
  readonly text: string;
}
export interface Checked {
  /** Null where it cannot be read. */
  readonly manifest: PluginManifest | null;
  readonly faults: readonly Fault[];
}

const { localeError } = z.locales.en();
/** What a field wants, where a pattern says too little. */
const WANTED: Readonly<Record<string, string>> = {
  identifier: 'use 3 to 40 lower-case letters, digits and dashes, beginning with a letter',
  version: 'use three numbers, as in 1.0.0',
  needs: 'use the oldest version of Spawnpoint that it runs on, as in 0.1.0',
  'permissions.hosts': 'use a host name alone, without https://, port or *',
  server: 'use the path of a file in this folder, as in server.js',
  client: 'use the path of a file in this folder, as in client.js',
};

/**
 * Everything that is wrong with the plugin in a folder. Its server module is loaded in the sandbox, as the product
 * does, to see its hooks; no hook is called. In: the folder, the version of this product, and how a sandbox is
 * started.
 */
export async function checkFolder(dir: string, version: string, spawn: SpawnSandbox): Promise<Checked> {
  const read = readManifest(dir);
  if (!read.manifest) return read;
  const { manifest } = read;
  const faults = [
    ...productFaults(manifest, version),
    ...settingFaults(manifest),
    ...(await serverFaults(dir, manifest, spawn)),
    ...clientFaults(dir, manifest),
  ];
  return { manifest, faults };
}

function readManifest(dir: string): Checked {
  const fail = (text: string): Checked => ({ manifest: null, faults: [{ at: 'plugin.json', text }] });
  let text: string;
  try {
    text = readFileSync(join(dir, 'plugin.json'), 'utf8');
  } catch {
    return fail(`there is none in ${dir}; "spawnpoint plugin new DIR" makes one`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return fail(`is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  const parsed = pluginManifestSchema.safeParse(value, { error: localeError });
  if (parsed.success) return { manifest: parsed.data, faults: [] };
  const faults = parsed.error.issues.map(({ path, message }) => {
    const place = path.join('.');
    const wanted = WANTED[place.replace(/\.\d+$/, '')];
    return {
      at: `plugin.json${place && `: ${place}`}`,
      text: wanted === undefined ? message : `${message}; ${wanted}`,
    };
  });
  return { manifest: null, faults };
}

/** What the product refuses although the form is right. */
function productFaults(manifest: PluginManifest, version: string): Fault[] {
  const { events = [] } = manifest.permissions;
  const unknown = events.flatMap((name, index) =>
    isPluginEvent(name)
      ? []
      : [
          {
            at: `plugin.json: permissions.events.${index}`,
            text: `there is no event "${name}"; the page /mc-admin/webhooks lists all of them`,
          },
        ],
  );
  const refused = manifestFault({ ...manifest, permissions: {} }, version);
  if (refused === 'PLUGIN_TAKEN')
    unknown.push({
      at: 'plugin.json: identifier',
      text: `"${manifest.identifier}" is taken by the product; use another`,
    });
  if (refused === 'PLUGIN_NEWER')
    unknown.push({
      at: 'plugin.json: needs',
      text: `this is Spawnpoint ${version}, which is older than ${manifest.needs}`,
    });
  return unknown;
}

function settingFaults({ settings = {}, texts = {} }: PluginManifest): Fault[] {
  return Object.entries(settings).flatMap(([key, field]) => {
    const faults: Fault[] = [];
    const at = `plugin.json: settings.${key}`;
    if (texts.en?.[`settings.${key}.label`] === undefined)
      faults.push({
        at: 'plugin.json: texts.en',
        text: `add "settings.${key}.label", what staff read beside the field`,
      });
    if (field.type === 'text' && field.default.length > field.max)
      faults.push({ at, text: `its default is longer than ${field.max} characters` });
    if (field.type === 'number' && (field.default < field.min || field.default > field.max))
      faults.push({ at, text: `its default is not between ${field.min} and ${field.max}` });
    if (field.type === 'choice' && !field.choices.includes(field.default))
      faults.push({ at, text: `its default is none of its choices` });
    if (field.type === 'secret')
      for (const to of field.sentTo ?? [])
        if (!Object.hasOwn(settings, to)) faults.push({ at: `${at}.sentTo`, text: `there is no setting "${to}"` });
    return faults;
  });
}

/** The code of a module; what keeps it from being read is added to the faults. */
function readModule(dir: string, name: string, faults: Fault[]): string | null {
  const size = statSync(join(dir, name), { throwIfNoEntry: false })?.size;
  if (size === undefined) faults.push({ at: name, text: 'plugin.json names it, and it is not there' });
  else if (size > PACKAGE_MAX.module) faults.push({ at: name, text: `is larger than ${PACKAGE_MAX.module} bytes` });
  else return readFileSync(join(dir, name), 'utf8');
  return null;
}

/** Syntax, imports and the export of a module. Out: whether it can be run. */
function scan(name: string, code: string, faults: Fault[]): boolean {
  const before = faults.length;
  try {
    const { exports, imports } = new Bun.Transpiler({ loader: 'js' }).scan(code);
    for (const { path } of imports)
      faults.push({ at: name, text: `it imports "${path}"; a module is one file, so bundle what it needs into it` });
    if (!exports.includes('default'))
      faults.push({ at: name, text: 'it has no default export; add "export default { … }"' });
  } catch (error) {
    const place = error instanceof BuildMessage && error.position ? `:${error.position.line}` : '';
    faults.push({ at: name + place, text: error instanceof Error ? error.message : String(error) });
  }
  return faults.length === before;
}

async function serverFaults(dir: string, manifest: PluginManifest, spawn: SpawnSandbox): Promise<Fault[]> {
  const faults: Fault[] = [];
  const name = manifest.server;
  const code = name === undefined ? null : readModule(dir, name, faults);
  if (name === undefined || code === null || !scan(name, code, faults)) return faults;
  let hooks: Readonly<Record<(typeof HOOK_GROUPS)[number], readonly string[]>>;
  try {
    const sandbox = await startSandbox({
      spawn,
      code,
      ask: () => Promise.reject(new Error('NOT_GRANTED')),
      onEnd: () => undefined,
    });
    ({ hooks } = sandbox);
    sandbox.stop();
  } catch (error) {
    return [{ at: name, text: `it does not load: ${error instanceof Error ? error.message : String(error)}` }];
  }
  return hookFaults(name, manifest, hooks);
}

/** Hooks that the manifest does not ask for, and what it asks for without a hook. */
function hookFaults(
  name: string,
  { permissions, tasks = {} }: PluginManifest,
  hooks: Readonly<Record<(typeof HOOK_GROUPS)[number], readonly string[]>>,
): Fault[] {
  const asked = permissions.events ?? [];
  const faults: Fault[] = [];
  for (const event of hooks.events) {
    if (!isPluginEvent(event)) faults.push({ at: `${name}: events`, text: `there is no event "${event}"` });
    else if (!wantsEvent(asked, event))
      faults.push({ at: `${name}: events`, text: `add "${event}" to permissions.events, or it is never called` });
  }
  for (const event of asked)
    if (!hooks.events.some((each) => wantsEvent([event], each)))
      faults.push({ at: `${name}: events`, text: `it asks for "${event}" and has no hook for it` });
  if (hooks.endpoints.length > 0 && !permissions.endpoints)
    faults.push({
      at: 'plugin.json: permissions.endpoints',
      text: 'set it to true, or its endpoints are never called',
    });
  for (const each of hooks.endpoints)
    if (!/^(?:GET|POST) \/[a-z0-9][a-z0-9-]{0,59}$/.test(each))
      faults.push({ at: `${name}: endpoints`, text: `"${each}" is no endpoint; write "GET /name" or "POST /name"` });
  for (const task of Object.keys(tasks))
    if (!hooks.tasks.includes(task))
      faults.push({ at: `${name}: tasks`, text: `there is no hook for the task "${task}"` });
  for (const task of hooks.tasks)
    if (!Object.hasOwn(tasks, task))
      faults.push({ at: 'plugin.json: tasks', text: `add "${task}" with its minutes, or it is never called` });
  return faults;
}

/** Nothing of it runs here: it is made for a browser. */
function clientFaults(dir: string, { client }: PluginManifest): Fault[] {
  const faults: Fault[] = [];
  const code = client === undefined ? null : readModule(dir, client, faults);
  if (client !== undefined && code !== null) scan(client, code, faults);
  return faults;
}
