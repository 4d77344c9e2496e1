import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { accessible, expect, overflowOf, ready } from './fixtures.ts';

/** Ends a process, unless it has ended by itself. */
function end(pid: number, signal: 'SIGKILL' | 'SIGTERM'): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Ends what outlives the product on purpose: servers, where a story broke off, and the node that it began. */
export function endServersOf(folder: string): void {
  for (const name of readdirSync(folder)) {
    for (const group of [`/sys/fs/cgroup/pids/spawnpoint/${name}`, `/sys/fs/cgroup/spawnpoint/${name}`]) {
      if (!existsSync(group)) continue;
      const pids = readFileSync(join(group, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean);
      for (const pid of pids) end(Number(pid), 'SIGKILL');
    }
  }
  const node = JSON.parse(readFileSync('/run/spawnpoint-node.serving', 'utf8'));
  if (String(node.address).startsWith(folder)) end(Number(node.pid), 'SIGTERM');
  rmSync(folder, { recursive: true, force: true });
}

/**
 * Opens a page and waits until it is hydrated. Where Chromium broke it off because a server that starts beside it
 * changed the networks of its machine, it is loaded again, as anybody would.
 */
export async function openPage(page: Page, address: string): Promise<void> {
  await expect(async () => {
    await page.goto(address);
    await ready(page, { timeout: 30_000 });
  }).toPass();
}

/** The page that a server on this machine answers with; null where nobody answers. */
export const textAt = (address: string): Promise<string | null> =>
  fetch(`http://${address}/`, { keepalive: false }).then(
    (answer) => answer.text(),
    () => null,
  );

/** What a page shows in every width: whole, and accessible. */
export async function lookAt(page: Page, what: string): Promise<void> {
  for (const width of [1440, 768, 360]) {
    await page.setViewportSize({ width, height: 900 });
    await accessible(page, `${what} at ${width}`);
    expect(await overflowOf(page), `nothing sticks out at ${width}`).toBeLessThanOrEqual(0);
    if (process.env.E2E_LOOK)
      await page.screenshot({ path: `${process.env.E2E_LOOK}-${what}-${width}.png`, fullPage: true });
  }
  await page.setViewportSize({ width: 1440, height: 900 });
}
