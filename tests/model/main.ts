import { readEngine } from '#tests/support/db.ts';
import { STORY, tell } from './all.ts';

/**
 * `bun run model -- --operations N --seed S --engine postgres`: random commands on credits against a plain model, as
 * many as one likes. Prints how it goes on; at a disagreement prints the seed and a list of operations made short, and
 * ends with 1.
 */
const options = new Map<string, number>([
  ['--operations', 1_000_000],
  ['--seed', 1],
]);
const { engine, words } = readEngine(process.argv.slice(2));
for (let at = 0; at < words.length; at += 2) {
  const [name = '', value = ''] = words.slice(at, at + 2);
  if (!options.has(name) || !/^\d{1,9}$/.test(value)) {
    console.error('usage: bun run model -- [--operations N] [--seed S] [--engine sqlite|postgres]');
    process.exit(2);
  }
  options.set(name, Number(value));
}
const [operations = 0, seed = 0] = options.values();

for (let done = 0, story = 0; done < operations; story += 1) {
  try {
    done += (await tell(seed + story, Math.min(STORY, operations - done), { engine })).steps.length;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
  console.log(`${done} operations, seeds ${seed} to ${seed + story}: product and model agree`);
}
process.exit(0);
