import type { LiveDeps } from './deps.ts';
import { DomainError } from '#shared/errors.ts';
import type { SignedIn } from '../../kernel.ts';
import type { ConsolePart, PanelAnswer } from '../panel/ports.ts';
import type { ActNotes } from './act-notes.ts';
import { accessTo, problemOf, REFUSALS, targetOf } from './live.ts';

/** Reads the lines behind a number, and waits so many ms where there are none yet, or until `signal`. Never throws. */
export type ConsoleReader = (after: number, waitMs: number, signal: AbortSignal) => Promise<PanelAnswer<ConsolePart>>;
/** What a reader gets who has left. */
const NOTHING: PanelAnswer<ConsolePart> = { outcome: 'ok', value: { lines: [], gap: false } };

/** Consoles of servers whose panel has them: that is this installation's node. The others are read in their panel. */
export function createConsoles(deps: Pick<LiveDeps, 'uow' | 'panels' | 'callPanel'> & { readonly notes: ActNotes }) {
  async function consoleOf(ctx: SignedIn, id: string, right: 'readConsole' | 'sendCommands') {
    const access = await accessTo(deps, ctx, id, right);
    const target = targetOf(deps, access.server);
    if (typeof target === 'string') throw new DomainError(REFUSALS[target]);
    if (!deps.panels.find(target.panel)?.console) throw new DomainError('POWER_UNAVAILABLE');
    return { ...target, access };
  }
  return {
    /**
     * Opens the console of a server. Throws NOT_FOUND, FORBIDDEN, SERVER_SUSPENDED, SERVER_NOT_READY, NO_GAME_PROCESS,
     * POWER_UNAVAILABLE where its panel has none here.
     */
    async open(ctx: SignedIn, id: string): Promise<ConsoleReader> {
      const { panel, identifier, access } = await consoleOf(ctx, id, 'readConsole');
      await deps.notes.opened(ctx, access, 'console');
      return (after, waitMs, signal) =>
        deps.callPanel<ConsolePart>(panel, 'console', async (at) => {
          const answer = await at.console?.read(identifier, after, waitMs, signal);
          // A call that was broken off says nothing of the panel.
          return signal.aborted ? NOTHING : (answer ?? { outcome: 'unavailable' });
        });
    },
    /**
     * Writes a line into the standard input of a server. Nothing is kept of it but the console's own line, because
     * commands hold passwords, and that somebody sent commands. Throws as `open` does, and SERVER_OFF,
     * PANEL_UNREACHABLE.
     */
    async send(ctx: SignedIn, id: string, text: string): Promise<void> {
      const { panel, identifier, access } = await consoleOf(ctx, id, 'sendCommands');
      const answer = await deps.callPanel<null>(
        panel,
        'command',
        async (at) => (await at.console?.send(identifier, text)) ?? { outcome: 'unavailable' },
      );
      if (answer.outcome === 'conflict') throw new DomainError('SERVER_OFF');
      if (answer.outcome === 'ok' || answer.outcome === 'unknown')
        await deps.notes.worked(ctx, access, { event: 'commandSent', audit: { action: 'servers.command' } });
      if (answer.outcome !== 'ok') throw new DomainError(REFUSALS[problemOf(answer)]);
    },
  };
}
