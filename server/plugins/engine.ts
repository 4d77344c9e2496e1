import type { Clock } from '#server/modules/kernel.ts';
import type { PluginEngine } from '#server/modules/plugins/engine-ports.ts';
import { createGranted } from './granted.ts';
import type { SpawnSandbox } from './sandbox.ts';
import { supervise } from './supervisor.ts';

/** Runs plugins in sandboxes, each on a thread of its own, which it starts again where it breaks down. */
export function createPluginEngine(spawn: SpawnSandbox, clock: Clock): PluginEngine {
  return {
    start({ code, granted, ports, onOff, onState }) {
      const supervisor = supervise({
        spawn,
        code,
        ask: createGranted(granted, ports),
        now: clock.now,
        later(ms, run) {
          const timer = setTimeout(run, ms);
          return () => clearTimeout(timer);
        },
        // Staff read it on the plugin's page.
        onFault: ports.log,
        onOff,
        onState,
      });
      void supervisor.start();
      return supervisor;
    },
  };
}
