import type { Handlers } from '#server/http/implement.types.ts';
import type { Machine } from '#server/modules/machine/index.ts';
import type { adminMachine } from '#shared/contract/machine.ts';

/** The page of this machine. */
export function machineHandlers({ machine }: { machine: Machine }): Handlers<typeof adminMachine> {
  return {
    get: () => machine.view(),
    stop: (ctx) => machine.maintain(ctx, true),
    start: (ctx) => machine.maintain(ctx, false),
  };
}
