import type { ErrorCode } from '#shared/errors.ts';
import { DAY, HOUR } from '#shared/time.ts';
import type { RedeemCode, Tries } from './ports.ts';

/** Wrong tries are counted in windows of an hour (behaviour 4.2). */
export const TRY_WINDOW_MS = HOUR;

/**
 * Whether a code may be redeemed, and if not, why: the first reason in this order. `used`: this user has it already;
 * `ageMs`: how old the account is. Caps and budgets come after, where the payment is counted.
 */
export function refusalOf(code: RedeemCode | null, used: boolean, ageMs: number, now: number): ErrorCode | null {
  if (!code) return 'CODE_UNKNOWN';
  if (used) return 'CODE_ALREADY_USED';
  if (!code.enabled) return 'CODE_DISABLED';
  if (code.startsMs !== null && now < code.startsMs) return 'CODE_NOT_STARTED';
  if (code.endsMs !== null && now >= code.endsMs) return 'CODE_EXPIRED';
  if (code.usesCount >= code.usesTotal) return 'CODE_EXHAUSTED';
  if (ageMs < code.minAgeDays * DAY) return 'ACCOUNT_TOO_YOUNG';
  return null;
}

/**
 * What is wrong with somebody's day or account, or what they know already from their own history: nothing in it helps
 * to guess a code.
 */
const HARMLESS: ReadonlySet<ErrorCode> = new Set([
  'DAILY_CAP_REACHED',
  'BUDGET_SPENT',
  'ACCOUNT_TOO_YOUNG',
  'CODE_ALREADY_USED',
]);

/**
 * Whether a refusal is a wrong try. Every guess that misses is one, and every code found in a state that its holder
 * could not know; a code that was right and is refused for other reasons is not, so that nobody is locked out for being
 * at their cap.
 */
export const countsAsTry = (refusal: ErrorCode): boolean => !HARMLESS.has(refusal);

/**
 * The tries that still count: none once the window has passed, nor where it began after now (the clock was set back).
 * The window begins with its first wrong try.
 */
export function liveTries(tries: Tries | null, now: number): Tries {
  const live =
    tries !== null && tries.count > 0 && tries.windowStartMs <= now && now < tries.windowStartMs + TRY_WINDOW_MS;
  return live ? tries : { windowStartMs: now, count: 0 };
}
