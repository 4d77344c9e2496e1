import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import { anybody, command, stepOf, userOf } from '../command.ts';
import { caller } from './caller.ts';

/** The terms of behaviour 4.5. */
const [CREDITS, LEAST_MS, MOST_MS, COOLDOWN_MS, DAILY] = [100, MINUTE, HOUR, HOUR, 5] as const;

/**
 * Begins a way through a sponsor's pages; one that is open goes on. It takes three transactions, and what it leaves
 * behind when broken off is its own tests'.
 */
const start = command({
  name: 'startLink',
  never: 'broken',
  weight: 0.8,
  draw: (plain, random) => ({ user: anybody(plain, random) }),
  bind(story, { user: index }, step) {
    const { plain, world, names } = story;
    const user = userOf(plain, index);
    const open = () => [...plain.ways].find(([, way]) => way.user === user && way.state === 'open');
    return {
      run: () => world.asking.links.start(caller(story, index, step, ''), 'generic'),
      rule() {
        const now = plain.now();
        const running = open();
        if (running && now < running[1].expiresMs) return null;
        const done = [...plain.ways.values()]
          .filter((way) => way.user === user && way.closedMs !== null)
          .map((way) => way.closedMs ?? 0);
        const today = done.filter((ms) => ms >= now - (now % DAY)).length;
        if (today >= DAILY || done.some((ms) => now < ms + COOLDOWN_MS)) return 'LINK_COOLDOWN';
        if (running) running[1].state = 'expired';
        plain.ways.set(step, {
          user,
          state: 'open',
          readyMs: now + LEAST_MS,
          expiresMs: now + MOST_MS,
          closedMs: null,
        });
        return null;
      },
      keep(answer) {
        const { claimId } = answer as { claimId: string };
        const running = open();
        names.set(`way:${running?.[0]}`, world.outside.tokens.get(claimId) ?? '');
        return null;
      },
    };
  },
});

/** The visitor comes back: too early, in time, too late, or once more. Nothing proves it, so the reward waits. */
const finish = command({
  name: 'finishLink',
  weight: 0.8,
  together: true,
  draw(plain, random) {
    const way = stepOf(plain.ways, random);
    return way === null ? null : { way, stranger: random.chance(0.1) };
  },
  bind(story, { way: number, stranger }) {
    const { plain, world, names } = story;
    const way = plain.ways.get(number);
    const token = names.get(`way:${number}`);
    if (!way || !token) return null;
    const by = stranger ? (way.user.index + 1) % plain.users.length : way.user.index;
    return {
      run: () => world.asking.links.finish(caller(story, by), { claim: token }),
      rule() {
        const now = plain.now();
        if (stranger) return 'LINK_CLAIM_UNKNOWN';
        if (way.state === 'expired' || (way.state === 'open' && now >= way.expiresMs)) return 'LINK_CLAIM_OVER';
        if (way.state !== 'open') return 'LINK_CLAIM_USED';
        if (now < way.readyMs) return 'LINK_TOO_SOON';
        way.state = 'done';
        way.closedMs = now;
        plain.counters.count(way.user.index, 'link', CREDITS);
        plain.reward(way.user, 'link', CREDITS, { proof: false });
        return null;
      },
    };
  },
});

export const LINKS = [start, finish];
