import { HOUR, SECOND } from '#shared/time.ts';
import { anybody, command } from '../command.ts';
import { idOf } from './wallet.ts';

const pass = command({
  name: 'pass',
  never: 'broken',
  weight: 1.5,
  draw: (_plain, random) => ({
    ms: random.chance(0.7) ? random.int(20) * SECOND : random.int(random.pick([1, 20, 60])) * HOUR,
  }),
  bind: ({ plain, world }, { ms }) => ({
    run: async () => void world.clock.advance(ms),
    rule() {
      plain.pass(ms);
      return null;
    },
  }),
});

/** The process ends between two commands, and another begins with what the file holds. */
const restart = command({
  name: 'restart',
  never: 'broken',
  weight: 0.1,
  draw: () => ({}),
  bind: ({ world }) => ({ run: () => world.restart(), rule: () => null }),
});

/** A command that went well, sent once more with its key: the same answer, and nothing changes. */
const again = command({
  name: 'again',
  weight: 1,
  draw(plain, random) {
    const last = plain.keyed.slice(-20);
    return last.length === 0 ? null : { step: random.pick(last) };
  },
  bind({ answers }, { step }) {
    const first = answers.get(step);
    return first
      ? {
          run: first.run,
          rule: () => null,
          keep: (answer) => (JSON.stringify(answer) === first.text ? null : `another answer than ${first.text}`),
        }
      : null;
  },
});

/** What a user has earned and paid so far goes into the archive of the ledger, however young; nothing changes by it. */
const archive = command({
  name: 'archive',
  weight: 1,
  together: true,
  draw: (plain, random) => ({ user: anybody(plain, random) }),
  bind(story, { user }) {
    const { uow } = story.world.services;
    const beforeMs = story.plain.now();
    return { run: () => uow.run((tx) => tx.ledgerArchive.archive(idOf(story, user), beforeMs)), rule: () => null };
  },
});

export const TIME = [pass, restart, again, archive];
