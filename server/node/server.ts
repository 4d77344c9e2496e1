import { writeSync } from 'node:fs';
import type { RuntimeServer, RuntimeSignal } from '#server/panel/index.ts';
import type { Log } from '#server/modules/kernel.ts';
import type { ServerHalt } from '#server/modules/servers/index.ts';
import type { RuntimeState } from '#shared/server-codes.ts';
import { MINUTE, SECOND } from '#shared/time.ts';
import { ConsoleLines, readConsole, type ConsoleReader } from './console.ts';
import { DiskUse } from './disk-use.ts';
import type { Downloads } from './downloads/cache.ts';
import { EngineError } from './engine/calls.ts';
import type { Engine } from './engine/client.ts';
import type { Containers } from './engine/containers.ts';
import type { FileManager } from './file-manager/manager.ts';
import { networkTotals } from './sandbox/network.ts';
import type { Quota } from './sandbox/quota.ts';
import type { Running } from './sandbox/running.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import { halted, recipeOf, Starts } from './starts.ts';
import type { Spec, State, Store } from './store.ts';
import { NO_TOTALS, UsageRates } from './usage.ts';

interface Deps {
  readonly store: Store;
  readonly sandbox: Sandbox;
  /** What runs servers that have an image, and the engine behind it. */
  readonly containers: Containers;
  readonly engine: Engine;
  readonly downloads: Pick<Downloads, 'load' | 'mounts'>;
  readonly log: Log;
  readonly now: () => number;
  /** Why no server of this machine starts; null where they may. */
  readonly closed: () => 'maintenance' | 'reserve' | null;
  /** Bytes that are free on the disk of servers. */
  readonly freeBytes: () => number;
  /** Writes configuration files of a server; what was left as it is. */
  readonly configure: FileManager['configure'];
  /** Has the kernel limit the files of a slot to MB, or to nothing, where it can. */
  readonly limitFiles: Quota['limit'];
  /** The ports of all servers changed: brings the machine's rules to them. */
  readonly applyNetwork: () => Promise<void>;
}

/** How long after a crash it is started again; after one more in ten minutes it stays off. */
const PAUSES_MS = [SECOND, 5 * SECOND, 15 * SECOND];
const CRASH_WINDOW_MS = 10 * MINUTE;
/** An installation that takes longer is ended. */
const INSTALL_MS = 15 * MINUTE;
const LOOK_MS = 200;
/** How soon it is seen that a server ended by itself: a look costs little, but there may be hundreds. */
const FOLLOW_MS = 500;
/** How long a deletion waits for an order to be given up. */
const GIVE_UP_MS = 15 * SECOND;
const MB = 1_048_576;

/** What a server waits for that starts by itself then. */
const STARTS_LATER: readonly ServerHalt['reason'][] = ['maintenance', 'licence', 'engine'];

/**
 * The life of one server: installs, starts, watches and ends its process, and keeps on disk what it needs to go on
 * after the program itself was killed. One order at a time; killing is taken at any time.
 */
export class GameServer {
  readonly id: string;
  /** Its console, since this program began. */
  readonly lines: ConsoleLines;
  private spec: Spec;
  private state: State;
  private running: Running | null = null;
  private reader: ConsoleReader | null = null;
  /** An order is being carried out; none is taken before it is known whether its process runs. */
  private isBusy = true;
  /** Its process is being ended on purpose: whoever does so says what comes then. */
  private isEnding = false;
  /** Counts kills and deletions: whoever waited in the meantime does nothing more. */
  private era = 0;
  private isDeleting = false;
  /** Other files are put in place of its own. */
  private isRestoring = false;
  private readonly deps: Deps;
  private readonly disk: DiskUse;
  private readonly starts: Starts;
  private readonly rates = new UsageRates();

  constructor(deps: Deps, first: { spec: Spec; state: State }) {
    this.deps = deps;
    this.spec = first.spec;
    this.state = first.state;
    this.id = first.spec.id;
    this.lines = new ConsoleLines(deps.now);
    this.disk = new DiskUse({
      usedBytes: () => this.box().usedBytes(this.id, this.state.slot),
      freeBytes: deps.freeBytes,
      mostMb: () => this.spec.disk,
    });
    const server = () => ({ spec: this.spec, state: this.state });
    this.starts = new Starts({ ...deps, server, lines: this.lines, disk: this.disk });
  }
  /** What runs it. */
  private box(): Omit<Sandbox, 'start'> {
    return this.spec.container ? this.deps.containers : this.deps.sandbox;
  }
  private isCurrent(mine: number): boolean {
    return mine === this.era;
  }

