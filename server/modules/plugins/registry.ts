import { DomainError, type FieldErrors } from '#shared/errors.ts';
import {
  BUILT_IN_PLUGINS,
  isBuiltIn,
  type BuiltInName,
  type BuiltInPlugin,
  type BuiltInValues,
  type PluginFields,
  type PluginValue,
} from '#shared/plugins.ts';
import { writeAudit } from '../audit/index.ts';
import { runOnce } from '../idempotency/index.ts';
import type { Events } from '../events/index.ts';
import type { Bus, Clock, Ids, Log, Sealer, SignedIn } from '../kernel.ts';
import { assertMay } from '../permit.ts';
import type { UnitOfWork } from '../tx.ts';
import type { PluginRow } from './ports.ts';
import { changeFaults, valuesOf, type PluginChanges } from './values.ts';

/** Purpose of the key that secrets of plugins are sealed with. */
const PURPOSE = 'plugins';
/** The topic that a plugin was turned on or off, or set. */
const PLUGINS_TOPIC = 'plugins';

interface RegistryDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly bus: Bus;
  readonly log: Log;
  readonly sealer: Sealer;
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
}
/** The settings of a plugin as staff see them. */
interface PluginConfig extends PluginView {
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
  let loads = 0;

  /** Reads what is stored; called at start, after every change, and after those of other processes. */
  async function load(): Promise<void> {
    loads += 1;
    const own = loads;
    const read = await uow.read((tx) => tx.plugins.list());
    // A later look has seen more.
    if (own === loads) rows = new Map(read.map((row) => [row.identifier, row]));
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
    let values: Record<string, PluginValue> = {};
    return {
      isOn: () => rowOf(identifier).isOn,
      values() {
        const row = rowOf(identifier);
        if (row !== from) {
          from = row;
          values = { ...valuesOf(fields, row.settings), ...openSecrets(deps, row, fields) };
        }
        // By their fields, which the type is made from.
        return values as BuiltInValues<N>;
      },
    };
  }

  return { load, handle, ...staffOf(deps, load) };
}

/** Secrets of a plugin in clear; '' for what is not set. What this installation's key does not open is logged. */
function openSecrets({ sealer, log }: RegistryDeps, row: PluginRow, fields: PluginFields): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, field]) => field.type === 'secret')
      .map(([key]) => {
        const sealed = row.secrets[key];
        if (sealed === undefined) return [key, ''];
        const opened = sealer.open(PURPOSE, `${row.identifier}:${key}`, sealed);
        if ('text' in opened) return [key, opened.text];
        log.error('plugins.secret_unreadable', { plugin: row.identifier, field: key, fault: opened.fault });
        return [key, ''];
      }),
  );
}

/** Throws NOT_FOUND. */
function declarationOf(identifier: string): BuiltInPlugin {
  if (!isBuiltIn(identifier)) throw new DomainError('NOT_FOUND');
  return BUILT_IN_PLUGINS[identifier];
}

function viewOf(identifier: string, row: PluginRow): PluginView {
  const { version, fields, page } = declarationOf(identifier);
  return {
    identifier,
    version,
    isOn: row.isOn,
    isConfigurable: Object.keys(fields).length > 0,
    page: page ?? null,
  };
}

/** What staff do: every command asks for its permission itself (attacks T61). */
function staffOf(deps: RegistryDeps, load: () => Promise<void>) {
  const { uow, clock, events, sealer } = deps;

  /** Every plugin there is. Throws FORBIDDEN. */
  async function list(ctx: SignedIn): Promise<PluginView[]> {
    assertMay(ctx, 'admin.plugins.list');
    const stored = new Map((await uow.read((tx) => tx.plugins.list())).map((row) => [row.identifier, row]));
    return Object.keys(BUILT_IN_PLUGINS).map((identifier) =>
      viewOf(identifier, stored.get(identifier) ?? NOTHING(identifier)),
    );
  }

  /** A plugin with its settings. Throws FORBIDDEN, NOT_FOUND. */
  async function get(ctx: SignedIn, identifier: string): Promise<PluginConfig> {
    assertMay(ctx, 'admin.plugins.edit');
    const { fields } = declarationOf(identifier);
    const stored = await uow.read((tx) => tx.plugins.list());
    const row = stored.find((each) => each.identifier === identifier) ?? NOTHING(identifier);
    const secrets = Object.entries(fields).filter(([, field]) => field.type === 'secret');
    return {
      ...viewOf(identifier, row),
      fields,
      values: valuesOf(fields, row.settings),
      secrets: Object.fromEntries(secrets.map(([key]) => [key, row.secrets[key] !== undefined])),
      revision: row.revision,
    };
  }

  /** Turns a plugin on or off. Throws FORBIDDEN, NOT_FOUND. */
  async function setOn(ctx: SignedIn, identifier: string, isOn: boolean): Promise<void> {
    await runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      assertMay(ctx, 'admin.plugins.edit');
      declarationOf(identifier);
      const row = await tx.plugins.lock(identifier, clock.now());
      if (row.isOn === isOn) return;
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
      const { fields } = declarationOf(identifier);
      const row = await tx.plugins.lock(identifier, clock.now());
      if (row.revision !== seen) throw new DomainError('CONFLICT');
      const faults = changeFaults(fields, row, changes);
      if (faults.length > 0) {
        const byField = Object.fromEntries(faults.map(([key, code]) => [key, [code]])) as FieldErrors;
        throw new DomainError('VALIDATION_FAILED', { fields: byField });
      }
      const next = changed(sealer, row, fields, changes);
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
  sealer: Sealer,
  row: PluginRow,
  fields: PluginFields,
  changes: PluginChanges,
): Pick<PluginRow, 'settings' | 'secrets'> {
  const settings: Record<string, PluginValue> = { ...row.settings };
  const secrets: Record<string, string> = { ...row.secrets };
  for (const [key, value] of Object.entries(changes)) {
    if (fields[key]?.type !== 'secret') settings[key] = value as PluginValue;
    else if (value === '') delete secrets[key];
    else secrets[key] = sealer.seal(PURPOSE, `${row.identifier}:${key}`, String(value));
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
