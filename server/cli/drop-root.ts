import { chownSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import SCRIPT from './drop-root.sh.txt' with { type: 'text' };

/** A user and its group, by number. */
interface Account {
  readonly user: number;
  readonly group: number;
}
/** The account of the systemd unit; where the machine has none, a number of our own, just below those of servers. */
const NAME = 'spawnpoint';
const NOBODY_ELSE = 1_999_999_999;
const PATH = '/usr/sbin:/usr/bin:/sbin:/bin';

function ownAccount(): Account {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((each) => each.startsWith(`${NAME}:`));
  const [, , user, group] = line?.split(':').map(Number) ?? [];
  return user && group ? { user, group } : { user: NOBODY_ELSE, group: NOBODY_ELSE };
}
/** Who a folder of ours belongs to: whoever had it before us, if that is not root. */
function accountOf(folder: string): Account {
  const { uid, gid } = statSync(folder);
  return uid === 0 ? ownAccount() : { user: uid, group: gid };
}
const isWithin = (path: string, folder: string) => path === folder || path.startsWith(`${folder}${sep}`);
/** The first folder on the way to a path that others than its owner cannot pass; null: all can be passed. */
function closedAbove(path: string): string | null {
  const parent = dirname(path);
  if (parent === path) return null;
  return closedAbove(parent) ?? ((statSync(parent).mode & 0o001) === 0 && parent !== '/' ? parent : null);
}
/**
 * Gives what root left in a folder to its owner, on that file system only; nothing with a second name is given, for it
 * may be somebody else's file.
 */
function changeOwner(folder: string, { user, group }: Account): void {
  chownSync(folder, user, group);
  const files = ['(', '-not', '-type', 'f', '-o', '-links', '1', ')'];
  const chown = ['-execdir', 'chown', '-h', `${user}:${group}`, '--', '{}', '+'];
  Bun.spawnSync(['find', folder, '-xdev', '-user', '0', ...files, ...chown], { env: { PATH } });
}

interface Places {
  /** Folder of the installation. */
  readonly dataDir: string;
  /** The SQLite file, or an address of PostgreSQL. */
  readonly database: string;
  /** Folder of the node's sockets. */
  readonly socketFolder: string;
}

/**
 * Makes this process, which runs as root, go on from its beginning as a user without rights: the one that the data
 * folder belongs to, or else `spawnpoint`, or else a number that nobody has. The folder is given to it, and the node's
 * sockets open to its group. It does not come back where that works. Out: what it failed by, for the operator.
 */
export function dropRoot({ dataDir, database, socketFolder }: Places): string {
  const data = resolve(dataDir);
  if (!/^[a-z]+:\/\//.test(database) && !isWithin(resolve(database), data))
    return `${resolve(database)} lies outside of ${data}`;
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const account = accountOf(data);
  const program = Bun.isStandaloneExecutable ? [process.execPath] : [process.execPath, resolve(Bun.main)];
  // From sources everything of the repository is needed, of a binary nothing but itself.
  const parts = Bun.isStandaloneExecutable ? program : [process.execPath, resolve(Bun.main, '../..')];
  const needed = [data, resolve(socketFolder), ...parts];
  const closed = [...new Set(needed.map(closedAbove).filter((path) => path !== null))];
  const shut = needed.filter((path) => closed.some((folder) => isWithin(path, folder))).sort();
  const kept = shut.filter((path) => !shut.some((other) => other !== path && isWithin(path, other)));
  const words = [String(account.user), String(account.group), closed.join('\n'), kept.join('\n')];
  const space = closed.length > 0 ? ['unshare', '--mount', '--propagation', 'private'] : [];
  // What follows cannot come back: whether it will work is tried first.
  const start = (rest: readonly string[]) => [...space, 'sh', '-c', SCRIPT, 'sh', ...words, ...rest];
  changeOwner(data, account);
  for (const path of [socketFolder, ...readdirSync(socketFolder).map((name) => join(socketFolder, name))])
    chownSync(path, 0, account.group);
  const tried = Bun.spawnSync(
    start(['sh', '-c', 'cd "$1" && test -w . && test -x "$2"', 'sh', data, program[0] ?? '']),
    {
      env: { PATH },
      stderr: 'pipe',
    },
  );
  if (tried.exitCode !== 0) return tried.stderr.toString().trim() || 'its folders cannot be reached by anybody else';
  const [file = 'sh', ...args] = start([...program, ...process.argv.slice(2)]);
  const path = Bun.which(file, { PATH }) ?? file;
  process.execve?.(path, [file, ...args], { ...process.env, PATH: `${process.env.PATH ?? ''}:${PATH}` });
  return 'this system cannot replace a process';
}
