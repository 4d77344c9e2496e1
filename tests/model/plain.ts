import type { Resources } from '#shared/constants.ts';
import { HOUR } from '#shared/time.ts';

/**
 * The rules of credits once more, as simply as they can be said, without database or concurrency. What the product does
 * is compared with it. The rule of each command stands with the command (commands/*.ts); here is what they share. A
 * rule gives the code it refuses with, or `null` and has then changed the model.
 */
export type Code = string | null;
export interface PlainUser {
  readonly index: number;
  readonly limits: Resources;
  /** In use by the user's one server. */
  readonly used: Resources;
  expiresMs: number;
  readonly redeemed: Set<number>;
  /** Wrong codes tried within the hour. */
  tries: { sinceMs: number; count: number };
  /** The AFK session that runs, by the number of the step that started it. */
  afk: number | null;
}
export interface PlainAfk {
  readonly user: PlainUser;
  /** Which of the user's two devices. */
  readonly device: number;
  lastMs: number | null;
  countedMs: number;
  minutes: number;
  end: 'taken_over' | 'stopped' | 'full' | null;
}
export interface PlainCode {
  readonly credits: number;
  left: number;
  readonly enabled: boolean;
}
export interface PlainPurchase {
  readonly user: PlainUser;
  readonly kind: keyof Resources;
  readonly quantity: number;
  readonly total: number;
  refunded: boolean;
}
export interface PlainHold {
  readonly user: PlainUser;
  readonly amount: number;
  open: boolean;
}

export interface PlainOrder {
  readonly user: PlainUser;
  /** Money in minor units; at the model's rate it is as many credits. */
  readonly amount: number;
  readonly credits: number;
  readonly placedMs: number;
  /** The bank was asked when nobody was expected to pay any more: it no longer counts among the open ones. */
  expired: boolean;
  credited: boolean;
  /** As the bank has it. */
  bankPaid: boolean;
  bankRefunded: number;
  /** Money that went back, as far as the product knows; what it asked for and has no answer to. */
  refunded: number;
  asked: number;
  /** What counts of its dispute, and when the bank said it. */
  dispute: { readonly state: 'open' | 'taken' | 'lost' | 'won'; readonly atMs: number } | null;
  /** Credits taken back. */
  clawedBack: number;
}
/** A reward for joining a Discord server. */
export interface PlainClaim {
  readonly user: PlainUser;
  readonly credits: number;
  /** Where it went into review. */
  readonly held: PlainHeld | null;
  readonly joinedMs: number;
  readonly vestsMs: number;
  checkMs: number;
  over: boolean;
}
/** A way through a sponsor's pages. */
export interface PlainWay {
  readonly user: PlainUser;
  state: 'open' | 'done' | 'expired';
  readonly readyMs: number;
  readonly expiresMs: number;
  closedMs: number | null;
}
export interface PlainReferral {
  readonly referrer: PlainUser;
  decided: boolean;
  /** Whether the newcomer was paid, and the month in which the referrer was. */
  newcomer: boolean;
  referrerMonth: string | null;
}

/** A reward that waits for review, or did. */
export interface PlainHeld {
  readonly user: PlainUser;
  readonly source: string;
  amount: number;
  /** Small rewards that wait as one. */
  readonly pool: string | null;
  /** When it is paid by itself; null: staff decide. */
  releaseMs: number | null;
  /** What of it counts on which day. */
  counted: { day: string; credits: number };
  state: 'open' | 'released' | 'rejected';
}

/** An account as the model names it: `user:0`, `hold:0`, `debt:0` or `system:store`. */
export type PlainAccount = string;
export type PlainPosting = readonly [source: PlainAccount, destination: PlainAccount, amount: number];

/** Numbers the model runs with; the product gets the same as settings. */
export const TERMS = {
  cap: 7,
  perMinute: 2,
  redeemCap: 300,
  redeemBudget: 500,
  cost: 100,
  days: 2,
  maxDays: 9,
  tries: 10,
  giftCap: 2000,
  giftMax: 1000,
  proofMs: 24 * HOUR,
} as const;
/** The user whose rewards all wait for review: the abuse score is high from the beginning. */
export const SUSPECT = 3;

