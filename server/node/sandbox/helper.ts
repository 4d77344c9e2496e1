import { writeFileSync } from 'node:fs';
import { ensureFolder } from '../files.ts';
import { userOf } from '../store.ts';
import { groupOf, type Group } from './cgroups.ts';
import LAUNCH_SCRIPT from './launch-helper.sh.txt' with { type: 'text' };
import { layDown, type Launch } from './sandbox.ts';

const KILL_MS = 5000;

/** A program that works on the files of a server without being the server. */
interface Helper extends Pick<Launch, 'argv' | 'env' | 'inside'> {
  /** Name of its control group: not the server's own, so that neither takes the other's memory. */
  readonly group: string;
  /** Folder that it is begun from. */
  readonly run: string;
  /** Folder whose `home` it works on. */
  readonly folder: string;
  /** The server's slot, which gives its user. */
  readonly slot: number;
  /** MB, percent of one core, processes. */
  readonly limits: Parameters<Group['make']>[0];
  /** Bytes of the largest file that it may write. */
  readonly fileBytes: number;
  /** It works in the network of the machine; otherwise in one that leads nowhere. */
  readonly isOnline?: boolean;
}

/** Ends a helper, whoever began it. Out: whether nothing of it is left. */
export async function endHelper(groups: 1 | 2, name: string): Promise<boolean> {
  const group = groupOf(groups, name);
  return (await group.kill(KILL_MS)) && group.remove();
}

/**
 * Prepares a sandbox like a server's own, with a user and one folder, but without a network or with the machine's. An
 * earlier helper of that name ends first. Out: the command to spawn, and its group. Throws where the machine cannot
 * begin it.
 */
export async function prepareHelper({ groups, bun }: { readonly groups: 1 | 2; readonly bun: string }, helper: Helper) {
  const { run, folder, slot, argv, env, inside, limits, fileBytes, isOnline = false } = helper;
  ensureFolder(`${run}/root`, 0o711);
  layDown(run, { argv, env, inside, mounts: {} });
  writeFileSync(`${run}/launch.sh`, LAUNCH_SCRIPT);
  const group = groupOf(groups, helper.group);
  if (!(await group.kill(KILL_MS))) throw new Error('an earlier program does not end');
  group.make(limits);
  const words = [folder, userOf(slot), bun, fileBytes, run, isOnline ? 'machine' : 'none'].map(String);
  return { command: ['setsid', 'sh', `${run}/launch.sh`, ...words, ...group.joins], group };
}
