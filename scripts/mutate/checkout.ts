import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Mutant } from './mutants.ts';

/** What tests beyond their usual time may take on a busy machine before a fault counts as found: it hangs. */
const PATIENCE = { factor: 4, ms: 20_000 };

/** A copy of the project in which one fault after the other is tried. */
export interface Checkout {
  /** Runs the stages without a fault. Out: how long each took, in ms. Throws when one fails. */
  prepare(stages: readonly (readonly string[])[]): Promise<readonly number[]>;
  /** Whether the tests find a fault; when they do not, whether the compiler does. In: the times of `prepare`. */
  finds(mutant: Mutant, stages: readonly (readonly string[])[], times: readonly number[]): Promise<boolean>;
  remove(): void;
}

/**
 * Copies all files of the project that Git does not ignore into a temporary folder; packages and the built client are
 * shared. In: the project's folder and what the tests get from the environment beside the usual.
 */
export function copyCheckout(root: string, environment: Readonly<Record<string, string>>): Checkout {
  const folder = mkdtempSync(join(tmpdir(), 'spawnpoint-mutate-'));
  const listed = Bun.spawnSync(['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  for (const path of listed.stdout.toString().split('\0').filter(Boolean)) {
    // Deleted, but not committed yet.
    if (!existsSync(join(root, path))) continue;
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    copyFileSync(join(root, path), join(folder, path));
  }
  // What is installed and what was built last: faults of the server need no other client.
  for (const shared of ['node_modules', 'dist'])
    if (existsSync(join(root, shared))) symlinkSync(join(root, shared), join(folder, shared));

  /** Whether a command ends well in the copy within so many ms. */
  async function run(command: readonly string[], withinMs: number): Promise<boolean> {
    const child = Bun.spawn([process.execPath, ...command], {
      cwd: folder,
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'ignore', 'ignore'],
      timeout: Math.ceil(withinMs),
      killSignal: 'SIGKILL',
    });
    return (await child.exited) === 0;
  }
  const testing = (paths: readonly string[]) => [
    'test',
    '--bail',
    '--timeout=120000',
    ...paths.map((path) => `./${path}`),
  ];

  return {
    async prepare(stages) {
      const times: number[] = [];
      for (const paths of stages) {
        const begun = performance.now();
        if (!(await run(testing(paths), 600_000))) throw new Error(`fails without any fault: ${paths.join(' ')}`);
        times.push(performance.now() - begun);
      }
      return times;
    },
    async finds({ file, source }, stages, times) {
      const path = join(folder, file);
      const sound = readFileSync(path, 'utf8');
      try {
        writeFileSync(path, source);
        for (const [at, paths] of stages.entries())
          if (!(await run(testing(paths), (times[at] ?? 0) * PATIENCE.factor + PATIENCE.ms))) return true;
        return !(await run(['check'], 120_000));
      } finally {
        writeFileSync(path, sound);
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
