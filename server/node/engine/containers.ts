import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import BEGIN_SCRIPT from './begin.sh.txt' with { type: 'text' };
import { readText, tryWrite } from '../files.ts';
import { groupOf, type Group } from '../sandbox/cgroups.ts';
import { emptyNetwork, enterNetwork, removeNetwork } from '../sandbox/network.ts';
import {
  findAgain,
  follow,
  holdOutput,
  isAlive,
  makePipes,
  newMark,
  writeMark,
  type Mark,
  type Running,
} from '../sandbox/running.ts';
import { layDownResolver, limitsOf, type Launch, type Sandbox } from '../sandbox/sandbox.ts';
import { userOf, type Store } from '../store.ts';
import type { Engine, Image } from './client.ts';

/** What a container of a server is begun with, beside what every process of one is. */
export interface ContainerLaunch extends Launch {
  readonly image: Pick<Image, 'id' | 'isLookedAfter'>;
  /** Set: it is no server but its installation, which runs this script. */
  readonly script: string | null;
}

const MB = 1_048_576;
const KILL_MS = 5000;
const LOOK_MS = 10;
/** How long after the end of a container its exit status is waited for. */
const EXIT_MS = 60_000;
/** How long a container may take from its start until its first process waits for the word. */
const BEGIN_MS = 20_000;
/** What an installation has at least: package managers need it, whatever was sold. */
const INSTALL_LEAST = { memory: 1024, cpu: 100 };
/** What of the engine's own limits is left open: its group has the lower one. */
const MOST_TASKS = 4096;
const LABEL = 'spawnpoint.server';
const FOLDER_LABEL = 'spawnpoint.folder';
/** Each start has its own: an answer that was lost is found by it. */
const START_LABEL = 'spawnpoint.start';
/**
 * What installations may do as root inside: give files away and pass over their rights, as package managers do. Nothing
 * of it reaches further than the container and the one folder.
 */
const INSTALL_RIGHTS = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'SETGID', 'SETUID'];

const containerName = (id: string): string => `spawnpoint-${id}`;

/** What it is begun with: an installation has at least what package managers need. */
const roomFor = (launch: ContainerLaunch): ContainerLaunch =>
  launch.script === null
    ? launch
    : {
        ...launch,
        memory: Math.max(launch.memory, INSTALL_LEAST.memory),
        cpu: Math.max(launch.cpu, INSTALL_LEAST.cpu),
      };

/** What the engine is asked to make. Of what somebody else chose only variables, words and numbers are in it. */
function orderOf(store: Store, launch: ContainerLaunch, start: string, words: readonly string[]): unknown {
  const { id, slot, image, env, disk, script } = launch;
  const run = store.run(id);
  const isInstallation = script !== null;
  const { memory, cpu, processes } = limitsOf(launch);
  const limit = (Name: string, value: number) => ({ Name, Soft: value, Hard: value });
  const user = isInstallation ? 0 : userOf(slot);
  return {
    Image: image.id,
    // The entry script of the image is among the words: what begins it waits for limits and network first.
    Entrypoint: ['/bin/sh', '/opt/spawnpoint/begin.sh'],
    Cmd: words,
    User: `${user}:${user}`,
    Hostname: 'server',
    WorkingDir: isInstallation ? '/mnt/server' : '/home/container',
    Env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
    Labels: { [LABEL]: id, [FOLDER_LABEL]: store.root, [START_LABEL]: start },
    Tty: false,
    OpenStdin: false,
    ...(image.isLookedAfter ? { Healthcheck: { Test: ['NONE'] } } : {}),
    HostConfig: {
      // Its network is made by the node, as that of every server: the engine gives it none.
      NetworkMode: 'none',
      Binds: [
        `${store.home(id)}:${isInstallation ? '/mnt/server' : '/home/container'}:rw`,
        `${run}/inside:/opt/spawnpoint:ro`,
        `${run}/resolv.conf:/etc/resolv.conf:ro`,
        ...(isInstallation
          ? [`${run}/inside:/mnt/install:ro`]
          : [`${run}/passwd:/etc/passwd:ro`, `${run}/group:/etc/group:ro`]),
      ],
      Privileged: false,
      ReadonlyRootfs: !isInstallation,
      Tmpfs: { '/tmp': 'rw,exec,nosuid,nodev,size=100m,mode=1777' },
      CapDrop: ['ALL'],
      CapAdd: isInstallation ? INSTALL_RIGHTS : [],
      SecurityOpt: ['no-new-privileges'],
      IpcMode: 'private',
      ShmSize: 64 * MB,
      // Its own group holds it from the moment it begins (see begin); these hold its first process until then.
      Memory: memory * MB,
      MemorySwap: memory * MB,
      NanoCpus: Math.min(cpu / 100, navigator.hardwareConcurrency) * 1e9,
      PidsLimit: processes,
      Ulimits: [limit('nofile', 8192), limit('nproc', MOST_TASKS), limit('core', 0), limit('fsize', disk * MB)],
      RestartPolicy: { Name: 'no' },
      LogConfig: { Type: 'none', Config: {} },
    },
  };
}

