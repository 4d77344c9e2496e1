import { normaliseCode } from '#shared/redeem-code.ts';
import { mayTry, TERMS, type Plain, type PlainUser } from '../plain.ts';
import { anybody, command, stepOf, userOf } from '../command.ts';
import { caller } from './caller.ts';

const newCode = command({
  name: 'newCode',
  never: 'broken',
  weight: 2,
  draw: (_plain, random) => ({ credits: 1 + random.int(120), uses: 1 + random.int(8), enabled: random.chance(0.9) }),
  bind({ world, plain }, { credits, uses, enabled }, step) {
    const { ids, clock } = world.services;
    return {
      run: () =>
        world.database.write(({ raw }) =>
          raw.run(
            `INSERT INTO redeem_codes (id, code, code_key, note, credits, uses_total, uses_count, min_age_days, starts_ms, ends_ms, enabled, created_by, created_ms, updated_ms)
             VALUES (?, ?, ?, '', ?, ?, 0, 0, NULL, NULL, ?, NULL, ?, ?)`,
            [
              ids.uuid(),
              `CODE${step}`,
              normaliseCode(`CODE${step}`),
              credits,
              uses,
              enabled ? 1 : 0,
              clock.now(),
              clock.now(),
            ],
          ),
        ),
      rule() {
        plain.codes.set(step, { credits, left: uses, enabled });
        return null;
      },
    };
  },
});

/** What tells nothing about a code, or nothing that its user does not know. */
const HARMLESS: ReadonlySet<string> = new Set(['DAILY_CAP_REACHED', 'BUDGET_SPENT', 'CODE_ALREADY_USED']);
const BOUNDS = { cap: TERMS.redeemCap, budget: TERMS.redeemBudget };

function refusal(plain: Plain, user: PlainUser, step: number): string | null {
  // With nothing left of the day no code is looked at.
  const spent = plain.counters.room(user.index, 'redeem', 1, BOUNDS);
  if (spent !== null) return spent;
  const code = plain.codes.get(step);
  if (!code) return 'CODE_UNKNOWN';
  if (user.redeemed.has(step)) return 'CODE_ALREADY_USED';
  if (!code.enabled) return 'CODE_DISABLED';
  if (code.left === 0) return 'CODE_EXHAUSTED';
  return plain.counters.room(user.index, 'redeem', code.credits, BOUNDS);
}

const redeem = command({
  name: 'redeem',
  weight: 2,
  together: true,
  draw: (plain, random) => ({
    user: anybody(plain, random),
    code: random.chance(0.85) ? (stepOf(plain.codes, random) ?? 0) : 0,
  }),
  bind(story, args, step) {
    const { world, plain } = story;
    const user = userOf(plain, args.user);
    const text = ` code${args.code}-`;
    return {
      keyed: true,
      run: () => world.services.redeem.redeem(caller(story, args.user, step, text), text),
      rule() {
        if (!mayTry(user, plain.now())) return 'RATE_LIMITED';
        const code = refusal(plain, user, args.code);
        if (code !== null && HARMLESS.has(code)) return code;
        if (code) {
          if (user.tries.count === 0) user.tries.sinceMs = plain.now();
          user.tries.count += 1;
          return code;
        }
        const found = plain.codes.get(args.code);
        if (!found) throw new Error('a code that is not refused is there');
        found.left -= 1;
        user.redeemed.add(args.code);
        plain.counters.count(user.index, 'redeem', found.credits);
        plain.reward(user, 'redeem', found.credits);
        return null;
      },
    };
  },
});

export const REDEEM = [newCode, redeem];
