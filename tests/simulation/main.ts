import { readEngine } from '#tests/support/db.ts';
import { simulate } from './run.ts';

/**
 * `bun run simulate -- --commands N --users N --seed S --engine postgres`: the life of many servers at two panels in
 * bad weather, as long as one likes. Prints what happened; where something does not hold, it says so with the seed and
 * ends with 1.
 */
const options = new Map<string, number>([
  ['--commands', 10_000],
  ['--users', 200],
  ['--seed', 1],
]);
const { engine, words } = readEngine(process.argv.slice(2));
for (let at = 0; at < words.length; at += 2) {
  const [name = '', value = ''] = words.slice(at, at + 2);
  if (!options.has(name) || !/^[1-9]\d{0,8}$/.test(value)) {
    console.error('usage: bun run simulate -- [--commands N] [--users N] [--seed S] [--engine sqlite|postgres]');
    process.exit(2);
  }
  options.set(name, Number(value));
}
const [commands = 0, users = 0, seed = 0] = options.values();
let printed = 0;
const report = await simulate({ seed, commands, users, engine }, (done) => {
  if (done - printed < 500) return;
  printed = done;
  console.log(`${done} commands`);
});
for (const [name, { done, refused }] of report.tally) console.log(`${name}: ${done} done, ${refused} refused`);
console.log(
  `weather: ${[...report.weather].map(([name, times]) => `${name} ${times}`).join(', ')}; deaths of the product: ${report.deaths}; calls to the panels: ${report.calls}`,
);
console.log(`servers in the end: ${JSON.stringify(report.servers)}`);
for (const fault of report.faults) console.error(fault);
console.log(
  report.faults.length === 0
    ? `seed ${seed}: everything holds`
    : `seed ${seed}, ${commands} commands, ${users} users: ${report.faults.length} faults`,
);
process.exit(report.faults.length === 0 ? 0 : 1);
