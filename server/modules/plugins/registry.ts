import { DomainError, type FieldErrors } from '#shared/errors.ts';
import {
  BUILT_IN_PLUGINS,
  isBuiltIn,
  type BuiltInName,
  type BuiltInPlugin,
  type BuiltInValues,
  type PluginField,
  type PluginFields,
  type PluginValue,
} from '#shared/plugins.ts';
import { destinationOf, type SettingValues } from '#shared/settings.ts';
import { writeAudit } from '../audit/index.ts';
import { runOnce } from '../idempotency/index.ts';
import type { Events } from '../events/index.ts';
import type { Bus, Clock, Ids, Log, Sealer, SignedIn } from '../kernel.ts';
import { assertMay } from '../permit.ts';
import type { Tx, UnitOfWork } from '../tx.ts';
import type { PackageRow } from './package-ports.ts';
import type { PluginRow } from './ports.ts';
import { changeFaults, valuesOf, type PluginChanges } from './values.ts';

/** Purpose of the key that secrets of plugins are sealed with. */
const PURPOSE = 'plugins';
/** The topic that a plugin was installed, removed, turned on or off, or set. */
export const PLUGINS_TOPIC = 'plugins';

interface RegistryDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly bus: Bus;
  readonly log: Log;
  readonly sealer: Sealer;
  readonly settings: { current(): Pick<SettingValues, 'discord_api_url'> };
  readonly events: Pick<Events, 'emit'>;
}

/** A plugin as staff see it. */
export interface PluginView {
  readonly identifier: string;
  readonly version: string;
  readonly isOn: boolean;
  /** Whether it has settings. */
  readonly isConfigurable: boolean;
  readonly page: string | null;
  /** Null: it comes with the product and runs in it. */
  readonly installed: PackageRow | null;
}
/** The settings of a plugin as staff see them. */
export interface PluginConfig extends PluginView {
  readonly fields: PluginFields;
  /** Values of all fields but secrets. */
  readonly values: Readonly<Record<string, PluginValue>>;
  /** Of each secret whether there is one. */
  readonly secrets: Readonly<Record<string, boolean>>;
  readonly revision: number;
}
/** What a built-in plugin knows of itself. Both are read from the cache, at every call. */
export interface PluginHandle<N extends BuiltInName> {
  isOn(): boolean;
  /** What staff set, with secrets in clear; '' for a secret that is not set or cannot be read. */
  values(): BuiltInValues<N>;
}
export type PluginRegistry = ReturnType<typeof createPluginRegistry>;

const NOTHING = (identifier: string): PluginRow => ({
  identifier,
  isOn: false,
  settings: {},
  secrets: {},
  revision: 0,
  updatedMs: 0,
});

/** The plugins of the installation: what there is, what is on, and what staff set. */
export function createPluginRegistry(deps: RegistryDeps) {
  const { uow, bus, log } = deps;
  let rows: ReadonlyMap<string, PluginRow> = new Map();
  let packages: ReadonlyMap<string, PackageRow> = new Map();
  let loads = 0;
  const listeners: (() => void)[] = [];

  /** Reads what is stored; called at start, after every change, and after those of other processes. */
  async function load(): Promise<void> {
    loads += 1;
    const own = loads;
    const read = await uow.read(async (tx) => ({
      rows: await tx.plugins.list(),
      packages: await tx.pluginPackages.list(),
    }));
    // A later look has seen more.
    if (own !== loads) return;
    rows = new Map(read.rows.map((row) => [row.identifier, row]));
    packages = new Map(read.packages.map((each) => [each.identifier, each]));
    for (const listener of listeners) listener();
  }
  bus.subscribe(
    PLUGINS_TOPIC,
    () => void load().catch((error: unknown) => log.error('plugins.load_failed', { error: String(error) })),
  );

  const rowOf = (identifier: string): PluginRow => rows.get(identifier) ?? NOTHING(identifier);

  /** The part of a built-in plugin: whether it is on, and what staff set. */
  function handle<N extends BuiltInName>(identifier: N): PluginHandle<N> {
    const { fields }: BuiltInPlugin = BUILT_IN_PLUGINS[identifier];
    let from: PluginRow | null = null;
    let fromUrl = '';
    let values: Record<string, PluginValue> = {};
    return {
      isOn: () => rowOf(identifier).isOn,
      values() {
        const row = rowOf(identifier);
        const url = deps.settings.current().discord_api_url;
        if (row !== from || url !== fromUrl) {
          from = row;
          fromUrl = url;
          values = { ...valuesOf(fields, row.settings), ...openSecrets(deps, row, fields) };
        }
        // By their fields, which the type is made from.
        return values as BuiltInValues<N>;
      },
    };
  }

  /** Installed plugins that are on, as they were read last. */
  const installed = (): readonly PackageRow[] =>
    [...packages.values()].filter(({ identifier }) => rowOf(identifier).isOn);
  /** Settings of an installed plugin, with secrets in clear: for the plugin alone. */
  function secretValues(identifier: string): Readonly<Record<string, PluginValue>> {
    const fields = packages.get(identifier)?.manifest.settings ?? {};
    const row = rowOf(identifier);
    return { ...valuesOf(fields, row.settings), ...openSecrets(deps, row, fields) };
  }
  /** Has a listener called whenever plugins were read anew. */
  const onLoad = (listener: () => void): void => void listeners.push(listener);

  return { load, handle, installed, secretValues, onLoad, ...staffOf(deps, load) };
}

