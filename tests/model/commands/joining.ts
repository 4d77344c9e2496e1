import { DAY, HOUR } from '#shared/time.ts';
import { anybody, command, userOf, type Story } from '../command.ts';
import type { Plain, PlainClaim } from '../plain.ts';
import { caller } from './caller.ts';

/** Discord servers that pay, and how much; members from before are paid as well. */
export const GUILDS = [40, 90, 15, 25, 60, 33] as const;
const VESTING_MS = 7 * DAY;

/** A person joins a Discord server, or leaves it. */
const membership = command({
  name: 'membership',
  never: 'broken',
  weight: 1.5,
  draw: (plain, random) => ({
    user: anybody(plain, random),
    guild: random.int(GUILDS.length),
    joins: random.chance(0.6),
  }),
  bind({ plain, world }, { user, guild, joins }) {
    const key = `${user} ${guild}`;
    const real = `${world.outside.snowflake(user)} guild-${guild}`;
    return {
      async run() {
        if (!joins) world.outside.members.delete(real);
        else if (!plain.members.has(key)) world.outside.members.set(real, world.clock.now());
      },
      rule() {
        if (!joins) plain.members.delete(key);
        else if (!plain.members.has(key)) plain.members.set(key, plain.now());
        return null;
      },
    };
  },
});

const claim = command({
  name: 'claimJ4r',
  weight: 1,
  draw: (plain, random) => ({ user: anybody(plain, random), guild: random.int(GUILDS.length) }),
  bind(story, { user: index, guild }, step) {
    const { plain, world, names } = story;
    const key = `${index} ${guild}`;
    return {
      keyed: true,
      run: () => world.asking.j4r.claim(caller(story, index, step, `${guild}`), names.get(`guild:${guild}`) ?? ''),
      rule() {
        if (plain.claims.has(key)) return 'J4R_ALREADY_PAID';
        const joinedMs = plain.members.get(key);
        if (joinedMs === undefined) return 'J4R_NOT_MEMBER';
        const [user, credits] = [userOf(plain, index), GUILDS[guild] ?? 0];
        plain.counters.count(index, 'j4r', credits);
        const held = plain.reward(user, 'j4r', credits);
        plain.claims.set(key, {
          user,
          credits,
          held,
          joinedMs,
          vestsMs: plain.now() + VESTING_MS,
          checkMs: plain.now() + DAY,
          over: false,
        });
        return null;
      },
    };
  },
});

/** Takes a reward back: whole out of the review, otherwise what the wallet has. */
function takeBack(plain: Plain, { user, credits, held }: PlainClaim): void {
  const { index } = user;
  if (held?.state === 'rejected') return;
  if (held?.state === 'open') return plain.reject(held);
  const taken = plain.balance(`debt:${index}`) > 0 ? 0 : Math.min(credits, plain.balance(`user:${index}`));
  if (taken > 0) plain.transfer([`user:${index}`, 'system:reward.j4r', taken]);
}

function lookAt({ plain }: Story, key: string, each: PlainClaim): void {
  const now = plain.now();
  const joinedMs = plain.members.get(key);
  if (joinedMs !== undefined && now < each.vestsMs) {
    each.checkMs = Math.min(now + DAY, each.vestsMs);
    return;
  }
  each.over = true;
  if (joinedMs === undefined || joinedMs > each.joinedMs) takeBack(plain, each);
}

/** The scheduler looks whether those who were paid are still there. */
const vest = command({
  name: 'vestJ4r',
  weight: 0.5,
  draw: () => ({}),
  bind(story) {
    const { plain, world } = story;
    const due = () => [...plain.claims].filter(([, { over, checkMs }]) => !over && checkMs <= plain.now());
    return {
      run: () => world.asking.j4r.checkDue(),
      rule() {
        for (const [key, each] of due()) lookAt(story, key, each);
        return null;
      },
      // The first transaction puts the next look off; who is looked at after it is in no order, so it breaks off there
      // or not at all.
      broken(commits) {
        if (commits > 0) for (const [, each] of due()) each.checkMs = plain.now() + HOUR;
      },
    };
  },
  breaks: 1,
});

export const JOINING = [membership, claim, vest];
