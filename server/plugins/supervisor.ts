import { SECOND } from '#shared/time.ts';
import type { CallResult, HookCall, HookGroup, PluginState } from '#server/modules/plugins/engine-ports.ts';
import { startSandbox, type SandboxDeps, type Sandbox } from './sandbox.ts';

/** Pauses before a plugin that broke down is started again; after the last it stays off (`PLUGIN_FAULTS_MAX`). */
const PAUSES_MS = [1 * SECOND, 5 * SECOND, 30 * SECOND, 120 * SECOND] as const;
/** A plugin that ran as long as this without a fault has its pauses from the start again. */
const WELL_MS = 10 * 60 * SECOND;

interface SupervisorDeps extends Omit<SandboxDeps, 'onEnd'> {
  readonly now: () => number;
  /** Runs something later; gives back what stops it. */
  readonly later: (ms: number, run: () => void) => () => void;
  /** It broke down, each time. */
  readonly onFault: (why: string) => void;
  /** It broke down for the fifth time in a row and is not started again. */
  readonly onOff: (why: string) => void;
  /** Its state is another one. */
  readonly onState: () => void;
}

/** Keeps a plugin running: started again with growing pauses where it breaks down, given up the fifth time. */
export function supervise(deps: SupervisorDeps) {
  let sandbox: Sandbox | null = null;
  let faults = 0;
  let startedMs = 0;
  let cancel: () => void = () => undefined;
  let state: PluginState = 'starting';

  function enter(next: PluginState): void {
    state = next;
    deps.onState();
  }
  function fail(why: string): void {
    if (state === 'stopped' || state === 'off') return;
    sandbox = null;
    faults = deps.now() - startedMs >= WELL_MS && state === 'running' ? 1 : faults + 1;
    deps.onFault(why);
    const pause = PAUSES_MS[faults - 1];
    if (pause === undefined) {
      enter('off');
      deps.onOff(why);
      return;
    }
    enter('waiting');
    cancel = deps.later(pause, () => void start());
  }
  async function start(): Promise<void> {
    enter('starting');
    startedMs = deps.now();
    let over: string | null = null;
    try {
      const made = await startSandbox({
        ...deps,
        onEnd: (why) => {
          over = why;
          // Until it runs, what is below tells.
          if (state === 'running') fail(why);
        },
      });
      if (isStopped()) return made.stop();
      if (over !== null) return fail(over);
      sandbox = made;
      enter('running');
    } catch (error) {
      fail(error instanceof Error ? error.message : String(error));
    }
  }
  const isStopped = (): boolean => state === 'stopped';

  return {
    start,
    state: (): PluginState => state,
    faults: () => faults,
    hooks: () => sandbox?.hooks ?? null,
    /** Runs hooks as the sandbox does; `ended` where the plugin does not run just now. Never rejects. */
    run: (group: HookGroup, calls: readonly HookCall[]): Promise<CallResult[]> =>
      sandbox?.run(group, calls) ?? Promise.resolve([{ ok: false, fault: 'ended', message: `it is ${state}` }]),
    stop(): void {
      enter('stopped');
      cancel();
      sandbox?.stop();
      sandbox = null;
    },
  };
}
