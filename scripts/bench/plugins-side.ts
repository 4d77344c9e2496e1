import type { Host } from '#server/compose/host.ts';
import { toCredits } from '#shared/credits.ts';
import { inFolder } from './folder.ts';
import { openWorld } from './installation.ts';
import { addWebhook, drain, installHearer, spawnSandbox, SIDES, type Said, type Side } from './plugins-world.ts';
import { secondsOf } from './rounds.ts';

// One side of figures p in a process of its own: it makes its installation, says how it is ready, and for every message
// it gets it runs a turn of movements, waits until all of them were heard, and says how many it made a second.

/** Movements of a turn, and how many are made at once. */
const COMMANDS = 1500;
const AT_ONCE = 16;
/** Events that one plugin hears in the measurement of what goes through its thread. */
const EVENTS = 2000;
const PLUGINS = 10;

let moved = 0;
/** Runs movements, each with its event. Out: seconds that they took. */
function runMovements({ services }: Host, count: number): Promise<number> {
  return secondsOf(count, AT_ONCE, () => {
    const number = (moved += 1);
    return services.uow.run(async (tx) => {
      await services.ledger.transfer(tx, {
        kind: 'bench',
        reference: `bench:${number}`,
        postings: [{ source: 'system:adjustment', destination: `user:${number % 100}`, amount: toCredits(5) }],
      });
      const adjustmentId = `bench:${number}`;
      await services.events.emit(tx, 'credits.adjusted', { userId: 'bench', adjustmentId, amount: 5, reason: 'bench' });
    });
  });
}

/** Makes the side what it is. Out: events a second that its first plugin runs; null where it has none. */
async function prepare(host: Host, side: Side): Promise<number | null> {
  let eventsPerSecond: number | null = null;
  if (side === 'plugins') {
    await installHearer(host, 'first');
    await runMovements(host, EVENTS);
    eventsPerSecond = EVENTS / (await drain(host));
    for (let number = 1; number < PLUGINS; number += 1) await installHearer(host, `plugin-${number}`);
  } else host.runner.start();
  if (side !== 'nobody') await addWebhook(host);
  return eventsPerSecond;
}

const send = (message: Said): void => void process.send?.(message);

const side = SIDES.find((each) => each === process.argv[2]);
if (!side) throw new Error(`the side is one of ${SIDES.join(', ')}`);
await inFolder(async (folder) => {
  const { host, close } = await openWorld(folder, side === 'plugins' ? { spawnSandbox } : {});
  const turns: Promise<void>[] = [];
  const over = Promise.withResolvers<void>();
  process.on('disconnect', over.resolve);
  process.on('message', () => {
    const runRound = async () => {
      const rate = COMMANDS / (await runMovements(host, COMMANDS));
      await drain(host);
      send({ kind: 'turn', rate });
    };
    turns.push(runRound().catch(over.reject));
  });
  send({ kind: 'ready', eventsPerSecond: await prepare(host, side) });
  await over.promise;
  await Promise.all(turns);
  await close();
});
process.exit();
