import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { readOptions, type Part } from './parts.ts';
import { canPin, pinned } from './pin.ts';
import { table, verdict, type Figure } from './report.ts';

/**
 * `bun run bench`: the figures of the product beside their baselines, on this machine, in this run. `--json` prints one
 * line a figure; `--only a,c` selects; `--no-build` takes the files of the last build as they are. The exit code says
 * whether everything could be measured, not whether the goals hold.
 */
const ROOT = join(import.meta.dir, '../..');

/** Runs a program and gives its standard output. Throws with its error output when it fails. */
async function run(command: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const child = Bun.spawn([...command], { cwd: ROOT, env: { ...process.env, ...env }, stdout: 'pipe', stderr: 'pipe' });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`${command.join(' ')} failed:\n${err || out}`);
  return out;
}

/** Measures a part in a process of its own, as production runs it: React's production build, on one core. */
async function measure({ letter, core }: Part): Promise<Figure[]> {
  const command = [process.execPath, join(import.meta.dir, 'worker.ts'), letter];
  const out = await run(core === null ? command : pinned(core, command), { NODE_ENV: 'production' });
  return JSON.parse(out.trim().split('\n').at(-1) ?? '') as Figure[];
}

const { json, build, parts } = readOptions(process.argv.slice(2));
const print = (text: string) => (json ? undefined : console.log(text));
print(
  `${cpus().length} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB, Bun ${Bun.version}${canPin ? '' : ', processes not held on one core'}`,
);
if (build && parts.some(({ letter }) => letter !== 'c'))
  await run([process.execPath, join(ROOT, 'scripts/build.ts')], {});

const figures: Figure[] = [];
for (const part of parts) {
  print(`${part.letter}  ${part.what} …`);
  const begunMs = performance.now();
  const found = await measure(part);
  print(`   ${Math.round((performance.now() - begunMs) / 1000)} s`);
  figures.push(...found);
  if (json) for (const figure of found) console.log(JSON.stringify(figure));
}
if (!json) for (const line of ['', ...table(figures), '', verdict(figures)]) console.log(line);
