import type { Format } from '#client/lib/i18n.tsx';
import type { ResourceKind } from '#shared/constants.ts';

/** Formats an amount of a resource with its unit: MB, per cent of a core, or a count. */
export function amountText(kind: ResourceKind, n: number, format: Format): string {
  if (kind === 'memory' || kind === 'disk') return format.memory(n);
  if (kind === 'cpu') return format.percent(n / 100);
  return format.number(n);
}

/** Why an item cannot be bought now, the first that applies; null when it can. */
export type Refusal = 'vip' | 'limit' | 'credits' | 'units' | null;

interface Selection {
  readonly item: { readonly price: number; readonly units_left: number; readonly vip_only: boolean };
  /** How many units are asked for. */
  readonly units: number;
  /** Credits in the wallet. */
  readonly balance: number;
  /** Has the VIP permission. */
  readonly vip: boolean;
}

/** Why a purchase would be refused, known before the click. The server decides in the end. */
export function refusalOf({ item, units, balance, vip }: Selection): Refusal {
  if (item.vip_only && !vip) return 'vip';
  if (item.units_left < 1) return 'limit';
  if (!Number.isSafeInteger(units) || units < 1 || units > item.units_left) return 'units';
  return item.price * units > balance ? 'credits' : null;
}
