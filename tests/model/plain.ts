import type { ResourceKind, Resources } from '#shared/constants.ts';
import { DAY, HOUR, MINUTE, SECOND } from '#shared/time.ts';

/**
 * The rules of credits once more, as simply as they can be said, without database, ledger or concurrency. What the product does is
 * compared with it. Each rule gives the code it refuses with, or `null` and has then changed the model.
 */
export interface PlainUser {
  balance: number;
  held: number;
  readonly limits: Resources;
  /** In use by the user's one server. */
  readonly used: Resources;
  readonly redeemed: Set<string>;
  expiresMs: number;
  tries: { sinceMs: number; count: number };
  afk: { lastMs: number | null; countedMs: number; minutes: number } | null;
}
export interface PlainCode {
  readonly credits: number;
  left: number;
  enabled: boolean;
}
export interface PlainItem {
  readonly kind: ResourceKind;
  readonly quantity: number;
  readonly price: number;
  readonly limit: number;
}
export interface PlainPurchase {
  readonly user: PlainUser;
  readonly kind: ResourceKind;
  readonly quantity: number;
  readonly total: number;
  refunded: boolean;
}
export interface PlainHold {
  readonly user: PlainUser;
  readonly amount: number;
  open: boolean;
}
export type Code = string | null;

/** Numbers the model runs with; the product gets the same as settings. */
export const TERMS = { cap: 7, perMinute: 2, redeemCap: 300, redeemBudget: 500, cost: 100, days: 30, maxDays: 90, tries: 10 } as const;

export type Plain = ReturnType<typeof plainModel>;

export function plainModel(startMs: number) {
  const days = plainDays(startMs);
  const users: PlainUser[] = [];
  return {
    ...plainEarning(days, users),
    ...plainSpending(days),
    now: days.now,
    pass: days.pass,
    addUser(limits: Resources, used: Resources, expiresMs: number): PlainUser {
      const user: PlainUser = {
        balance: 0, held: 0, limits: { ...limits }, used: { ...used }, redeemed: new Set(), expiresMs, tries: { sinceMs: 0, count: 0 }, afk: null,
      };
      users.push(user);
      return user;
    },
    adjust(user: PlainUser, amount: number): Code {
      if (user.balance + amount < 0) return 'INSUFFICIENT_CREDITS';
      user.balance += amount;
      return null;
    },
    /** The user's server takes more memory, or less. */
    use(user: PlainUser, memory: number): Code {
      user.used.memory = memory;
      return null;
    },
  };
}

function plainDays(startMs: number) {
  let now = startMs;
  return {
    now: () => now,
    day: () => new Date(now).toISOString().slice(0, 10),
    pass: (ms: number) => {
      now += ms;
    },
  };
}
type Days = ReturnType<typeof plainDays>;

function plainEarning({ now, day }: Days, users: readonly PlainUser[]) {
  const earned = new Map<string, number>();
  const codes = new Map<string, PlainCode>();
  const key = (who: PlainUser | '*', source: string) => `${who === '*' ? who : users.indexOf(who)} ${source} ${day()}`;
  const earnedToday = (who: PlainUser | '*', source: string) => earned.get(key(who, source)) ?? 0;

  /** Counts a reward where cap and budget allow it. */
  function take(user: PlainUser, source: string, amount: number, cap: number, budget: number): Code {
    if (cap > 0 && earnedToday(user, source) + amount > cap) return 'DAILY_CAP_REACHED';
    if (budget > 0 && earnedToday('*', source) + amount > budget) return 'BUDGET_SPENT';
    for (const who of [user, '*'] as const) earned.set(key(who, source), earnedToday(who, source) + amount);
    user.balance += amount;
    return null;
  }
  function refusalOf(user: PlainUser, text: string): Code {
    const code = codes.get(text);
    if (!code) return 'CODE_UNKNOWN';
    if (user.redeemed.has(text)) return 'CODE_ALREADY_USED';
    if (!code.enabled) return 'CODE_DISABLED';
    if (code.left === 0) return 'CODE_EXHAUSTED';
    return take(user, 'redeem', code.credits, TERMS.redeemCap, TERMS.redeemBudget);
  }
  const afkFull = (user: PlainUser) => earnedToday(user, 'afk') + TERMS.perMinute > TERMS.cap;

  return {
    codes,
    earnedToday,
    redeem(user: PlainUser, text: string): Code {
      if (now() >= user.tries.sinceMs + HOUR) user.tries.count = 0;
      if (user.tries.count >= TERMS.tries) return 'RATE_LIMITED';
      const refusal = refusalOf(user, text);
      if (refusal) {
        if (user.tries.count === 0) user.tries.sinceMs = now();
        user.tries.count += 1;
        return refusal;
      }
      user.redeemed.add(text);
      const code = codes.get(text);
      if (code) code.left -= 1;
      return null;
    },
    startAfk(user: PlainUser): Code {
      if (afkFull(user)) return 'DAILY_CAP_REACHED';
      user.afk = { lastMs: null, countedMs: 0, minutes: 0 };
      return null;
    },
    beat(user: PlainUser): Code {
      const { afk } = user;
      if (!afk) return 'AFK_SESSION_ENDED';
      const span = afk.lastMs === null ? null : now() - afk.lastMs;
      afk.lastMs = now();
      afk.countedMs = span === null || span > 45 * SECOND ? 0 : afk.countedMs + span;
      if (afk.countedMs < MINUTE) return null;
      afk.countedMs -= MINUTE;
      afk.minutes += 1;
      if (take(user, 'afk', TERMS.perMinute, TERMS.cap, 0) || afkFull(user)) user.afk = null;
      return null;
    },
  };
}

function plainSpending({ now }: Days) {
  return {
    buy(user: PlainUser, item: PlainItem, units: number, price: number): Code {
      if (price !== item.price) return 'PRICE_CHANGED';
      if (user.limits[item.kind] + units * item.quantity > item.limit) return 'LIMIT_REACHED';
      if (user.balance < units * price) return 'INSUFFICIENT_CREDITS';
      user.balance -= units * price;
      user.limits[item.kind] += units * item.quantity;
      return null;
    },
    refund(purchase: PlainPurchase): Code {
      const { user, kind, quantity, total } = purchase;
      if (purchase.refunded) return 'ALREADY_REFUNDED';
      if (user.limits[kind] - quantity < user.used[kind]) return 'PURCHASE_IN_USE';
      purchase.refunded = true;
      user.limits[kind] -= quantity;
      user.balance += total;
      return null;
    },
    hold(user: PlainUser, amount: number): Code {
      if (user.balance < amount) return 'INSUFFICIENT_CREDITS';
      user.balance -= amount;
      user.held += amount;
      return null;
    },
    closeHold(hold: PlainHold, back: boolean): Code {
      if (!hold.open) return 'HOLD_CLOSED';
      hold.open = false;
      hold.user.held -= hold.amount;
      if (back) hold.user.balance += hold.amount;
      return null;
    },
    renew(user: PlainUser, price: number, seenMs: number): Code {
      if (price !== TERMS.cost) return 'PRICE_CHANGED';
      if (seenMs !== user.expiresMs) return 'CONFLICT';
      const until = Math.max(now(), user.expiresMs) + TERMS.days * DAY;
      if (until > now() + TERMS.maxDays * DAY) return 'RENEW_TOO_FAR';
      if (user.balance < price) return 'INSUFFICIENT_CREDITS';
      user.balance -= price;
      user.expiresMs = until;
      return null;
    },
  };
}
