import { HOUR, SECOND } from '#shared/time.ts';
import { command } from '../command.ts';

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

export const TIME = [pass, restart, again];
