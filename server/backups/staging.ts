import { existsSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** A file in the folder of a restore: from its being there the restore goes through, whoever is killed. */
const DECIDED = 'decided';

/** Where an installation lies. */
interface Place {
  readonly dataDir: string;
  readonly database: { readonly url: string } | { readonly path: string };
}

/** The folder of a restore: on the disk of what it replaces, so that its files are renamed into their places. */
export function stagingFolder({ dataDir, database }: Place): string {
  return join('path' in database ? dirname(resolve(database.path)) : dataDir, 'restore');
}
export const decisionPath = (place: Place): string => join(stagingFolder(place), DECIDED);

/**
 * Throws away what a killed process had unpacked of a backup without deciding for it: it would lie there in clear. The
 * caller holds the folder's lock.
 */
export function discardStaged(place: Place): void {
  if (isRestorePending(place)) return;
  const folder = stagingFolder(place);
  for (const each of [folder, `${folder}.part`]) rmSync(each, { recursive: true, force: true });
}

/** Whether a restore was decided and not ended. */
export const isRestorePending = (place: Place): boolean => existsSync(decisionPath(place));