/** Where a secret is sealed for: one that goes to an address of the settings opens for that place alone (attacks T57). */
function placeOf({ settings }: Pick<RegistryDeps, 'settings'>, identifier: string, key: string, field?: PluginField) {
  const setting = field?.type === 'secret' ? field.sentToSetting : undefined;
  const place = `${identifier}:${key}`;
  return setting === undefined ? place : `${place}@${destinationOf(settings.current()[setting])}`;
}

/**
 * Secrets of a plugin in clear; '' for what is not set, and for what was set for another address than it would go to
 * now. What this installation's key does not open is logged.
 */
function openSecrets(deps: RegistryDeps, row: PluginRow, fields: PluginFields): Record<string, string> {
  const { sealer, log } = deps;
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, field]) => field.type === 'secret')
      .map(([key, field]) => {
        const sealed = row.secrets[key];
        if (sealed === undefined) return [key, ''];
        const opened = sealer.open(PURPOSE, placeOf(deps, row.identifier, key, field), sealed);
        if ('text' in opened) return [key, opened.text];
        if (field.type === 'secret' && field.sentToSetting !== undefined) return [key, ''];
        log.error('plugins.secret_unreadable', { plugin: row.identifier, field: key, fault: opened.fault });
        return [key, ''];
      }),
  );
}

/** What is known of a plugin before anything is stored of it. */
interface Declared {
  readonly version: string;
  readonly fields: PluginFields;
  readonly page?: string;
  readonly installed: PackageRow | null;
}

const declaredBy = (installed: PackageRow): Declared => ({
  version: installed.manifest.version,
  fields: installed.manifest.settings ?? {},
  installed,
});

/** One that comes with the product, or that is installed. Throws NOT_FOUND. */
async function declarationOf(tx: Tx, identifier: string): Promise<Declared> {
  if (isBuiltIn(identifier)) return { ...BUILT_IN_PLUGINS[identifier], installed: null };
  const installed = await tx.pluginPackages.find(identifier);
  if (!installed) throw new DomainError('NOT_FOUND');
  return declaredBy(installed);
}

function viewOf(identifier: string, { version, fields, page, installed }: Declared, row: PluginRow): PluginView {
  return {
    identifier,
    version,
    isOn: row.isOn,
    isConfigurable: Object.keys(fields).length > 0,
    page: page ?? null,
    installed,
  };
}

