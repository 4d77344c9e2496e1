import { DomainError, type FieldCode, type FieldErrors } from '#shared/errors.ts';
import type { FeatureSwitch } from '#shared/earning-sources.ts';
import {
  isSecret,
  isSettingKey,
  secretsToReenter,
  maskedValue,
  type SettingKey,
  type SettingValues,
} from '#shared/settings.ts';
import { writeAudit } from '../audit/index.ts';
import type { Bus, Clock, Ctx, Ids, Log, Sealer } from '../kernel.ts';
import type { Tx, UnitOfWork } from '../tx.ts';
import { openStored, sealStored } from './secrets.ts';
import { faultOf, withDefaults } from './values.ts';

export type SettingChanges = Partial<Record<SettingKey, unknown>>;

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

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly bus: Bus;
  /** Seals secret settings. */
  readonly sealer: Sealer;
  readonly log?: Log;
  /** Whether e-mails leave the house; what needs that is refused where not. True when absent. */
  readonly sendsMail?: boolean;
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
    const { values: read, unreadable } = await uow.read((tx) => stored(tx, sealer));
    logUnreadable(unreadable);
    // A later look has seen more.
    if (own !== loads || same(read, values)) return;
    values = read;
    // `settings` is heard before the cache is fresh; who looks at the cache on a change (AFK streams) listens to this
    // one.
    bus.publish(['settings.loaded']);
  }
  async function set(ctx: Ctx | null, changes: SettingChanges): Promise<void> {
    assertFit(changes, deps.sendsMail ?? true);
    await uow.run(async (tx) => {
      const { values: before, unreadable } = await stored(tx, sealer);
      // One that cannot be read now counts as well: with the right key it would be there again.
      const missing = secretsToReenter(before, changes, (key) => before[key] !== '' || key in unreadable);
      if (missing.length > 0)
        throw new DomainError('VALIDATION_FAILED', {
          fields: Object.fromEntries(missing.map((key) => [key, ['REQUIRED']])),
        });
      for (const [key, value] of Object.entries(changes)) {
        if (!isSettingKey(key) || (value === before[key] && !(key in unreadable))) continue;
        const text = JSON.stringify(value);
        await tx.settings.put(key, isSecret(key) ? sealStored(sealer, key, text) : text, deps.clock.now());
        await writeAudit(tx, deps, ctx, {
          action: 'settings.set',
          target: key,
          before: maskedValue(key, before[key]),
          after: maskedValue(key, value),
        });
      }
      tx.touch('settings');
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

async function stored(tx: Tx, sealer: Sealer) {
  const { texts, unreadable } = openStored(sealer, await tx.settings.all());
  return { values: withDefaults(texts), unreadable };
}

function assertFit(changes: SettingChanges, sendsMail: boolean): void {
  const faults = Object.entries(changes).flatMap(([key, value]): [string, FieldCode[]][] => {
    const needsMail = key === 'mail_verification' && value === true && !sendsMail;
    const fault = needsMail ? 'NEEDS_MAIL' : isSettingKey(key) ? faultOf(key, value) : 'UNKNOWN';
    return fault ? [[key, [fault]]] : [];
  });
  // As entries: `__proto__` is a name like any other then.
  const fields: FieldErrors = Object.fromEntries(faults);
  if (faults.length > 0) throw new DomainError('VALIDATION_FAILED', { fields });
}
