import { command, stepOf, userOf } from '../command.ts';
import type { Plain, PlainReferral } from '../plain.ts';
import { caller } from './caller.ts';

/** What both sides get, and the referrer at most in a calendar month (behaviour 4.4). */
const [NEWCOMER, REFERRER, MONTHLY] = [15, 35, 20] as const;

/** Somebody new comes by a user's code, settled in from the beginning: two days old, with a server. */
const invite = command({
  name: 'invite',
  never: 'broken',
  weight: 0.4,
  draw: (plain, random) => ({ user: random.int(plain.users.length) }),
  bind(story, { user }, step) {
    const { plain, world, names } = story;
    const { services } = world;
    return {
      async run() {
        const { code } = await services.referrals.makeCode(caller(story, user));
        names.set(
          `newcomer:${step}`,
          await world.addNewcomer(step, (tx, userId) =>
            services.referrals.addReferral(tx, {
              userId,
              referral: code,
              address: `10.${step >> 16}.${(step >> 8) & 255}.${step & 255}`,
            }),
          ),
        );
      },
      rule() {
        plain.referrals.set(step, {
          referrer: userOf(plain, user),
          decided: false,
          newcomer: false,
          referrerMonth: null,
        });
        return null;
      },
    };
  },
});

/** The three transactions of a look at a referral, each of which may be the last that comes through. */
function stages(plain: Plain, step: number, referral: PlainReferral): (() => void)[] {
  const { index } = referral.referrer;
  const month = new Date(plain.now()).toISOString().slice(0, 7);
  return [
    () => {
      referral.decided = true;
    },
    () => {
      if (!referral.newcomer) plain.transfer(['system:reward.referral', `user:n${step}`, NEWCOMER]);
      referral.newcomer = true;
    },
    () => {
      if (referral.referrerMonth !== null) return;
      const rewarded = [...plain.referrals.values()].filter(
        ({ referrer, referrerMonth }) => referrer.index === index && referrerMonth === month,
      ).length;
      if (rewarded >= MONTHLY) return;
      referral.referrerMonth = month;
      plain.counters.count(index, 'referral', REFERRER);
      plain.reward(referral.referrer, 'referral', REFERRER);
    },
  ];
}

const check = command({
  name: 'checkReferral',
  weight: 0.6,
  draw(plain, random) {
    const referral = stepOf(plain.referrals, random);
    return referral === null ? null : { referral };
  },
  bind({ plain, world, names }, { referral: step }) {
    const referral = plain.referrals.get(step);
    const newcomer = names.get(`newcomer:${step}`);
    if (!referral || !newcomer) return null;
    const run = (count: number) => {
      for (const stage of stages(plain, step, referral).slice(0, count)) stage();
    };
    return {
      run: () => world.services.referrals.check(newcomer),
      rule() {
        run(3);
        return null;
      },
      broken: run,
    };
  },
});

export const REFERRALS = [invite, check];
