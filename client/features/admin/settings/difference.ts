import { differenceOfLines, type DifferenceLine } from '#client/lib/difference.ts';
import { isSecret, type SettingKey } from '#shared/settings.ts';
import { rowOf, type SettingValue } from './form.ts';
import { isShownByLength } from './texts.ts';

/** The lines of a text; of a list that stands in one line its entries. */
function linesOf(key: SettingKey, text: string): string[] {
  const row = rowOf(key);
  const separator = row.type === 'text' && row.format === 'list' ? (row.separator ?? '\n') : '\n';
  return text === '' ? [] : text.split(separator);
}

/** What changes in a text of which only the length is said otherwise, line by line; none for any other value. */
export function differenceOfTexts(key: SettingKey, before: SettingValue, after: SettingValue): DifferenceLine[] {
  if (typeof before !== 'string' || typeof after !== 'string' || isSecret(key)) return [];
  const row = rowOf(key);
  if (row.type !== 'text' || row.picture !== undefined) return [];
  if (!isShownByLength(key, before) && !isShownByLength(key, after)) return [];
  return differenceOfLines(linesOf(key, before), linesOf(key, after));
}
