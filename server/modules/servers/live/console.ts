import type { LiveDeps } from './deps.ts';
import { DomainError } from '#shared/errors.ts';
import type { SignedIn } from '../../kernel.ts';
import type { ConsolePart, PanelAnswer } from '../panel/ports.ts';
import { createHourlyEvents } from './hourly-events.ts';
import { problemOf, REFUSALS, serverFor, targetOf } from './live.ts';

/** Reads the lines behind a number, and waits so many ms where there are none yet. Never throws. */
export type ConsoleReader = (after: number, waitMs: number) => Promise<PanelAnswer<ConsolePart>>;

/** Consoles of servers whose panel has them: that is this installation's node. The others are read in their panel. */
export function createConsoles(deps: Pick<LiveDeps, 'uow' | 'clock' | 'panels' | 'history' | 'callPanel'>) {
  const noteHourly = createHourlyEvents(deps);
  async function consoleOf(ctx: SignedIn, id: string, right: 'readConsole' | 'sendCommands') {
    const target = targetOf(deps, await serverFor(deps, ctx, id, right));
    if (typeof target === 'string') throw new DomainError(REFUSALS[target]);
    if (!deps.panels.find(target.panel)?.console) throw new DomainError('POWER_UNAVAILABLE');
    return target;
  }
  return {
    /**
     * Opens the console of a server. Throws NOT_FOUND, FORBIDDEN, SERVER_SUSPENDED, SERVER_NOT_READY, NO_GAME_PROCESS,
     * POWER_UNAVAILABLE where its panel has none here.
     */
    async open(ctx: SignedIn, id: string): Promise<ConsoleReader> {
      const { panel, identifier } = await consoleOf(ctx, id, 'readConsole');
      return (after, waitMs) =>
        deps.callPanel<ConsolePart>(
          panel,
          'console',
          async (at) => (await at.console?.read(identifier, after, waitMs)) ?? { outcome: 'unavailable' },
        );
    },
    /**
     * Writes a line into the standard input of a server. Nothing is kept of it but the console's own line, because
     * commands hold passwords, and that somebody sent commands. Throws as `open` does, and SERVER_OFF,
     * PANEL_UNREACHABLE.
     */
    async send(ctx: SignedIn, id: string, text: string): Promise<void> {
      const { panel, identifier } = await consoleOf(ctx, id, 'sendCommands');
      const answer = await deps.callPanel<null>(
        panel,
        'command',
        async (at) => (await at.console?.send(identifier, text)) ?? { outcome: 'unavailable' },
      );
      if (answer.outcome === 'conflict') throw new DomainError('SERVER_OFF');
      if (answer.outcome === 'ok' || answer.outcome === 'unknown') await noteHourly(ctx, id, 'commandSent');
      if (answer.outcome !== 'ok') throw new DomainError(REFUSALS[problemOf(answer)]);
    },
  };
}