export type Plain = ReturnType<typeof plainModel>;

/** A model without users. In: the time it begins at, UTC ms. */
export function plainModel(startMs: number) {
  const users: PlainUser[] = [];
  const clock = plainClock(startMs);
  const ledger = plainLedger();
  const held: PlainHeld[] = [];
  const counters = plainCounters(clock.day);
  return {
    users,
    ...clock,
    counters,
    /** Gifts sent a day. */
    gifts: plainCounters(clock.day),
    ...ledger,
    ...plainThings(),
    held,
    /**
     * Pays a reward that was counted, or holds it for review (behaviour 4.6): of who looks suspicious, and what nothing
     * proves.
     */
    reward(
      user: PlainUser,
      source: string,
      amount: number,
      { pool = null, proof = true }: { pool?: string | null; proof?: boolean } = {},
    ): PlainHeld | null {
      const suspect = user.index === SUSPECT;
      const waits = suspect || !proof;
      ledger.transfer([`system:reward.${source}`, `${waits ? 'hold' : 'user'}:${user.index}`, amount]);
      if (!waits) return null;
      const open =
        pool === null
          ? undefined
          : held.find((each) => each.user === user && each.pool === pool && each.state === 'open');
      if (open) {
        open.amount += amount;
        open.counted = {
          day: clock.day(),
          credits: amount + (open.counted.day === clock.day() ? open.counted.credits : 0),
        };
        return open;
      }
      const made: PlainHeld = {
        user,
        source,
        amount,
        pool,
        releaseMs: suspect ? null : clock.now() + TERMS.proofMs,
        counted: { day: clock.day(), credits: amount },
        state: 'open',
      };
      held.push(made);
      return made;
    },
    /** Staff reject what waits, or it is taken back: whole to its source, and what counts today back to the day. */
    reject(each: PlainHeld): void {
      each.state = 'rejected';
      ledger.transfer([`hold:${each.user.index}`, `system:reward.${each.source}`, each.amount]);
      counters.uncount(each.user.index, each.source, each.counted.credits, each.counted.day);
    },
    addUser(limits: Resources, used: Resources, expiresMs: number): PlainUser {
      const user: PlainUser = {
        index: users.length,
        limits: { ...limits },
        used: { ...used },
        expiresMs,
        redeemed: new Set(),
        tries: { sinceMs: 0, count: 0 },
        afk: null,
      };
      users.push(user);
      return user;
    },
  };
}

/** What came to be by steps, by the number of the step. */
function plainThings() {
  return {
    /** Steps that went well under an Idempotency-Key. */
    keyed: [] as number[],
    codes: new Map<number, PlainCode>(),
    purchases: new Map<number, PlainPurchase>(),
    holds: new Map<number, PlainHold>(),
    sessions: new Map<number, PlainAfk>(),
    orders: new Map<number, PlainOrder>(),
    /** What notices of the bank do that are recorded and not yet carried out. */
    waiting: [] as (() => void)[],
    /** Since when a user is in a Discord server, and what was paid for it: `<user> <guild>`. */
    members: new Map<string, number>(),
    claims: new Map<string, PlainClaim>(),
    ways: new Map<number, PlainWay>(),
    referrals: new Map<number, PlainReferral>(),
  };
}

function plainClock(startMs: number) {
  let now = startMs;
  return {
    now: () => now,
    day: () => new Date(now).toISOString().slice(0, 10),
    pass: (ms: number) => {
      now += ms;
    },
  };
}

/**
 * Balances of accounts, with the one rule of the ledger: nobody but the system goes below zero, and who has a debt does
 * not spend.
 */
