import { DAY } from '#shared/time.ts';
import type { Settings } from './settings.ts';

/** Servers that expire within this time count as due (contract of `servers.renewAll`). */
export const DUE_MS = 3 * DAY;

/** What a renewal costs and gives (behaviour 6.5), from the settings. */
export function renewalTerms({ settings }: { readonly settings: Settings }): {
  cost: number;
  days: number;
  maxDays: number;
} {
  const { server_renew_cost, server_renew_days, renew_max_days } = settings.current();
  return { cost: server_renew_cost, days: server_renew_days, maxDays: renew_max_days };
}
