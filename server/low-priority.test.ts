import { expect, test } from 'bun:test';
import { getPriority } from 'node:os';
import { join } from 'node:path';

/** Which priorities the threads of a process have that gave way: 19 is the lowest, 0 the usual one. */
async function prioritiesAfter(call: string): Promise<number[]> {
  const script = `
    import { readdirSync, readFileSync } from 'node:fs';
    import { lowerPriority } from ${JSON.stringify(join(import.meta.dir, 'low-priority.ts'))};
    ${call};
    const niceOf = (id) => Number(readFileSync('/proc/self/task/' + id + '/stat', 'utf8').split(') ')[1].split(' ')[16]);
    console.log(JSON.stringify(readdirSync('/proc/self/task').map(niceOf)));
  `;
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe' });
  return JSON.parse(await new Response(child.stdout).text()) as number[];
}

test('a process gives way with all its threads, a thread alone with itself', async () => {
  // The priority that these tests themselves were started with.
  const usual = getPriority();
  const lower = Math.min(usual + 5, 19);
  const [all, one] = await Promise.all([
    prioritiesAfter("lowerPriority('process')"),
    prioritiesAfter(`lowerPriority('thread', ${lower})`),
  ]);
  expect(all.length).toBeGreaterThan(1);
  expect(new Set(all)).toEqual(new Set([19]));
  expect(new Set(one)).toEqual(new Set([usual, lower]));
});