  private save(change: Partial<State>): void {
    if (change.state !== undefined && change.state !== this.state.state) {
      this.deps.log.info('node.state', { server: this.id, state: change.state });
      this.lines.add('state', change.state);
    }
    this.state = { ...this.state, ...change };
    this.deps.store.writeState(this.id, this.state);
  }
  private enter(next: RuntimeState): void {
    this.save({ state: next });
  }
  /** Both its old files and those that come back are its user's while it is restored: tar counted what comes. */
  private limitFiles(): void {
    this.deps.limitFiles(this.state.slot, this.isRestoring ? null : this.spec.disk);
  }

  /** Ends whatever runs and forgets it. Throws where something stays. */
  private async end(): Promise<void> {
    const was = this.running;
    if (!was) return;
    if (!(await was.kill())) {
      this.save({ halt: halted('stuck') });
      throw new Error('processes of the server do not end');
    }
    // Nothing of it is left that could write. Who comes next has the pipe for itself.
    await this.reader?.end();
    if (this.running !== was) return;
    if (this.state.halt?.reason === 'stuck') this.save({ halt: null });
    this.running = null;
    was.close();
    this.rates.forget();
  }

  /** The same, where nobody else is to say that it ended. */
  private async endNow(): Promise<void> {
    this.isEnding = true;
    try {
      await this.end();
    } finally {
      this.isEnding = false;
    }
  }

  private async install(): Promise<void> {
    const mine = this.era;
    const isGivenUp = () => !this.isCurrent(mine);
    const { installation } = this.spec;
    if (this.running) await this.stop();
    this.enter('installing');
    const loaded = await this.starts.load(isGivenUp);
    if (loaded) this.save(loaded);
    if (this.isDeleting) return;
    if (!loaded) return this.save({ installed: installation, state: 'install_failed' });
    let code: number | null = null;
    try {
      const process = await this.starts.beginInstallation(isGivenUp);
      // An egg without a script has nothing to install.
      code = process ? await this.followInstallation(process, mine) : 0;
      if (process && this.spec.container) await this.deps.containers.giveFiles(this.id, this.state.slot);
    } catch (error) {
      this.deps.log.error('node.install_failed', { server: this.id, error: String(error) });
    }
    if (this.isDeleting) return;
    this.save({ installed: installation, state: code === 0 ? 'offline' : 'install_failed' });
    if (code === 0 && !this.spec.suspended && mine === this.era) await this.start();
  }

  /** Waits until an installation ends, and ends one that takes too long or too much. Out: its exit status. */
  private async followInstallation(process: Running, mine: number): Promise<number | null> {
    this.running = process;
    this.reader = readConsole(process.output, (line) => this.lines.add('out', line));
    const untilMs = this.deps.now() + INSTALL_MS;
    this.disk.begin();
    let isTooLarge = false;
    while (process.isAlive() && this.isCurrent(mine) && this.deps.now() < untilMs && !isTooLarge) {
      await Bun.sleep(LOOK_MS / 10);
      // What root writes inside of a container no quota counts.
      if (!this.spec.container || !this.disk.isDue()) continue;
      await this.disk.count();
      isTooLarge = this.disk.isOver() || this.deps.closed() === 'reserve' || this.deps.engine.isFull();
    }
    if (isTooLarge) this.lines.add('out', 'The installation was ended: it needs more disk than there is.');
    const code = process.isAlive() ? null : await process.exitCode();
    await this.end();
    return isTooLarge ? null : code;
  }

  private async start(): Promise<void> {
    const mine = this.era;
    if (this.running) return;
    const reason = await this.starts.obstacle();
    if (reason !== null || mine !== this.era) {
      const halt = reason === 'suspended' ? null : reason;
      if (halt) this.deps.log.warn('node.start_refused', { server: this.id, ...halt });
      // After maintenance it starts by itself, when its owner has accepted the licence, and when its engine is back.
      const wanted = halt !== null && STARTS_LATER.includes(halt.reason);
      this.save({ wanted, halt, state: this.state.state === 'install_failed' ? 'install_failed' : 'offline' });
      return;
    }
    this.save({ wanted: true, startedMs: this.deps.now(), state: 'starting', halt: null });
    await this.starts.configure();
    // It was killed or deleted meanwhile.
    if (mine !== this.era) return;
    try {
      this.running = await this.begin(mine);
    } catch (error) {
      this.deps.log.error('node.start_failed', { server: this.id, error: String(error) });
      if (mine !== this.era) return;
      // An engine that went since the last look, as in an update of it, is waited for.
      const isSilent = error instanceof EngineError && error.status === 0;
      if (isSilent) this.deps.engine.doubt();
      this.save({ wanted: isSilent, state: 'offline', halt: halted(isSilent ? 'engine' : 'start_failed') });
      return;
    }
    // It was killed or deleted meanwhile.
    if (mine !== this.era) return this.endNow();
    if (recipeOf(this.spec).ready === null) this.enter('running');
    void this.follow(this.running);
  }

