import {
  defaultOf,
  type PluginField,
  type PluginFields,
  type PluginValue,
  type PluginValues,
} from '#shared/plugins.ts';
import type { PluginRow } from './ports.ts';

/** Values as they come in: of the fields that change. An empty text removes a secret. */
export type PluginChanges = Readonly<Record<string, unknown>>;

/** Every field's value: what is stored, else its default; what is stored and no longer fits counts as not stored. */
export function valuesOf(fields: PluginFields, stored: PluginValues): Record<string, PluginValue> {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, field]) => field.type !== 'secret')
      .map(([key, field]) => {
        const value = Object.hasOwn(stored, key) ? stored[key] : undefined;
        return [key, value !== undefined && faultOf(field, value) === null ? value : defaultOf(field)];
      }),
  );
}

/** The code of what is wrong with a value; null where it fits its field. */
export function faultOf(field: PluginField, value: unknown): string | null {
  switch (field.type) {
    case 'text':
    case 'secret':
      if (typeof value !== 'string') return 'INVALID';
      if (value.length > field.max) return 'TOO_LONG';
      if (field.type === 'text' && field.format === 'snowflake' && !/^(?:\d{15,20})?$/.test(value)) return 'INVALID';
      // Only long texts have lines.
      return /[\p{Cc}]/u.test(field.type === 'text' && field.lines ? value.replaceAll(/[\n\r\t]/g, '') : value)
        ? 'INVALID'
        : null;
    case 'number':
      if (typeof value !== 'number' || !Number.isSafeInteger(value)) return 'INVALID';
      if (value < field.min) return 'TOO_SMALL';
      return value > field.max ? 'TOO_LARGE' : null;
    case 'choice':
      return field.choices.includes(value as string) ? null : 'INVALID';
    case 'switch':
      return typeof value === 'boolean' ? null : 'INVALID';
  }
}

/**
 * What is wrong with changes, by field: values that do not fit, and secrets that are not typed again although an
 * address that they are sent to becomes another one (attacks T57).
 */
export function changeFaults(
  fields: PluginFields,
  row: PluginRow,
  changes: PluginChanges,
): (readonly [key: string, code: string])[] {
  const faults = Object.entries(changes).flatMap(([key, value]) => {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    const fault = field ? faultOf(field, value) : 'UNKNOWN';
    return fault === null ? [] : [[key, fault] as const];
  });
  const now = valuesOf(fields, row.settings);
  for (const [key, field] of Object.entries(fields)) {
    if (field.type !== 'secret' || row.secrets[key] === undefined || typeof changes[key] === 'string') continue;
    const moves = (field.sentTo ?? []).some((to) => changes[to] !== undefined && changes[to] !== now[to]);
    if (moves) faults.push([key, 'REQUIRED']);
  }
  return faults;
}
