import type { FieldCode } from '#shared/errors.ts';
import { LEAST_UNLESS_OFF } from '#shared/setting-gaps.ts';
import {
  isSecret,
  isSettingKey,
  maskedValue,
  secretsToReenter,
  SETTINGS,
  type SettingKey,
  type SettingRow,
  type SettingValues,
} from '#shared/settings.ts';
import { writeAudit } from '../audit/index.ts';
import type { Clock, Ctx, Ids, Sealer } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import type { StoredSetting } from './ports.ts';
import { openStored, sealStored } from './secrets.ts';
import { faultOf, withDefaults } from './values.ts';

export type SettingChanges = Partial<Record<SettingKey, unknown>>;
export interface ChangeDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  /** Seals secret settings. */
  readonly sealer: Sealer;
  /** Whether e-mails leave the house with these settings; what needs that is refused where not. Always when absent. */
  readonly sendsMail?: (values: SettingValues) => boolean;
}
/** All settings as they are stored. */
export interface SettingState {
  readonly values: SettingValues;
  /** Secrets that the installation's key does not open, with the reason; they count as not set. */
  readonly unreadable: Readonly<Record<string, string>>;
  readonly rows: ReadonlyMap<string, StoredSetting>;
}

/** Reads all settings. */
export async function readState(tx: Tx, sealer: Sealer): Promise<SettingState> {
  const rows = await tx.settings.all();
  const { texts, unreadable } = openStored(sealer, rows);
  return { values: withDefaults(texts), unreadable, rows: new Map(rows.map((row) => [row.key, row])) };
}

/**
 * What is wrong with single values: a key that does not exist, a type, a bound. As entries: any name may be among them.
 * What was stored before there was a least is read as ever: its reader goes by the least.
 */
export function valueFaults(changes: SettingChanges, sendsMail: boolean): [string, FieldCode][] {
  return Object.entries(changes).flatMap(([key, value]): [string, FieldCode][] => {
    const needsMail = key === 'mail_verification' && value === true && !sendsMail;
    const fault = needsMail
      ? 'NEEDS_MAIL'
      : isSettingKey(key)
        ? (faultOf(key, value) ?? gapFault(key, value))
        : 'UNKNOWN';
    return fault ? [[key, fault]] : [];
  });
}

/** Whether a number that fits its bounds lies between 0, which is off, and the least that is on. */
function gapFault(key: SettingKey, value: unknown): FieldCode | null {
  const least = LEAST_UNLESS_OFF[key];
  return least !== undefined && typeof value === 'number' && value > 0 && value < least ? 'TOO_SMALL' : null;
}

/** The secrets that these changes would send to another origin (attacks T57): each has to be entered again. */
export function missingSecrets({ values, unreadable }: SettingState, changes: SettingChanges): [string, FieldCode][] {
  // One that cannot be read now counts as well: with the right key it would be there again.
  return secretsToReenter(values, changes, (key) => values[key] !== '' || key in unreadable).map((key) => [
    key,
    'REQUIRED',
  ]);
}

/** Settings that would name a picture which is not there, or one of another kind. */
export async function missingPictures(tx: Tx, changes: SettingChanges): Promise<[string, FieldCode][]> {
  const faults: [string, FieldCode][] = [];
  for (const [key, value] of Object.entries(changes)) {
    const row: SettingRow | null = isSettingKey(key) ? SETTINGS[key] : null;
    if (row?.type !== 'text' || row.picture === undefined || typeof value !== 'string' || value === '') continue;
    if ((await tx.pictures.kindOf(value)) !== row.picture) faults.push([key, 'INVALID']);
  }
  return faults;
}

/** The keys that these changes change: what is stored already is none. */
export function changedKeys({ values, unreadable }: SettingState, changes: SettingChanges): SettingKey[] {
  return Object.entries(changes)
    .filter(([key, value]) => isSettingKey(key) && (value !== values[key] || key in unreadable))
    .map(([key]) => key as SettingKey);
}

/** Stores checked changes of some keys, each with its row of the audit log. */
export async function writeChanges(
  tx: Tx,
  deps: ChangeDeps,
  ctx: Ctx | null,
  {
    state,
    changes,
    keys,
  }: { readonly state: SettingState; readonly changes: SettingChanges; readonly keys: readonly SettingKey[] },
): Promise<void> {
  for (const key of keys) {
    const text = JSON.stringify(changes[key]);
    await tx.settings.put(key, isSecret(key) ? sealStored(deps.sealer, key, text) : text, deps.clock.now());
    await writeAudit(tx, deps, ctx, {
      action: 'settings.set',
      target: key,
      before: maskedValue(key, state.values[key]),
      after: maskedValue(key, changes[key]),
    });
  }
  tx.touch('settings');
}
