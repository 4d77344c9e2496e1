import { existsSync } from 'node:fs';
import { groupVersion } from './sandbox/cgroups.ts';

/** What a machine lacks to run servers. */
type Lack = 'linux' | 'root' | 'groups' | 'tools' | 'network' | 'sandbox';
interface Probe {
  /** Nothing: servers run here with everything kept apart. */
  readonly lacks: readonly Lack[];
  /** Programs that are not installed. */
  readonly missing: readonly string[];
  readonly groups: 1 | 2 | null;
}
/** From util-linux, coreutils and iproute2, which every Debian and Ubuntu has; nft comes with the package nftables. */
const TOOLS = [
  'unshare',
  'nsenter',
  'setpriv',
  'prlimit',
  'flock',
  'setsid',
  'mount',
  'umount',
  'pivot_root',
  'du',
  'rm',
  'mkfifo',
  'ip',
  'nft',
];
const PATH = '/usr/sbin:/usr/bin:/sbin:/bin';

/** Whether namespaces and mounts can be made and the network's rules be read: tried, not taken from versions. */
function works(argv: readonly string[]): boolean {
  const { exitCode } = Bun.spawnSync([...argv], { env: { PATH }, stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' });
  return exitCode === 0;
}

/** Finds out whether this machine can run servers in sandboxes; what it tries leaves nothing behind. */
export function probeMachine(): Probe {
  if (process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch))
    return { lacks: ['linux'], missing: [], groups: null };
  const lacks: Lack[] = [];
  if (process.getuid?.() !== 0) lacks.push('root');
  const groups = groupVersion();
  if (groups === null) lacks.push('groups');
  const missing = TOOLS.filter((name) => Bun.which(name, { PATH }) === null);
  if (missing.length > 0) lacks.push('tools');
  if (lacks.length > 0) return { lacks, missing, groups };
  if (
    !works([
      'unshare',
      '--mount',
      '--pid',
      '--fork',
      '--ipc',
      '--uts',
      '--cgroup',
      '--net',
      'sh',
      '-c',
      'mount -t tmpfs none /mnt && mount -t proc none /proc',
    ]) ||
    !existsSync('/usr/bin/sh')
  )
    lacks.push('sandbox');
  if (!works(['nft', 'list', 'tables'])) lacks.push('network');
  return { lacks, missing, groups };
}
