import type { Events } from '../events/index.ts';
import type { Clock } from '../kernel.ts';
import type { Tx } from '../tx.ts';
import type { StoppedCause } from './package-ports.ts';
import { PLUGINS_TOPIC } from './registry.ts';

/** Characters of what a plugin said last that are kept. */
const TEXT_MAX = 500;

/**
 * Turns a plugin off by itself, notes why, and has staff notified; what waited for it is given up. Nothing where it is
 * off, or not installed any more.
 */
export async function stopPlugin(
  tx: Tx,
  { clock, events }: { readonly clock: Clock; readonly events: Pick<Events, 'emit'> },
  identifier: string,
  cause: StoppedCause,
  text: string,
): Promise<void> {
  const nowMs = clock.now();
  const found = await tx.pluginPackages.lock(identifier);
  if (!found) return;
  const row = await tx.plugins.lock(identifier, nowMs);
  if (!row.isOn) return;
  await tx.plugins.save({ ...row, isOn: false, updatedMs: nowMs });
  // No database keeps the one, no page shows the other.
  const said = text
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, TEXT_MAX);
  await tx.pluginPackages.setStopped(identifier, { cause, text: said, atMs: nowMs });
  await tx.pluginPackages.skipAll(identifier);
  await events.emit(tx, 'plugin.stopped', { identifier, name: found.manifest.name, cause, atMs: nowMs });
  tx.touch(PLUGINS_TOPIC);
}
