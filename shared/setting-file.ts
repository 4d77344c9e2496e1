import { isSecret, isSettingKey, SETTINGS, type SettingKey, type SettingRow } from './settings.ts';

type Value = string | number | boolean;
interface Row {
  readonly key: string;
  readonly value: Value;
  readonly revision: number;
}
/** Says what a file is, and in which form. */
const FORM = 1;
/** Characters of a file that is read. */
const FILE_MAX = 2_000_000;

/** The settings as a file: every one but the secrets, and the pictures, which no other installation has. */
export function writeSettingsFile(rows: readonly Pick<Row, 'key' | 'value'>[]): string {
  const open = rows.filter(({ key }) => isSettingKey(key) && isInFiles(key));
  const settings = Object.fromEntries(open.map(({ key, value }) => [key, value]));
  return `${JSON.stringify({ spawnpoint_settings: FORM, settings }, null, 2)}\n`;
}

/** What a file would change. */
interface FileChanges {
  readonly changes: readonly { readonly key: SettingKey; readonly value: Value; readonly revision: number }[];
  /** Keys of the file that are left out: secrets, pictures, what only owners change, and what is no setting here. */
  readonly leftOut: readonly string[];
}

/**
 * Reads a file of settings. In: its text, the settings as they are, and whether the reader is an owner. Out: what
 * differs; null if it is no such file. Values are not checked: who saves them does.
 */
export function readSettingsFile(text: string, rows: readonly Row[], isOwner: boolean): FileChanges | null {
  const settings = parse(text);
  if (settings === null) return null;
  const current = new Map(rows.map((row) => [row.key, row]));
  const changes: FileChanges['changes'][number][] = [];
  const leftOut: string[] = [];
  for (const [key, value] of Object.entries(settings)) {
    const row = current.get(key);
    const isValue = ['string', 'number', 'boolean'].includes(typeof value);
    if (row && row.value === value && isSettingKey(key) && isInFiles(key)) continue;
    if (!isSettingKey(key) || !row || !isValue || !isInFiles(key) || (!isOwner && isOwnerOnly(key))) leftOut.push(key);
    else changes.push({ key, value: value as Value, revision: row.revision });
  }
  return { changes, leftOut };
}

/** Whether files of settings hold a setting. */
function isInFiles(key: SettingKey): boolean {
  const row: SettingRow = SETTINGS[key];
  return !isSecret(key) && !(row.type === 'text' && row.picture !== undefined);
}

const isOwnerOnly = (key: SettingKey): boolean => (SETTINGS[key] as SettingRow).ownerOnly === true;

/** The object of settings in a file; null if the text is none. */
function parse(text: string): object | null {
  if (text.length > FILE_MAX) return null;
  try {
    const file: unknown = JSON.parse(text);
    if (typeof file !== 'object' || file === null || !('spawnpoint_settings' in file) || !('settings' in file))
      return null;
    const { spawnpoint_settings: form, settings } = file;
    return form === FORM && typeof settings === 'object' && settings !== null && !Array.isArray(settings)
      ? settings
      : null;
  } catch {
    return null;
  }
}