  /** Begins its process. Throws where it does not begin. */
  private async begin(mine: number): Promise<Running> {
    const image = await this.starts.findImage(() => !this.isCurrent(mine));
    if (image) this.save({ image: { name: image.name, id: image.found.id } });
    return this.starts.begin(image?.found ?? null);
  }

  /** Reads and watches a process until it ends. */
  private async follow(process: Running): Promise<void> {
    const { ready } = recipeOf(this.spec);
    const isReady = (line: string) =>
      typeof ready === 'function' ? ready(line) : ready !== null && line.includes(ready);
    this.reader = readConsole(process.output, (line) => {
      this.lines.add('out', line);
      if (this.running === process && this.state.state === 'starting' && isReady(line)) this.enter('running');
    });
    this.disk.begin();
    while (process.isAlive()) {
      await Bun.sleep(FOLLOW_MS);
      if (this.running !== process) return;
      if (!this.disk.isDue() || !this.disk.mayHaveGrown()) continue;
      await this.disk.count();
      if (!this.disk.isOver()) continue;
      this.deps.log.warn('node.over_disk', { server: this.id });
      this.save({ wanted: false, halt: halted('disk_full') });
      await process.kill();
    }
    if (this.running !== process || this.isEnding) return;
    const [code, { outOfMemory }] = [await process.exitCode(), process.group.usage()];
    await this.ended(code, outOfMemory > 0);
  }
  private async ended(code: number | null, outOfMemory: boolean): Promise<void> {
    const mine = this.era;
    // What it left running ends with it.
    await this.endNow().catch((error: unknown) =>
      this.deps.log.error('node.kill_failed', { server: this.id, error: String(error) }),
    );
    if (this.isDeleting || mine !== this.era) return;
    // As where it was to be stopped and does not end: it is killed once more by whoever asks for that.
    if (this.running) return this.enter('stopping');
    this.enter('offline');
    if (!this.state.wanted) return;
    const nowMs = this.deps.now();
    const crashes = [...this.state.crashes.filter((atMs) => nowMs - atMs < CRASH_WINDOW_MS), nowMs];
    const pause = PAUSES_MS[crashes.length - 1];
    this.deps.log.warn('node.crashed', {
      server: this.id,
      code,
      out_of_memory: outOfMemory,
      again: pause !== undefined,
    });
    this.save({ crashes, wanted: pause !== undefined, halt: halted(outOfMemory ? 'out_of_memory' : 'crashed') });
    if (pause === undefined) return;
    await Bun.sleep(pause);
    if (mine === this.era && this.state.wanted && !this.running && !this.isBusy) await this.order(() => this.start());
  }

  private askToStop(process: Running): void {
    const { stop } = recipeOf(this.spec);
    if (typeof stop === 'string') return process.signal(stop);
    try {
      writeSync(process.input, `${stop.command}\n`);
    } catch {
      // It does not read, and may hear this.
      process.signal('SIGTERM');
    }
  }
  /** `wanted`: it shall run again afterwards, also where this program is killed meanwhile. */
  private async stop(wanted = false): Promise<void> {
    const mine = this.era;
    this.save({ wanted, halt: null });
    const process = this.running;
    if (!process) return this.enter(this.state.state === 'install_failed' ? 'install_failed' : 'offline');
    this.isEnding = true;
    this.enter('stopping');
    this.askToStop(process);
    const untilMs = this.deps.now() + recipeOf(this.spec).stopSeconds * SECOND;
    while (process.isAlive() && this.isCurrent(mine) && this.deps.now() < untilMs) await Bun.sleep(LOOK_MS / 10);
    await this.endNow();
    if (mine === this.era) this.enter('offline');
  }
  private async kill(): Promise<void> {
    this.era += 1;
    this.save({ wanted: false, halt: null });
    if (this.state.state === 'installing') return void (await this.running?.kill());
    if (this.running) this.enter('stopping');
    await this.endNow();
    if (!this.isDeleting && this.state.state !== 'install_failed') this.enter('offline');
  }