/** What staff do: every command asks for its permission itself (attacks T61). */
function staffOf(deps: RegistryDeps, load: () => Promise<void>) {
  const { uow, clock, events } = deps;

  /** Every plugin there is. Throws FORBIDDEN. */
  async function list(ctx: SignedIn): Promise<PluginView[]> {
    assertMay(ctx, 'admin.plugins.list');
    return uow.read(async (tx) => {
      const stored = new Map((await tx.plugins.list()).map((row) => [row.identifier, row]));
      const declared = new Map<string, Declared>(
        Object.entries<BuiltInPlugin>(BUILT_IN_PLUGINS).map(([name, each]) => [name, { ...each, installed: null }]),
      );
      for (const each of await tx.pluginPackages.list())
        if (!isBuiltIn(each.identifier)) declared.set(each.identifier, declaredBy(each));
      return [...declared].map(([identifier, each]) =>
        viewOf(identifier, each, stored.get(identifier) ?? NOTHING(identifier)),
      );
    });
  }

  /** A plugin with its settings. Throws FORBIDDEN, NOT_FOUND. */
  async function get(ctx: SignedIn, identifier: string): Promise<PluginConfig> {
    assertMay(ctx, 'admin.plugins.edit');
    const { declared, stored } = await uow.read(async (tx) => ({
      declared: await declarationOf(tx, identifier),
      stored: await tx.plugins.list(),
    }));
    const { fields } = declared;
    const row = stored.find((each) => each.identifier === identifier) ?? NOTHING(identifier);
    const secrets = Object.entries(openSecrets(deps, row, fields));
    return {
      ...viewOf(identifier, declared, row),
      fields,
      values: valuesOf(fields, row.settings),
      secrets: Object.fromEntries(secrets.map(([key, text]) => [key, text !== ''])),
      revision: row.revision,
    };
  }

  /** Turns a plugin on or off. Throws FORBIDDEN, NOT_FOUND. */
  async function setOn(ctx: SignedIn, identifier: string, isOn: boolean): Promise<void> {
    await runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      assertMay(ctx, 'admin.plugins.edit');
      const { installed } = await declarationOf(tx, identifier);
      const row = await tx.plugins.lock(identifier, clock.now());
      if (row.isOn === isOn) return;
      // It begins anew: why it was off is over, and what happened meanwhile is not its to hear.
      if (installed) await tx.pluginPackages.setStopped(identifier, null);
      if (installed) await tx.pluginPackages.skipAll(identifier);
      await tx.plugins.save({ ...row, isOn, updatedMs: clock.now() });
      await events.emit(tx, 'plugin.switched', { identifier, isOn }, ctx);
      tx.touch(PLUGINS_TOPIC);
    });
    await load();
  }

  /**
   * Stores settings of a plugin. In: the fields that change, an empty text removes a secret; the revision that the
   * caller saw. Throws FORBIDDEN, NOT_FOUND, VALIDATION_FAILED with the fields at fault; CONFLICT where somebody else
   * changed them since.
   */
  async function configure(
    ctx: SignedIn,
    identifier: string,
    changes: PluginChanges,
    seen: number,
  ): Promise<{ revision: number }> {
    const done = await runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      assertMay(ctx, 'admin.plugins.edit');
      const { fields } = await declarationOf(tx, identifier);
      const row = await tx.plugins.lock(identifier, clock.now());
      if (row.revision !== seen) throw new DomainError('CONFLICT');
      const faults = changeFaults(fields, row, changes);
      if (faults.length > 0) {
        const byField = Object.fromEntries(faults.map(([key, code]) => [key, [code]])) as FieldErrors;
        throw new DomainError('VALIDATION_FAILED', { fields: byField });
      }
      const next = changed(deps, row, fields, changes);
      const revision = seen + 1;
      await tx.plugins.save({ ...row, ...next, revision, updatedMs: clock.now() });
      await writeAudit(tx, deps, ctx, {
        action: 'plugins.edit',
        target: identifier,
        before: { name: identifier, ...auditOf(fields, row) },
        after: { name: identifier, ...auditOf(fields, { ...row, ...next }) },
      });
      tx.touch(PLUGINS_TOPIC);
      return { revision };
    });
    await load();
    return done;
  }

  return { list, get, setOn, configure };
}

/** What is stored after changes that fit. */
function changed(
  deps: Pick<RegistryDeps, 'sealer' | 'settings'>,
  row: PluginRow,
  fields: PluginFields,
  changes: PluginChanges,
): Pick<PluginRow, 'settings' | 'secrets'> {
  const settings: Record<string, PluginValue> = { ...row.settings };
  const secrets: Record<string, string> = { ...row.secrets };
  for (const [key, value] of Object.entries(changes)) {
    if (fields[key]?.type !== 'secret') settings[key] = value as PluginValue;
    else if (value === '') delete secrets[key];
    else secrets[key] = deps.sealer.seal(PURPOSE, placeOf(deps, row.identifier, key, fields[key]), String(value));
  }
  return { settings, secrets };
}

/** What the audit log says of settings: of a secret only whether there is one. */
function auditOf(fields: PluginFields, { settings, secrets }: PluginRow): Record<string, PluginValue> {
  const names = Object.entries(fields).filter(([, field]) => field.type === 'secret');
  return {
    ...valuesOf(fields, settings),
    ...Object.fromEntries(names.map(([key]) => [key, secrets[key] === undefined ? '' : '•'])),
  };
}