/** Lays down what it finds at /opt/spawnpoint, and beside it what stands in the place of files of its image. */
function prepare(store: Store, launch: ContainerLaunch): void {
  const { id, slot, script } = launch;
  const run = store.run(id);
  const user = userOf(slot);
  mkdirSync(store.home(id), { recursive: true, mode: 0o700 });
  chownSync(store.home(id), user, user);
  // A new one each time: the word for this start is read by no other.
  rmSync(`${run}/go`, { force: true });
  makePipes(run, user, ['in', 'out', 'go']);
  rmSync(`${run}/inside`, { recursive: true, force: true });
  mkdirSync(`${run}/inside`, { mode: 0o755 });
  for (const name of ['in', 'out', 'go']) linkSync(`${run}/${name}`, `${run}/inside/${name}`);
  const files = {
    'inside/begin.sh': BEGIN_SCRIPT,
    // Files of Windows have another end of line, which no shell takes.
    ...(script === null ? {} : { 'inside/install.sh': script.replaceAll('\r\n', '\n') }),
    passwd: `root:x:0:0::/:/usr/sbin/nologin\ncontainer:x:${user}:${user}::/home/container:/bin/sh\n`,
    group: `root:x:0:\ncontainer:x:${user}:\n`,
  };
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(`${run}/${name}`, text);
    chmodSync(`${run}/${name}`, 0o644);
  }
  layDownResolver(run);
  chmodSync(`${run}/resolv.conf`, 0o644);
}

/** Numbers of the processes that are in one namespace of processes with another. */
function besides(pid: number): number[] {
  const spaceOf = (each: number | string) => {
    try {
      return readlinkSync(`/proc/${each}/ns/pid`);
    } catch {
      return '';
    }
  };
  const space = spaceOf(pid);
  return space === ''
    ? []
    : readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name) && spaceOf(name) === space)
        .map(Number);
}
/** Brings everything of a container into the group of its server. Throws where some of it does not come. */
function joinGroup(group: Group, pid: number): void {
  for (let time = 0; time < 10; time += 1) {
    // Of version 1 a group is a folder a controller, and each has to have it.
    const folders = group.joins.map((folder) => readText(`${folder}/cgroup.procs`).split('\n'));
    const all = besides(pid);
    const outside = all.filter((each) => !folders.every((numbers) => numbers.includes(String(each))));
    if (all.includes(pid) && outside.length === 0) return;
    for (const each of outside) for (const folder of group.joins) tryWrite(`${folder}/cgroup.procs`, each);
  }
  throw new Error('its processes do not come into its group');
}
/**
 * Throws where a first process is none of this machine: an engine on another one, or in a virtual one, would name
 * somebody else's.
 */
function assertHere(pid: number, run: string): void {
  const [inside, ours] = [`/proc/${pid}/root/opt/spawnpoint/begin.sh`, `${run}/inside/begin.sh`].map((path) =>
    statSync(path, { throwIfNoEntry: false }),
  );
  if (!inside || inside.ino !== ours?.ino || inside.dev !== ours.dev)
    throw new Error('the engine does not run it on this machine');
}
/** Tells the first process that it may begin. Throws where it does not wait for that in time. */
async function giveWord(run: string, running: () => boolean): Promise<void> {
  for (let waited = 0; waited < BEGIN_MS && running(); waited += LOOK_MS) {
    try {
      const pipe = openSync(`${run}/go`, constants.O_WRONLY | constants.O_NONBLOCK);
      try {
        writeSync(pipe, 'go\n');
        return;
      } finally {
        closeSync(pipe);
      }
    } catch {
      // It does not read yet.
    }
    await Bun.sleep(LOOK_MS);
  }
  throw new Error('its first process does not wait for its beginning');
}

/** Makes and starts a container, also where an answer is lost. Out: its first process. Throws where it does not run. */
async function begin(engine: Engine, name: string, order: unknown, start: string): Promise<number> {
  await engine.create(name, order).catch(async (error: unknown) => {
    // It may have been made all the same.
    if ((await engine.container(name))?.labels[START_LABEL] !== start) throw error;
  });
  // Whether it was started is asked below, whatever the answer was.
  const answer = await engine.start(name).catch((error: unknown) => error);
  const found = await engine.container(name);
  if (found?.isRunning && found.pid > 0 && found.labels[START_LABEL] === start) return found.pid;
  throw answer instanceof Error ? answer : new Error('it ended at once');
}

