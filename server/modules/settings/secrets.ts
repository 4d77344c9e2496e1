import { isSecret, isSettingKey, type SettingKey } from '#shared/settings.ts';
import type { Sealer } from '../kernel.ts';

/** Purpose of the key that settings are sealed with. */
const PURPOSE = 'settings';

interface Opened {
  /** Key → JSON text in clear. */
  readonly texts: ReadonlyMap<string, string>;
  /** Secrets that this installation's key does not open, with the reason. They count as not stored. */
  readonly unreadable: Readonly<Record<string, string>>;
}

/** Stored rows in clear. In: the rows as the database has them. */
export function openStored(sealer: Sealer, rows: readonly { readonly key: string; readonly value: string }[]): Opened {
  const texts = new Map<string, string>();
  const unreadable: Record<string, string> = {};
  for (const { key, value } of rows) {
    if (!isSettingKey(key) || !isSecret(key)) {
      texts.set(key, value);
      continue;
    }
    const opened = sealer.open(PURPOSE, key, value);
    if ('text' in opened) texts.set(key, opened.text);
    else unreadable[key] = opened.fault;
  }
  return { texts, unreadable };
}

/** The JSON text of a secret as it is stored. */
export function sealStored(sealer: Sealer, key: SettingKey, text: string): string {
  return sealer.seal(PURPOSE, key, text);
}
