import { parseUiSettings, toTransition, UI_FIELDS, type PageTransition, type UiSettings } from '#shared/ui-settings.ts';

/** The contents of an exported file: the two entries of local storage. */
interface Exported {
  readonly 'ui-settings': UiSettings;
  readonly preferredTransition: PageTransition;
}

/** Largest file that is read, in bytes; an exported one has about 2 KB. */
export const FILE_BYTES_MAX = 64 * 1024;

/** The text of a settings file. */
export function writeSettingsFile(settings: UiSettings, transition: PageTransition): string {
  return `${JSON.stringify({ 'ui-settings': settings, preferredTransition: transition } satisfies Exported, null, 2)}\n`;
}

/**
 * Reads a settings file. Out: valid settings; null for anything else: not JSON, too long, or without any group of
 * settings.
 */
export function readSettingsFile(
  text: string,
): { readonly settings: UiSettings; readonly transition: PageTransition } | null {
  if (text.length > FILE_BYTES_MAX) return null;
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof data !== 'object' || data === null || !('ui-settings' in data)) return null;
  const groups = data['ui-settings'];
  if (
    typeof groups !== 'object' ||
    groups === null ||
    !Object.keys(UI_FIELDS).some((group) => Object.hasOwn(groups, group))
  )
    return null;
  return {
    settings: parseUiSettings(groups),
    transition: toTransition('preferredTransition' in data ? data.preferredTransition : null),
  };
}
