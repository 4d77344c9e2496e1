import { expect, test } from 'bun:test';
import { toCredits } from '#shared/credits.ts';
import { fromEnvironment } from '#tests/support/random.ts';
import { COMMANDS, STORY, tell } from './all.ts';
import { anybody, command } from './command.ts';

// Six stories: every command is done and broken off in them, and faults that were put in for it came up within some
// hundred operations. `bun run model` plays on for as long as one likes.
const OPERATIONS = fromEnvironment('MODEL_OPERATIONS', 30_000);
const SEED = fromEnvironment('MODEL_SEED', 20_260_310);

test(`T10 ${OPERATIONS} commands on credits, many of them broken off between two statements, leave what a plain model says`, async () => {
  const sums = new Map(COMMANDS.map(({ name }) => [name, { done: 0, refused: 0, broken: 0 }]));
  let operations = 0;
  for (let story = 0; operations < OPERATIONS; story += 1) {
    const { steps, tally } = await tell(SEED + story, Math.min(STORY, OPERATIONS - operations));
    operations += steps.length;
    for (const [name, sum] of sums)
      for (const how of ['done', 'refused', 'broken'] as const) sum[how] += tally[name]?.[how] ?? 0;
  }
  // A command that never comes through, or is never broken off, is not tested by this.
  const happened = (how: 'done' | 'refused' | 'broken') =>
    [...sums].filter(([, sum]) => sum[how] > 0).map(([name]) => name);
  expect(COMMANDS.filter(({ never }) => never !== 'done').map(({ name }) => name)).toEqual(happened('done'));
  expect(COMMANDS.filter(({ never }) => never !== 'broken').map(({ name }) => name)).toEqual(happened('broken'));
}, 600_000);

test('T10 on PostgreSQL the model and the product agree as well, whatever is broken off', async () => {
  const { tally } = await tell(SEED, 1500, { engine: 'postgres' });
  const times = (how: 'done' | 'broken') => Object.values(tally).reduce((sum, each) => sum + each[how], 0);
  expect([times('done') > 500, times('broken') > 50]).toEqual([true, true]);
}, 300_000);

test('a fault is found, and reported with its seed and a short list of operations', async () => {
  // Pays one credit more than its rule says, but only to who has something on hold: it takes three steps to see it.
  const leaky = command({
    name: 'leaky',
    weight: 2,
    draw: (plain, random) => ({ user: anybody(plain, random) }),
    bind({ world, plain }, { user }, step) {
      const { ledger, uow } = world.services;
      const held = plain.balance(`hold:${user}`) > 0;
      const postings = [
        {
          source: 'system:adjustment',
          destination: `user:${world.players[user]?.userId}`,
          amount: toCredits(held ? 6 : 5),
        },
      ] as const;
      return {
        run: () => uow.run((tx) => ledger.transfer(tx, { kind: 'leak', reference: `leak:${step}`, postings })),
        rule: () => plain.transfer(['system:adjustment', `user:${user}`, 5]),
      };
    },
  });
  const text = await tell(7, 1000, { commands: [...COMMANDS, leaky] }).then(
    () => '',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  const lines = text.split('\n');
  expect(lines[0]).toMatch(
    /^seed 7, \d+ operations: (user:\d|system:adjustment) has -?\d+ in the ledger and -?\d+ in the model$/,
  );
  expect(lines[1]).toMatch(/^made short \(\d\): /);
  const steps = lines.slice(2).map((line) => line.split(' ')[1]);
  expect(steps.length).toBeLessThan(7);
  expect(steps.at(-1)).toBe('leaky');
}, 300_000);
