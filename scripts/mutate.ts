import { readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { Glob } from 'bun';
import { parseArgs } from 'node:util';
import { postgresServer } from '#tests/support/postgres.ts';
import { isAccepted } from './mutate/accepted.ts';
import { copyCheckout } from './mutate/checkout.ts';
import { mutantsOf, someOf, type Mutant } from './mutate/mutants.ts';
import { suitesOf } from './mutate/suites.ts';

/**
 * `bun run mutate [PATH…] [--limit N] [--seed S] [--kind K] [--workers W] [--list]`: makes small faults in the files
 * given, one at a time and in copies of the project, runs the tests that belong to the file, and prints what they did
 * not find. `--limit`: at most so many faults of each file, chosen by the seed. `--list`: prints the faults only. Ends
 * with 1 when something survived that scripts/mutate/accepted.ts does not know.
 */
const ROOT = join(import.meta.dir, '..');
/** What a run without paths looks at: credits, money, access, limits, the queue, sessions. */
const USUAL = [
  'server/modules/ledger',
  'server/modules/payments',
  'server/modules/store',
  'server/modules/gifts',
  'server/modules/rewards',
  'server/modules/permit.ts',
  'server/modules/access',
  'server/modules/limits',
  'server/modules/identity',
  'server/jobs',
  'server/http',
  'server/api/session-cookies.ts',
  'shared/guard.ts',
  'shared/can.ts',
  'shared/contract',
];
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    limit: { type: 'string', default: '25' },
    seed: { type: 'string', default: '1' },
    kind: { type: 'string' },
    workers: { type: 'string', default: '2' },
    list: { type: 'boolean', default: false },
  },
});

/** The files of the product below a path. */
function filesIn(path: string): string[] {
  const found = statSync(join(ROOT, path)).isDirectory()
    ? [...new Glob(`${path.replace(/\/$/, '')}/**/*.{ts,tsx}`).scanSync(ROOT)].toSorted()
    : [path];
  return found.filter((file) => !/\.test\.tsx?$|\.types\.ts$|\.d\.ts$/.test(file));
}

const show = ({ file, line, kind, within, from, to }: Mutant): string =>
  `${file}:${line} ${kind}${within ? ` in ${within}` : ''}\n  - ${from}\n  + ${to}`;

interface Counted {
  made: number;
  found: number;
  accepted: number;
  survived: number;
}
const counts = new Map<string, Counted>();
const files = [...new Set((positionals.length > 0 ? positionals : USUAL).map((path) => relative(ROOT, resolve(path))))]
  .flatMap(filesIn)
  .map((file) => ({
    file,
    mutants: someOf(
      mutantsOf(file, readFileSync(join(ROOT, file), 'utf8')).filter(
        ({ kind }) => !values.kind || kind === values.kind,
      ),
      Number(values.limit),
      Number(values.seed),
    ),
  }))
  .filter(({ mutants }) => mutants.length > 0);
if (values.list) {
  for (const { mutants } of files) for (const mutant of mutants) console.log(show(mutant));
  process.exit(0);
}

const environment = { TEST_POSTGRES_URL: await postgresServer() };
const checkouts = Array.from({ length: Number(values.workers) }, () => copyCheckout(ROOT, environment));
process.on('exit', () => {
  for (const checkout of checkouts) checkout.remove();
});
process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));

for (const { file, mutants } of files) {
  const counted: Counted = { made: mutants.length, found: 0, accepted: 0, survived: 0 };
  counts.set(file, counted);
  const stages = suitesOf(ROOT, file);
  const left = mutants.filter((mutant) => !isAccepted(mutant));
  counted.accepted = mutants.length - left.length;
  const times = left.length > 0 ? await checkouts[0]?.prepare(stages) : [];
  await Promise.all(
    checkouts.map(async (checkout) => {
      for (let mutant = left.shift(); mutant; mutant = left.shift()) {
        if (await checkout.finds(mutant, stages, times ?? [])) {
          counted.found += 1;
          continue;
        }
        counted.survived += 1;
        console.log(show(mutant));
      }
    }),
  );
  console.log(
    `${file}: ${counted.made} faults, ${counted.found} found, ${counted.accepted} accepted, ${counted.survived} survived`,
  );
}
const sum = (key: keyof Counted) => [...counts.values()].reduce((all, each) => all + each[key], 0);
console.log(
  `${counts.size} files: ${sum('made')} faults, ${sum('found')} found, ${sum('accepted')} accepted, ${sum('survived')} survived`,
);
process.exit(sum('survived') > 0 ? 1 : 0);
