import type { StoreItem } from './ports.ts';

/** Most units of one purchase (contract of `store.buy`). */
export const MOST_UNITS = 1000;

/**
 * Whether an item is sold at all: shown, and a whole unit at a whole price (a row with a zero is a mistake, never a
 * gift).
 */
export function onSale(item: StoreItem | null): item is StoreItem {
  return item !== null && item.visible && item.quantity >= 1 && item.price >= 1;
}

/** Units that still fit under the item's limit for somebody who has `current` of the kind. */
export function unitsLeft(item: StoreItem, current: number): number {
  return Math.min(MOST_UNITS, Math.max(0, Math.floor((item.limitTotal - current) / item.quantity)));
}
