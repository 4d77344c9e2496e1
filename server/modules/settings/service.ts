import { DomainError, type FieldErrors } from '#shared/errors.ts';
import type { FeatureSwitch } from '#shared/earning-sources.ts';
import type { SettingKey, SettingValues } from '#shared/settings.ts';
import type { Bus, Ctx, Log } from '../kernel.ts';
import type { UnitOfWork } from '../tx.ts';
import {
  changedKeys,
  missingPictures,
  missingSecrets,
  readState,
  valueFaults,
  writeChanges,
  type ChangeDeps,
  type SettingChanges,
} from './changes.ts';
import { withDefaults } from './values.ts';

export interface Settings {
  /** All values, from the cache. Call `load` once at start. */
  current(): SettingValues;
  /** Flags and the other switches of features. */
  flags(): Readonly<Record<FeatureSwitch, boolean>>;
  /**
   * Reads what is stored; called at start, after every change, and now and then for the changes of other processes.
   * Listeners hear only of differences.
   */
  load(): Promise<void>;
  /**
   * Checks and stores values. Throws VALIDATION_FAILED with the keys at fault, REQUIRED at a secret whose address moves
   * to another origin in this change (attacks T57); stores all or nothing. The cache holds them when it resolves.
   */
  set(ctx: Ctx | null, changes: SettingChanges): Promise<void>;
}

interface Deps extends ChangeDeps {
  readonly uow: UnitOfWork;
  readonly bus: Bus;
  readonly log?: Log;
}

/** The settings of the installation: the registry's defaults, over them what is stored. */
export function createSettings(deps: Deps): Settings {
  const { uow, bus, log, sealer } = deps;
  let values = withDefaults(new Map());
  let loads = 0;
  let logged = '';

  async function load(): Promise<void> {
    loads += 1;
    const own = loads;
    const { values: read, unreadable } = await uow.read((tx) => readState(tx, sealer));
    logUnreadable(unreadable);
    // A later look has seen more.
    if (own !== loads || same(read, values)) return;
    values = read;
    // `settings` is heard before the cache is fresh; who looks at the cache on a change (AFK streams) listens to this
    // one.
    bus.publish(['settings.loaded']);
  }
  async function set(ctx: Ctx | null, changes: SettingChanges): Promise<void> {
    assertNone(valueFaults(changes, deps.sendsMail?.({ ...values, ...changes } as SettingValues) ?? true));
    await uow.run(async (tx) => {
      await tx.settings.lock();
      const state = await readState(tx, sealer);
      assertNone([...(await missingPictures(tx, changes)), ...missingSecrets(state, changes)]);
      await writeChanges(tx, deps, ctx, { state, changes, keys: changedKeys(state, changes) });
    });
    await load();
  }
  /** A secret that cannot be read counts as not set; the log hears of it once. */
  function logUnreadable(unreadable: Readonly<Record<string, string>>): void {
    const text = JSON.stringify(unreadable);
    if (text === logged) return;
    logged = text;
    if (text !== '{}') log?.error('settings.secret_unreadable', { settings: unreadable });
  }
  // The values there are stay in force where the new ones cannot be read.
  bus.subscribe(
    'settings',
    () => void load().catch((error: unknown) => log?.error('settings.load_failed', { error: String(error) })),
  );
  return { current: () => values, flags: () => values, load, set };
}

function same(a: SettingValues, b: SettingValues): boolean {
  return Object.entries(a).every(([key, value]) => value === b[key as SettingKey]);
}

/** Throws VALIDATION_FAILED where there are faults. As entries: `__proto__` is a name like any other then. */
export function assertNone(faults: readonly (readonly [string, string])[]): void {
  if (faults.length === 0) return;
  const fields = Object.fromEntries(faults.map(([key, code]) => [key, [code]])) as FieldErrors;
  throw new DomainError('VALIDATION_FAILED', { fields });
}
