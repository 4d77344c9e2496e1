import { command, type Story } from '../command.ts';
import type { Plain, PlainHeld } from '../plain.ts';
import { asOwner, caller } from './caller.ts';

/** Id of a held reward: the user's n-th. */
async function idOf({ world }: Story, plain: Plain, held: PlainHeld): Promise<string> {
  const at = plain.held.filter(({ user }) => user === held.user).indexOf(held);
  const rows = await world.database.read(({ raw }) =>
    raw.all<{ id: string }>('SELECT id FROM held_rewards WHERE user_id = ? ORDER BY id', [
      world.players[held.user.index]?.userId ?? '',
    ]),
  );
  return rows[at]?.id ?? '';
}

function payOut(plain: Plain, held: PlainHeld): void {
  held.state = 'released';
  plain.transfer([`hold:${held.user.index}`, `user:${held.user.index}`, held.amount]);
}

/** Staff decide on a reward that waits, or did. */
const decide = command({
  name: 'decideHeld',
  weight: 1,
  draw(plain, random) {
    if (plain.held.length === 0) return null;
    const last = Math.max(0, plain.held.length - 10);
    return {
      held: last + random.int(plain.held.length - last),
      by: random.int(plain.users.length),
      release: random.chance(0.5),
    };
  },
  bind(story, { held: number, by, release }) {
    const { plain, world } = story;
    const held = plain.held[number];
    if (!held) return null;
    return {
      run: async () =>
        world.services.abuse.decide(
          asOwner(caller(story, by)),
          await idOf(story, plain, held),
          release ? 'release' : 'reject',
        ),
      rule() {
        if (held.user.index === by) return 'FORBIDDEN';
        if (held.state !== 'open') return 'HOLD_CLOSED';
        if (release) payOut(plain, held);
        else plain.reject(held);
        return null;
      },
    };
  },
});

/** The scheduler releases what has waited long enough for a proof that does not come. */
const release = command({
  name: 'releaseHeld',
  weight: 0.3,
  draw: () => ({}),
  bind(story) {
    const { plain, world } = story;
    const due = () =>
      plain.held.filter(({ state, releaseMs }) => state === 'open' && releaseMs !== null && releaseMs <= plain.now());
    return {
      run: () => world.services.abuse.releaseDue(),
      rule() {
        for (const held of due()) payOut(plain, held);
        return null;
      },
      broken(commits) {
        for (const held of due().slice(0, commits)) payOut(plain, held);
      },
    };
  },
});

export const HELD = [decide, release];