  /** Carries out one order; false where another is being carried out. */
  private async order(work: () => Promise<void>): Promise<boolean> {
    if (this.isBusy || this.isDeleting) return false;
    this.isBusy = true;
    try {
      await work();
    } catch (error) {
      this.deps.log.error('node.order_failed', { server: this.id, error: String(error) });
    } finally {
      this.isBusy = false;
    }
    void this.reconcile();
    return true;
  }
  /** Brings it to what it shall be, as far as no order is being carried out. */
  private async reconcile(): Promise<void> {
    if (this.isBusy || this.isDeleting) return;
    if (this.spec.installation > this.state.installed) await this.order(() => this.install());
    else if (this.spec.suspended && (this.running || this.state.wanted)) await this.order(() => this.stop());
    else if (this.state.halt?.reason === 'licence' && !this.starts.isUnlicensed()) await this.startIfWanted();
  }

  /** Stops it for the time of maintenance; it is kept that it shall run. */
  async stopForMaintenance(): Promise<void> {
    while (!this.isDeleting && (this.running || this.state.wanted) && this.state.halt?.reason !== 'maintenance') {
      const isDone = await this.order(async () => {
        await this.stop(this.state.wanted);
        if (this.state.wanted) this.save({ halt: halted('maintenance') });
      });
      if (isDone) return;
      await Bun.sleep(LOOK_MS);
    }
  }
  /** Keeps on the disk that it shall run; it is started by whoever says so, or when this program begins again. */
  setWanted(): void {
    this.save({ wanted: true });
  }
  /** Starts it where it shall run and does not. */
  async startIfWanted(): Promise<void> {
    if (this.state.wanted && !this.running) await this.order(() => this.start());
  }
  /** Starts it where it waited for its engine, which is there now. */
  async startWithEngine(): Promise<void> {
    if (this.state.halt?.reason === 'engine') await this.startIfWanted();
  }
  /** Counts its files for the first time since this program began. */
  async countFiles(): Promise<void> {
    if (this.disk.bytes === null) await this.disk.count();
  }
  /** Bytes of its files when they were counted last; null before the first time since this program began. */
  countedBytes(): number | null {
    return this.disk.bytes;
  }
  /** Ends it at once because the machine runs out of space. Out: false where it does not run. */
  async stopForReserve(): Promise<boolean> {
    const process = this.running;
    if (!process || this.state.state === 'installing') return false;
    this.save({ wanted: false, halt: halted('reserve') });
    await process.kill();
    return true;
  }
  /** Whether its engine may have a container of it that is in use. */
  mayHaveContainer(): boolean {
    return this.isBusy || this.running !== null;
  }
  place() {
    return { slot: this.state.slot, ports: this.spec.ports };
  }
  /** Its user's slot and the MB of its files; null while they are shut: it is installed, restored, suspended, deleted. */
  openToFiles(): { readonly slot: number; readonly disk: number } | null {
    const isShut = this.isDeleting || this.isRestoring || this.spec.suspended || this.state.state === 'installing';
    return isShut ? null : { slot: this.state.slot, disk: this.spec.disk };
  }
  /** What it is run with. */
  ingredients(): State['ingredients'] {
    return this.state.ingredients;
  }
  shall(): Spec {
    return this.spec;
  }
  view(): Omit<RuntimeServer, 'backups'> {
    const usage = this.running?.group.usage() ?? { memory: 0, cpuUs: 0 };
    const totals = this.running ? { cpuUs: usage.cpuUs, ...networkTotals(this.state.slot) } : NO_TOTALS;
    if (this.running) this.rates.look(totals);
    const uptimeMs =
      this.running && this.state.state !== 'installing' ? Math.max(0, this.deps.now() - this.state.startedMs) : 0;
    const { state: now, halt } = this.state;
    return {
      id: this.id,
      revision: this.spec.revision,
      state: now,
      memory: usage.memory,
      disk: this.disk.bytes ?? 0,
      ...this.rates.rates(),
      totals,
      uptimeMs,
      halt,
    };
  }
  /**
   * Brings the limits of a running process to new ones. The kernel ends a server, or refuses, where it has more memory
   * than that already: then they count from its next start.
   */
  private limit(process: Running, before: Spec, { id, memory, cpu }: Spec): void {
    const fits = process.group.usage().memory < memory * MB;
    try {
      this.box().setLimits({ id, memory: fits ? memory : before.memory, cpu });
    } catch (error) {
      this.deps.log.warn('node.limits_wait', { server: this.id, error: String(error) });
    }
  }
  /** Takes what it shall be, and begins to bring it there. */
  async change(next: Spec): Promise<void> {
    if (next.revision <= this.spec.revision) return;
    const before = this.spec;
    this.deps.store.writeSpec(next);
    this.spec = next;
    if (before.disk !== next.disk) this.limitFiles();
    if (this.running && (before.memory !== next.memory || before.cpu !== next.cpu))
      this.limit(this.running, before, next);
    if (before.ports.join() !== next.ports.join()) await this.deps.applyNetwork();
    void this.reconcile();
  }
  /** Begins to carry out a signal. Out: false while another order is being carried out; killing is always taken. */
  power(signal: RuntimeSignal): boolean {
    if (signal === 'kill') {
      void this.kill().catch((error: unknown) =>
        this.deps.log.error('node.kill_failed', { server: this.id, error: String(error) }),
      );
      return true;
    }
    // What is being killed is still there: a start that is taken now would find it, and do nothing.
    if (this.isEnding || this.isBusy || this.isDeleting || this.spec.installation > this.state.installed) return false;
    if (signal !== 'stop') this.save({ crashes: [] });
    const mine = this.era;
    void this.order(async () => {
      if (signal !== 'start') await this.stop(signal === 'restart');
      if (signal !== 'stop' && this.isCurrent(mine)) await this.start();
    });
    return true;
  }
  /**
   * Lets `work` put other files in place of its own, with nothing of it running, and starts it again where it ran, or
   * `start` says so. `onBegin` hears of that before anything is done, `onEnd` when it is on the disk that the server
   * shall run again: whoever is killed in between goes on. Out: `running` where it would have to be stopped and may not
   * be.
   */
  replaceFiles(options: {
    readonly mayStop: boolean;
    readonly start?: boolean | undefined;
    readonly onBegin: (start: boolean) => void;
    readonly work: () => Promise<void>;
    readonly onEnd: () => Promise<void>;
  }): 'begun' | 'busy' | 'running' {
    const isReady = this.state.state !== 'install_failed' && this.spec.installation <= this.state.installed;
    if (this.isBusy || !isReady || this.openToFiles() === null) return 'busy';
    if (this.running && !options.mayStop) return 'running';
    const mine = this.era;
    const start = options.start ?? this.state.wanted;
    options.onBegin(start);
    void this.order(async () => {
      this.isRestoring = true;
      try {
        await this.stop();
        this.limitFiles();
        await options.work();
        if (start && this.isCurrent(mine)) this.setWanted();
        await options.onEnd();
      } finally {
        this.isRestoring = false;
        this.limitFiles();
      }
      if (start && this.isCurrent(mine)) await this.start();
    });
    return 'begun';
  }
  /** Writes a line into its standard input. Out: false while it does not run, or its input is full. */
  command(text: string): boolean {
    if (!this.running || (this.state.state !== 'running' && this.state.state !== 'starting')) return false;
    try {
      // Shorter than what a pipe takes as a whole (4096 bytes): never a part of it.
      writeSync(this.running.input, `${text}\n`);
    } catch {
      return false;
    }
    this.lines.add('in', text);
    return true;
  }
  /** After the program began: finds its process again, or starts it where it shall run and does not. */
  async resume(): Promise<void> {
    const mine = this.era;
    this.limitFiles();
    const found = await this.box().adopt(this.id);
    this.isBusy = false;
    if (found && mine === this.era && this.state.state !== 'installing') {
      this.running = found;
      this.deps.log.info('node.found_again', { server: this.id, state: this.state.state });
      // A stop that was under way is carried out; one that is still starting may have said that it is ready.
      if (this.state.state === 'stopping') {
        await this.order(() => this.stop(this.state.wanted));
        return this.startIfWanted();
      }
      this.enter('running');
      void this.follow(found);
      return this.reconcile();
    }
    if (found) {
      await found.kill();
      found.close();
    }
    if (this.state.state === 'installing') this.save({ installed: this.spec.installation - 1, state: 'offline' });
    else if (this.state.state !== 'install_failed') this.save({ state: 'offline' });
    await this.reconcile();
    if (this.state.wanted && !this.running && mine === this.era) await this.order(() => this.start());
  }
  /** Ends it for good. Out: whether nothing of its processes, group and own files is left. */
  async remove(): Promise<boolean> {
    this.isDeleting = true;
    this.era += 1;
    // Whoever carries out an order sees that, and does nothing more.
    for (let waitedMs = 0; waitedMs < GIVE_UP_MS; waitedMs += LOOK_MS) {
      if (!this.isBusy) break;
      await this.running?.kill();
      await Bun.sleep(LOOK_MS);
    }
    await this.endNow().catch(() => undefined);
    if (this.isBusy || this.running !== null || !(await this.box().remove(this.id))) return false;
    this.deps.limitFiles(this.state.slot, null);
    return true;
  }
}