function plainLedger() {
  const balances = new Map<PlainAccount, number>();
  const touched = new Set<PlainAccount>();
  const balance = (account: PlainAccount) => balances.get(account) ?? 0;
  const add = (account: PlainAccount, amount: number) => {
    touched.add(account);
    balances.set(account, balance(account) + amount);
  };
  const move = (postings: readonly PlainPosting[]) => {
    for (const [source, destination, amount] of postings) {
      add(source, -amount);
      add(destination, amount);
    }
  };
  return {
    balances,
    balance,
    /** Moves credits, or refuses as the ledger does. */
    transfer(...postings: readonly PlainPosting[]): Code {
      const payers = postings.map(([source]) => source).filter((source) => !source.startsWith('system:'));
      const paysDebt = (debt: string) => postings.some(([source]) => source === debt);
      for (const payer of payers.filter((account) => account.startsWith('user:'))) {
        const debt = payer.replace('user:', 'debt:');
        if (balance(debt) > 0 && !paysDebt(debt)) return 'SPENDING_BLOCKED';
      }
      move(postings);
      if (payers.every((account) => balance(account) >= 0)) return null;
      move(postings.map(([source, destination, amount]) => [destination, source, amount]));
      return 'INSUFFICIENT_CREDITS';
    },
    /**
     * Takes paid credits back: what the wallet has, and the rest as a debt; all of it as a debt where there is one
     * already.
     */
    chargeBack(user: number, amount: number, account: PlainAccount): void {
      const taken = balance(`debt:${user}`) > 0 ? 0 : Math.min(amount, balance(`user:${user}`));
      move([
        [`user:${user}`, account, taken],
        ['system:debt', `debt:${user}`, amount - taken],
        ['system:debt', account, amount - taken],
      ]);
    },
    /** Gives them back: first off the debt, the rest to the wallet. */
    giveBack(user: number, amount: number, account: PlainAccount): void {
      const off = Math.min(amount, balance(`debt:${user}`));
      move([
        [`debt:${user}`, 'system:debt', off],
        [account, 'system:debt', off],
        [account, `user:${user}`, amount - off],
      ]);
    },
    /** Accounts that moved since this was asked the last time. */
    takeTouched(): PlainAccount[] {
      const list = [...touched];
      touched.clear();
      return list;
    },
  };
}

/** Credits counted against caps and budgets. `who`: index of a user, `*` for all. */
export function plainCounters(day: () => string) {
  const counted = new Map<string, number>();
  const key = (who: number | '*', source: string) => `${who} ${source} ${day()}`;
  const today = (who: number | '*', source: string) => counted.get(key(who, source)) ?? 0;
  return {
    today,
    /** What a user earned today, by source. */
    ofToday(user: number): string[] {
      const [head, tail] = [`${user} `, ` ${day()}`];
      return [...counted]
        .filter(([name, credits]) => credits > 0 && name.startsWith(head) && name.endsWith(tail))
        .map(([name, credits]) => `${name.slice(head.length, -tail.length)} ${credits}`)
        .sort();
    },
    /** Why no more is paid today, or null. 0 = no bound. */
    room(
      user: number,
      source: string,
      amount: number,
      { cap = 0, budget = 0 }: { cap?: number; budget?: number },
    ): Code {
      if (cap > 0 && today(user, source) + amount > cap) return 'DAILY_CAP_REACHED';
      return budget > 0 && today('*', source) + amount > budget ? 'BUDGET_SPENT' : null;
    },
    /** What went back to its source on the day it was counted. */
    uncount(user: number, source: string, amount: number, on: string): void {
      if (on === day())
        for (const who of [user, '*'] as const) counted.set(key(who, source), today(who, source) - amount);
    },
    count(user: number, source: string, amount: number): void {
      for (const who of [user, '*'] as const) counted.set(key(who, source), today(who, source) + amount);
    },
  };
}

/** Whether another wrong code may be tried. */
export function mayTry(user: PlainUser, now: number): boolean {
  if (now >= user.tries.sinceMs + HOUR) user.tries.count = 0;
  return user.tries.count < TERMS.tries;
}
