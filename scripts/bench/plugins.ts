import { join } from 'node:path';
import { inFolder } from './folder.ts';
import { plainFigure, ratioFigure, type Figure } from './report.ts';
import { alternate } from './rounds.ts';
import { openWorld } from './installation.ts';
import { compareDashboards } from './page.ts';
import { installForPages, type Said, type Side } from './plugins-world.ts';

const TURNS = 5;
const PAGE_PLUGINS = 3;

/**
 * Figures p: movements of credits with their event that ten plugins hear, each on a thread of its own, and a webhook
 * besides whose receiver is away, against the same that nobody hears; the same with the webhook alone; how many events
 * a second one plugin runs, from the outbox to the end of its hook; pages that name the modules of three plugins
 * against pages without. Each side has a process and an installation of its own, and its turn is over when all of its
 * events were heard: none works while another is measured.
 */
export async function pluginFigures(): Promise<Figure[]> {
  return [...(await commandFigures()), ...(await pageFigure())];
}

async function commandFigures(): Promise<Figure[]> {
  const [heard, hooked, alone] = [await startSide('plugins'), await startSide('webhook'), await startSide('nobody')];
  try {
    const [all = NaN, webhook = NaN, none = NaN] = await alternate(TURNS, [
      heard.runRound,
      hooked.runRound,
      alone.runRound,
    ]);
    return [
      ratioFigure('p.command with ten plugins and a webhook', all, none, 'movements/s', 0.9),
      ratioFigure('p.command with a webhook', webhook, none, 'movements/s', 0.9),
      plainFigure('p.events through one plugin', heard.eventsPerSecond ?? NaN, 'events/s'),
    ];
  } finally {
    for (const { stop } of [heard, hooked, alone]) await stop();
  }
}

/** A side of the comparison, ready in a process of its own. */
async function startSide(side: Side) {
  let onMessage: (said: Said) => void = () => undefined;
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'plugins-side.ts'), side], {
    stdio: ['ignore', 'ignore', 'inherit'],
    ipc: (said: Said) => onMessage(said),
  });
  const next = (): Promise<Said> =>
    Promise.race([
      new Promise<Said>((resolve) => (onMessage = resolve)),
      child.exited.then((code) => Promise.reject(new Error(`the side ${side} ended with ${code}`))),
    ]);
  const ready = await next();
  return {
    eventsPerSecond: ready.kind === 'ready' ? ready.eventsPerSecond : null,
    /** Movements a second. */
    async runRound(): Promise<number> {
      const said = next();
      child.send('turn');
      const answer = await said;
      return answer.kind === 'turn' ? answer.rate : NaN;
    },
    async stop(): Promise<void> {
      child.disconnect();
      await child.exited;
    },
  };
}

function pageFigure(): Promise<Figure[]> {
  return inFolder((one) =>
    inFolder(async (two) => {
      const [extended, plain] = [await openWorld(one), await openWorld(two)];
      for (let number = 1; number <= PAGE_PLUGINS; number += 1)
        await installForPages(extended.host, `plugin-${number}`);
      const { a, b } = await compareDashboards(TURNS, extended, plain);
      for (const { close } of [extended, plain]) await close();
      return [ratioFigure('p.page with three plugins', a, b, 'requests/s', 0.95)];
    }),
  );
}
