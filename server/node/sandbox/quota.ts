import { dlopen, ptr } from 'bun:ffi';
import { chownSync, closeSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs';
import { userOf } from '../store.ts';
import { SLOTS } from './network.ts';

/** Limits of the files of servers, kept by the kernel: a server's user owns its files, and nothing else. */
export interface Quota {
  /** Whether the kernel holds them. */
  isHeld(): boolean;
  /** Limits the files of a slot to MB; null: to nothing. Never throws; without quotas nothing happens. */
  limit(slot: number, disk: number | null): void;
}

/** `quotactl_fd` has one number on all processors: Linux 5.14 and later. */
const QUOTACTL_FD = 443;
/** Q_SETQUOTA for users. */
const SET_USER = 0x80_00_08 << 8;
/** Limits of blocks and of files are given, and nothing else. */
const QIF_LIMITS = 5;
const BLOCKS_A_MB = 1024;
/** As many files as the smallest block goes into a MB: only files without content meet it first. */
const FILES_A_MB = 256;
/** Folders and pipes that are not the server's own doing. */
const FILES_LEAST = 64;
/** A slot that no server and no download ever has, to try it with, and what it may write and tries to. */
const TRIED_SLOT = SLOTS + 1;
const TRIED_BYTES = 4 * 1_048_576;

/** Sets a limit of MB, or none. Out: whether the kernel took it. Never throws. */
type Limit = (folder: string, slot: number, disk: number | null) => boolean;

/** Sets limits in the kernel; null where its library is not there. */
function openKernel(): Limit | null {
  try {
    const { syscall } = dlopen('libc.so.6', {
      syscall: { args: ['i64', 'i64', 'i64', 'i64', 'ptr'], returns: 'i64' },
    }).symbols;
    return (folder, slot, disk) => {
      // struct if_dqblk: blocks of 1 KB (hard, soft), bytes in use, files (hard, soft), in use, two times, what is given.
      const limits = new BigUint64Array(9);
      limits[0] = BigInt((disk ?? 0) * BLOCKS_A_MB);
      limits[3] = BigInt(disk === null ? 0 : disk * FILES_A_MB + FILES_LEAST);
      limits[8] = BigInt(QIF_LIMITS);
      let file: number | null = null;
      try {
        file = openSync(folder, 'r');
        return Number(syscall(QUOTACTL_FD, file, SET_USER | 0, userOf(slot), ptr(limits))) === 0;
      } catch {
        return false;
      } finally {
        if (file !== null) closeSync(file);
      }
    };
  } catch {
    return null;
  }
}

/**
 * Whether a user with a limit is kept from writing more: tried, because a file system may take limits and not hold
 * them.
 */
function isKept(limit: Limit, folder: string): boolean {
  const [place, user] = [`${folder}/quota`, userOf(TRIED_SLOT)];
  try {
    if (!limit(folder, TRIED_SLOT, 1)) return false;
    rmSync(place, { recursive: true, force: true });
    mkdirSync(place, { mode: 0o700 });
    chownSync(place, user, user);
    const words = [`--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--no-new-privs'];
    const write = `head -c ${TRIED_BYTES} /dev/zero >file; [ -f file ] || exit 7`;
    const { exitCode } = Bun.spawnSync(['setpriv', ...words, 'sh', '-c', write], {
      cwd: place,
      env: { PATH: '/usr/bin:/bin' },
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'ignore',
    });
    return exitCode === 0 && statSync(`${place}/file`).size < TRIED_BYTES;
  } catch {
    return false;
  } finally {
    rmSync(place, { recursive: true, force: true });
    limit(folder, TRIED_SLOT, null);
  }
}

/**
 * The quotas of the disk that the folder of servers lies on. They are used where they are on: what a machine's disk
 * counts is its operator's to say, and a page and the README name the commands.
 */
export function openQuota(folder: string): Quota {
  const limit = openKernel();
  let isHeld = limit !== null && isKept(limit, folder);
  return {
    isHeld: () => isHeld,
    limit(slot, disk) {
      // Turned off since: files are counted, as on other machines.
      if (limit && isHeld) isHeld = limit(folder, slot, disk);
    },
  };
}
