import type { KeyState } from '#shared/panel-codes.ts';
import type { Sealer } from '../kernel.ts';
import type { PanelRow } from './ports.ts';

/** Purpose of the keys' seal; each is bound to its row and column, so that it opens nowhere else. */
const PURPOSE = 'panels';
type Which = 'key' | 'client_key';
/** Shorter keys would be recognised by their last signs. */
const MIN_LENGTH_SHOWN = 12;

/** Seals a key of a row. */
export function sealKey(sealer: Sealer, panelId: string, which: Which, key: string): string {
  return sealer.seal(PURPOSE, `${panelId}:${which}`, key);
}

/** A key of a row in clear; null where there is none or it cannot be opened (another installation's key). */
export function openKey(
  sealer: Sealer,
  row: Pick<PanelRow, 'id' | 'keySealed' | 'clientKeySealed'>,
  which: Which,
): string | null {
  const sealed = which === 'key' ? row.keySealed : row.clientKeySealed;
  if (sealed === null) return null;
  const opened = sealer.open(PURPOSE, `${row.id}:${which}`, sealed);
  return 'text' in opened ? opened.text : null;
}

export interface ShownKey {
  readonly state: KeyState;
  /** Null where there is none to show, or so few that they would give it away. */
  readonly last4: string | null;
}
/** What staff may see of a key: whether there is one, and its last four signs. */
export function readKeyState(sealer: Sealer, row: PanelRow, which: Which): ShownKey {
  if (which === 'client_key' && row.clientKeySealed === null) return { state: 'absent', last4: null };
  const key = openKey(sealer, row, which);
  if (key === null) return { state: 'unreadable', last4: null };
  return { state: 'set', last4: key.length >= MIN_LENGTH_SHOWN ? key.slice(-4) : null };
}

/** What a panel's connection is where its stored key cannot be opened. */
export const KEY_UNREADABLE = { fault: 'refused', cause: 'key_unreadable' } as const;
