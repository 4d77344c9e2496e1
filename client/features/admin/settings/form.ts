import { parseSettingNumber, formatSetting } from '#shared/setting-text.ts';
import { isSecret, isSettingKey, SETTINGS, type SettingKey, type SettingRow } from '#shared/settings.ts';
import { toStored, unitName } from './durations.ts';

export type SettingValue = string | number | boolean;
/** A change as the API takes it. */
interface SettingChange {
  readonly key: SettingKey;
  readonly value: SettingValue;
  readonly revision: number;
}

/** Name of the hidden field that says what the form was made from, and of the box that empties a secret. */
export const seenName = (key: string): string => `seen:${key}`;
export const clearName = (key: string): string => `clear:${key}`;

/** A row of the registry with its full type. */
export const rowOf = (key: SettingKey): SettingRow => SETTINGS[key];
export const isLong = (key: SettingKey): boolean => {
  const row = rowOf(key);
  return row.type === 'text' && row.lines === true;
};

/** The value as the control of its setting holds it. In: the key, its value, the installation's currency. */
export function controlText(key: SettingKey, value: SettingValue, currency: string): string {
  if (typeof value === 'boolean') return value ? 'on' : '';
  return tidy(key, formatSetting(key, value, currency));
}

/** What a form says that a setting was when it was made: its revision, and a short hash of its text. */
export const seenOf = (
  key: SettingKey,
  row: { readonly value: SettingValue; readonly revision: number },
  currency: string,
) => `${row.revision}.${hashOf(controlText(key, row.value, currency))}`;

/**
 * The changes that a sent form makes: settings whose text is not the one it was made from, secrets that were typed, and
 * those to be emptied. What the form does not name, and what somebody left alone, is none, whatever is stored by now. A
 * number that cannot be read stays text, which the server refuses.
 */
export function changesIn(form: FormData, currency: string): SettingChange[] {
  return [...form.keys()].flatMap((name): SettingChange[] => {
    const key = name.startsWith('seen:') ? name.slice('seen:'.length) : '';
    if (!isSettingKey(key)) return [];
    const [revision = '', seen = ''] = String(form.get(name)).split('.');
    const text = storedText(form, key);
    const change = (value: SettingValue): SettingChange[] => [{ key, value, revision: Number(revision) || 0 }];
    if (isSecret(key)) return form.get(clearName(key)) === 'on' ? change('') : text === '' ? [] : change(text);
    return hashOf(text) === seen ? [] : change(toValue(key, text, currency));
  });
}

/** The text of a setting in a form, as it is stored: a duration in the unit of its row. */
function storedText(form: FormData, key: SettingKey): string {
  const unit = form.get(unitName(key));
  return toStored(rowOf(key), tidy(key, String(form.get(key) ?? '')), typeof unit === 'string' ? unit : null);
}

/** The texts to restore in a form: of what was changed, without secrets, and the units that durations were typed in. */
export function typedTexts(form: FormData, changes: readonly SettingChange[]): Record<string, string> {
  return Object.fromEntries(
    changes
      .filter(({ key }) => !isSecret(key))
      .flatMap(({ key }) => [key, unitName(key)])
      .filter((name) => isSettingKey(name) || form.has(name))
      .map((name) => [name, String(form.get(name) ?? '')]),
  );
}

function toValue(key: SettingKey, text: string, currency: string): SettingValue {
  const { type } = rowOf(key);
  if (type === 'switch') return text === 'on';
  return type === 'number' ? (parseSettingNumber(key, text, currency) ?? text) : text;
}

/** Without what browsers add to a text: line breaks of two characters, blanks around a short one. */
function tidy(key: SettingKey, text: string): string {
  return isLong(key) ? text.replaceAll('\r\n', '\n') : text.trim();
}

/** A short hash of a text (FNV-1a, twice 32 bits), to notice that it changed. */
function hashOf(text: string): string {
  let [a, b] = [0x811c9dc5, 0x1b873593];
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ (unit + index), 0x85ebca6b);
  }
  return (a >>> 0).toString(36) + (b >>> 0).toString(36);
}
