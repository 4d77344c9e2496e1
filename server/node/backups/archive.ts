import { constants, chownSync, closeSync, fstatSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { OWN_FOLDER } from '#shared/schemas/server-files.ts';
import { HOUR } from '#shared/time.ts';
import { endHelper, prepareHelper } from '../sandbox/helper.ts';
import { userOf, type Store } from '../store.ts';

/** What packing and unpacking may use: MB, percent of one core, processes. */
const LIMITS = { memory: 256, cpu: 100, processes: 64 };
/** What the machine's disk keeps free of backups and of files that come out of them, in bytes. */
const RESERVE = 268_435_456;
/** What archives add to the files in them: heads of files, padding. */
const OVERHEAD = 33_554_432;
/** A backup that takes longer is given up. */
const MOST_MS = 6 * HOUR;
const MOST_SAID = 4096;
const MB = 1_048_576;

/** Every file of the server but our own folder. Holes stay holes, so that they cost neither time nor space. */
const PACK = `exec tar --create --file=- --sparse --one-file-system --anchored --exclude=./${OWN_FOLDER} --totals --use-compress-program='gzip -1' .`;
/** Into an empty folder; names that lead out of it are refused by tar, and by the sandbox. */
const UNPACK = 'exec tar --extract --gzip --file=- --preserve-permissions --no-same-owner';
/** Some files changed or went while they were read: that is a running server. */
const CHANGED = 1;

/** Thrown where a backup or restoring it fails; it leaves as `failure`. */
export class NoSpace extends Error {}

export interface ArchiveOf {
  readonly id: string;
  readonly slot: number;
  /** MB that its files may take. */
  readonly disk: number;
}

/** Ends what packs or unpacks files of a server. Out: whether nothing of it is left. */
export const endArchiver = (groups: 1 | 2, id: string): Promise<boolean> => endHelper(groups, `${id}.archive`);

/** Throws NoSpace where the disk of the machine would not keep its reserve. */
async function assertFits(folder: string, bytes: number): Promise<void> {
  const disk = await statfs(folder);
  if (disk.bavail * disk.bsize < bytes + RESERVE) throw new NoSpace();
}

/** Packs and unpacks files of servers, in sandboxes like theirs and as their users. */
export function createArchiver({ store, groups, bun }: { store: Store; groups: 1 | 2; bun: string }) {
  /** Runs tar. Out: its exit status, and the end of what it said. */
  async function run(
    { id, slot }: ArchiveOf,
    job: { readonly script: string; readonly folder: string; readonly fileBytes: number },
    stdio: { readonly stdin: number | 'ignore'; readonly stdout: number | 'ignore' },
  ): Promise<{ readonly code: number; readonly said: string }> {
    const { command, group } = await prepareHelper(
      { groups, bun },
      {
        group: `${id}.archive`,
        run: store.archive(id),
        folder: job.folder,
        slot,
        limits: LIMITS,
        fileBytes: job.fileBytes,
        argv: ['/bin/sh', '-c', job.script],
        env: { PATH: '/usr/bin:/bin', HOME: '/tmp', LC_ALL: 'C', TZ: 'UTC' },
        inside: {},
      },
    );
    const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };
    const child = Bun.spawn(command, { cwd: '/', env, ...stdio, stderr: 'pipe' });
    const timer = setTimeout(() => void group.kill(0), MOST_MS);
    let said = '';
    const decoder = new TextDecoder();
    for await (const chunk of child.stderr) said = (said + decoder.decode(chunk, { stream: true })).slice(-MOST_SAID);
    const code = await child.exited;
    clearTimeout(timer);
    await endArchiver(groups, id);
    return { code, said };
  }

  return {
    /**
     * Packs the files of a server into an archive that is there and on the disk when this returns. `used`: bytes that
     * they take now. Out: bytes of the archive and of what is in it. Throws NoSpace, or whatever kept it from that.
     */
    async pack(of: ArchiveOf, path: string, used: number): Promise<{ readonly size: number; readonly bytes: number }> {
      const fileBytes = Math.ceil(used * 1.1) + OVERHEAD;
      await assertFits(store.root, fileBytes);
      const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
      try {
        const job = { script: PACK, folder: store.at(of.id), fileBytes };
        const { code, said } = await run(of, job, { stdin: 'ignore', stdout: file });
        if (code !== 0 && code !== CHANGED) throw new Error(`tar ended with ${code}`);
        const bytes = Number(/^Total bytes written: (\d+)/m.exec(said)?.[1]);
        if (!Number.isSafeInteger(bytes)) throw new Error('tar did not say how much it packed');
        fsyncSync(file);
        return { size: fstatSync(file).size, bytes };
      } finally {
        closeSync(file);
      }
    },
    /**
     * Unpacks an archive into the new folder `home` of another. `bytes`: of what is in it. They are on the disk when
     * this returns. Throws NoSpace, or whatever kept it from that.
     */
    async unpack(of: ArchiveOf, path: string, { into, bytes }: { readonly into: string; readonly bytes: number }) {
      await assertFits(store.root, bytes);
      mkdirSync(`${into}/home`, { mode: 0o700 });
      chownSync(`${into}/home`, userOf(of.slot), userOf(of.slot));
      const file = openSync(path, constants.O_RDONLY);
      try {
        const job = { script: UNPACK, folder: into, fileBytes: of.disk * MB };
        const { code } = await run(of, job, { stdin: file, stdout: 'ignore' });
        if (code !== 0) throw new Error(`tar ended with ${code}`);
      } finally {
        closeSync(file);
      }
      const sync = Bun.spawn(['sync', '--file-system', into], { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' });
      if ((await sync.exited) !== 0) throw new Error('the disk did not take the files');
    },
  };
}
export type Archiver = ReturnType<typeof createArchiver>;
