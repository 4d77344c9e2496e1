import type { SafeStorage } from '#client/lib/storage.ts';
import { STORAGE } from '#shared/constants.ts';
import { isLocale } from '#shared/i18n/locales.ts';
import type { Boot, SessionAnswer } from './boot.ts';

/** Keys of the product itself, which entries of the session answer must not overwrite. */
const RESERVED_KEYS: ReadonlySet<string> = new Set(Object.values(STORAGE));

/**
 * Caches a session answer: each non-null entry of user_info, billing and stats under its own key, the permissions under
 * theirs (specification, section 3). Entries cached before that are no longer part of it are removed. The keys are
 * stored, so that a log-out finds all of them.
 */
export function cacheSession(storage: SafeStorage, answer: SessionAnswer): void {
  const entries = new Map<string, string>();
  for (const part of [answer.user_info, answer.billing, answer.stats]) {
    for (const [key, value] of Object.entries(part))
      if (value !== null && !RESERVED_KEYS.has(key)) entries.set(key, String(value));
  }
  for (const key of cachedKeys(storage)) if (!entries.has(key)) storage.removeItem(key);
  // The list is written first: an entry not on it could not be found again.
  if (!writeIfChanged(storage, STORAGE.sessionKeys, JSON.stringify([...entries.keys()]))) return;
  for (const [key, value] of entries) writeIfChanged(storage, key, value);
  writeIfChanged(storage, STORAGE.permissions, JSON.stringify(answer.permissions));
}

/** Removes everything of the user from local storage: what `cacheSession` wrote, and the debug info that only staff get. */
export function forgetSession(storage: SafeStorage): void {
  for (const key of cachedKeys(storage)) storage.removeItem(key);
  for (const key of [STORAGE.sessionKeys, STORAGE.permissions, STORAGE.debug]) storage.removeItem(key);
}

/** The cached permissions; none where there is no cache, or none that can be read. */
export function cachedPermissions(storage: SafeStorage): readonly string[] {
  return strings(storage.getItem(STORAGE.permissions));
}

/** Caches what comes with a page: settings, feature flags, debug info, language and theme (specification, section 3). */
export function cacheBoot(
  storage: SafeStorage,
  boot: Pick<Boot, 'settings' | 'flags' | 'debug' | 'locale' | 'theme'>,
): void {
  writeIfChanged(storage, STORAGE.settings, JSON.stringify(boot.settings));
  writeIfChanged(storage, STORAGE.flags, JSON.stringify(boot.flags));
  writeIfChanged(storage, STORAGE.debug, JSON.stringify(boot.debug));
  // A saved language is the visitor's, and the page was rendered in it already (server/ssr/saved-locale.ts).
  if (!isLocale(storage.getItem(STORAGE.locale)?.toLowerCase()))
    writeIfChanged(storage, STORAGE.locale, boot.locale.toUpperCase());
  writeIfChanged(storage, STORAGE.theme, boot.theme);
}

/** Writes a value if it changed. If it cannot be stored, the old one is removed. */
function writeIfChanged(storage: SafeStorage, key: string, value: string): boolean {
  if (storage.getItem(key) === value) return true;
  const stored = storage.setItem(key, value);
  if (!stored) storage.removeItem(key);
  return stored;
}

const cachedKeys = (storage: SafeStorage) =>
  strings(storage.getItem(STORAGE.sessionKeys)).filter((key) => !RESERVED_KEYS.has(key));

function strings(json: string | null): readonly string[] {
  try {
    const list: unknown = JSON.parse(json ?? '[]');
    return Array.isArray(list) ? list.filter((entry) => typeof entry === 'string') : [];
  } catch {
    return [];
  }
}
