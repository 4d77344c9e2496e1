import { DomainError, type FieldErrors } from '#shared/errors.ts';
import type { Flags } from '#shared/flags.ts';
import { isSettingKey, type SettingKey, type SettingValues } from '#shared/settings.ts';
import { writeAudit } from '../audit/index.ts';
import type { Bus, Clock, Ctx, Ids, Log } from '../kernel.ts';
import type { Tx, UnitOfWork } from '../tx.ts';
import { faultOf, withDefaults } from './values.ts';

export type SettingChanges = Partial<Record<SettingKey, unknown>>;

export interface Settings {
  /** All values, from the cache. Call `load` once at start. */
  current(): SettingValues;
  flags(): Flags;
  /** Reads what is stored; called at start, after every change, and now and then for the changes of other processes. Listeners hear only of differences. */
  load(): Promise<void>;
  /** Checks and stores values. Throws VALIDATION_FAILED with the keys at fault; stores all or nothing. The cache holds them when it resolves. */
  set(ctx: Ctx | null, changes: SettingChanges): Promise<void>;
}

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly bus: Bus;
  readonly log?: Log;
}

/** The settings of the installation: the registry's defaults, over them what is stored. */
export function createSettings(deps: Deps): Settings {
  const { uow, bus, log } = deps;
  let values = withDefaults(new Map());
  let asked = 0;

  async function load(): Promise<void> {
    asked += 1;
    const own = asked;
    const read = await uow.read(stored);
    // A later look has seen more.
    if (own !== asked || same(read, values)) return;
    values = read;
    // `settings` is heard before the cache is fresh; who looks at the cache on a change (AFK streams) listens to this one.
    bus.publish(['settings.loaded']);
  }
  async function set(ctx: Ctx | null, changes: SettingChanges): Promise<void> {
    assertFit(changes);
    await uow.run(async (tx) => {
      const before = await stored(tx);
      for (const [key, value] of Object.entries(changes)) {
        if (!isSettingKey(key) || value === before[key]) continue;
        await tx.settings.put(key, JSON.stringify(value), deps.clock.now());
        await writeAudit(tx, deps, ctx, { action: 'settings.set', target: key, before: before[key], after: value });
      }
      tx.touch('settings');
    });
    await load();
  }
  // The values there are stay in force where the new ones cannot be read.
  bus.subscribe('settings', () => void load().catch((error: unknown) => log?.error('settings.load_failed', { error: String(error) })));
  return { current: () => values, flags: () => values, load, set };
}

function same(a: SettingValues, b: SettingValues): boolean {
  return Object.entries(a).every(([key, value]) => value === b[key as SettingKey]);
}

async function stored(tx: Tx): Promise<SettingValues> {
  return withDefaults(new Map((await tx.settings.all()).map(({ key, value }) => [key, value])));
}

function assertFit(changes: SettingChanges): void {
  const fields: FieldErrors = {};
  for (const [key, value] of Object.entries(changes)) {
    const fault = isSettingKey(key) ? faultOf(key, value) : 'UNKNOWN';
    if (fault) fields[key] = [fault];
  }
  if (Object.keys(fields).length > 0) throw new DomainError('VALIDATION_FAILED', { fields });
}