/** The exit status of a container that has ended; null where the engine does not say it in time. */
async function exitCodeOf(engine: Engine, id: string): Promise<number | null> {
  // It hears of an end a moment later than the kernel, or never, where what watches the container was killed.
  const end = performance.now() + EXIT_MS;
  while (performance.now() < end) {
    const found = await engine.container(containerName(id)).catch(() => null);
    if (!found) return null;
    if (!found.isRunning) return found.exitCode;
    await Bun.sleep(LOOK_MS);
  }
  return null;
}

export type Containers = ReturnType<typeof createContainers>;

/**
 * Runs servers in containers of an engine. The engine gives them their image, namespaces and filter of system calls;
 * user, network, limits, pipes and marks are those of every other server, so that all that holds for those holds for
 * them: they go on without the node, are found again, and end whole.
 */
export function createContainers({
  store,
  groups,
  engine,
  sandbox,
}: {
  readonly store: Store;
  readonly groups: 1 | 2;
  readonly engine: Engine;
  readonly sandbox: Sandbox;
}) {
  const running = (id: string, mark: Mark): Running =>
    follow(groupOf(groups, id), mark, store.run(id), () =>
      Promise.race([exitCodeOf(engine, id), Bun.sleep(EXIT_MS).then(() => null)]),
    );

  return {
    /** Begins a container. What an earlier one left ends first. Throws where it did not begin; then nothing is left. */
    async start(asked: ContainerLaunch): Promise<Running> {
      const { id, slot } = asked;
      const launch = roomFor(asked);
      const name = containerName(id);
      const run = store.run(id);
      const group = groupOf(groups, id);
      await engine.remove(name);
      if (!(await group.kill(KILL_MS)) || !(await emptyNetwork(slot, KILL_MS)) || !(await removeNetwork(slot)))
        throw new Error('processes of an earlier start do not end');
      rmSync(`${run}/mark`, { force: true });
      await group.remove();
      prepare(store, launch);
      using _held = holdOutput(run);
      group.make(limitsOf(launch));
      const start = crypto.randomUUID();
      try {
        const pid = await begin(engine, name, orderOf(store, launch, start, launch.argv), start);
        assertHere(pid, run);
        const mark = newMark(pid);
        joinGroup(group, pid);
        await enterNetwork(slot, pid);
        // Before it is written down: one that still waits for its word is never taken for a server that runs.
        await giveWord(run, () => isAlive(mark));
        writeMark(run, mark);
        return running(id, mark);
      } catch (error) {
        await engine.remove(name).catch(() => undefined);
        await group.kill(KILL_MS);
        rmSync(`${run}/mark`, { force: true });
        throw error;
      }
    },
    /** A server that an earlier node began. Null: it does not run; what is left of it has ended. */
    async adopt(id: string): Promise<Running | null> {
      const group = groupOf(groups, id);
      const mark = findAgain(store.run(id), group);
      if (mark) return running(id, mark);
      await group.kill(KILL_MS);
      // One that waits for its word, or lies about. Nobody waits for an engine that hangs: `sweep` removes it later.
      if (engine.isReady()) await engine.remove(containerName(id)).catch(() => undefined);
      return null;
    },
    setLimits: sandbox.setLimits,
    /** As that of every server; what its installation made as root is counted as well. */
    usedBytes: (id: string, slot: number) => sandbox.usedBytes(id, slot, ['dac_read_search']),
    /** Gives what an installation left as root to the user of its server, with nothing of it running. Throws where not. */
    async giveFiles(id: string, slot: number): Promise<void> {
      const owner = `${userOf(slot)}:${userOf(slot)}`;
      // Of a link it changes the link; no server is left that could put one in its way.
      const chown = Bun.spawn(['chown', '-Rh', owner, '--', store.home(id)], { stdout: 'ignore', stderr: 'ignore' });
      if ((await chown.exited) !== 0) throw new Error('its files could not be given to its user');
    },
    /** Deletes all of a server. Out: whether its processes, container, group and files are gone. */
    async remove(id: string): Promise<boolean> {
      await groupOf(groups, id).kill(KILL_MS);
      const isGone = await engine.remove(containerName(id)).then(
        () => true,
        // Where there is none any more, nothing of it runs; `sweep` removes what it has when it comes back.
        () => !engine.isReady(),
      );
      return isGone && (await sandbox.remove(id));
    },
    /**
     * Removes containers of this folder that no server has. In: whether a server may have one now; asked just before
     * each removal, because meanwhile others are made. Throws where one stays, after all others.
     */
    async sweep(mayHave: (id: string) => boolean): Promise<void> {
      let failed: unknown = null;
      for (const [container, labels] of await engine.list(LABEL))
        if (labels[FOLDER_LABEL] === store.root && !mayHave(labels[LABEL] ?? ''))
          await engine.remove(container).catch((error: unknown) => (failed ??= error));
      if (failed !== null) throw failed;
    },
  };
}
