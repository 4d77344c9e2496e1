import { zipSync } from 'fflate';
import type { Host } from '#server/compose/host.ts';
import type { SignedIn } from '#server/modules/kernel.ts';
import { toCredits } from '#shared/credits.ts';
import { DEFAULT_LOCALE } from '#shared/i18n/locales.ts';
import { inFolder } from './folder.ts';
import { plainFigure, ratioFigure, type Figure } from './report.ts';
import { alternatePair, secondsOf } from './rounds.ts';
import { openWorld } from './installation.ts';

const TURNS = 5;
const COMMANDS = 400;
const AT_ONCE = 16;
const PLUGINS = 10;
/** Events that one plugin hears in the measurement of what goes through its thread. */
const EVENTS = 2000;
const spawnSandbox = () => new Worker(new URL('../../server/plugins/sandbox.worker.ts', import.meta.url));
const OWNER: SignedIn = {
  actor: { userId: 'bench', sessionId: 'bench', username: 'bench', permissions: ['admin.root'], verified: true },
  requestId: 'bench',
  locale: DEFAULT_LOCALE,
  address: '127.0.0.1',
  userAgent: '',
  idempotency: null,
};

/**
 * Figures p: movements of credits with their event that ten plugins hear, each on a thread of its own, and a webhook
 * besides whose receiver is away, against the same that nobody hears; how many events a second one plugin runs, from
 * the outbox to the end of its hook.
 */
export function pluginFigures(): Promise<Figure[]> {
  return inFolder((folder) =>
    inFolder(async (other) => {
      const heard = await openWorld(folder, { spawnSandbox });
      const alone = await openWorld(other);
      await install(heard.host, 'first');
      await runCommands(heard.host, EVENTS);
      const seconds = await drain(heard.host);
      alone.host.runner.start();
      for (let number = 1; number < PLUGINS; number += 1) await install(heard.host, `plugin-${number}`);
      await addWebhook(heard.host);
      const { a, b } = await alternatePair(
        TURNS,
        () => rateOf(heard.host),
        () => rateOf(alone.host),
      );
      for (const { close } of [heard, alone]) await close();
      return [
        ratioFigure('p.command with ten plugins and a webhook', a, b, 'movements/s', 0.9),
        plainFigure('p.events through one plugin', EVENTS / seconds, 'events/s'),
      ];
    }),
  );
}

async function install({ services }: Host, identifier: string): Promise<void> {
  const manifest = {
    identifier,
    version: '1.0.0',
    needs: '0.1.0',
    name: identifier,
    text: 'Hears of credits.',
    permissions: { events: ['credits.adjusted'] },
    server: 'server.js',
  };
  const code =
    "let count = 0; export default { events: { 'credits.adjusted': (event) => { count += event.data.amount; } } };";
  const encode = (text: string) => new TextEncoder().encode(text);
  const bytes = zipSync({ 'plugin.json': encode(JSON.stringify(manifest)), 'server.js': encode(code) });
  const id = await services.pluginInstalling.upload(OWNER, new Uint8Array(bytes));
  await services.pluginInstalling.install(OWNER, id, { granted: ['events'], credits: null, unsigned: true });
  while (services.pluginRunning.stateOf(identifier) !== 'running') await Bun.sleep(20);
}

async function addWebhook({ services }: Host): Promise<void> {
  await services.plugins.setOn(OWNER, 'webhooks', true);
  const url = 'https://receiver.invalid/hook';
  const events = ['credits.adjusted'];
  await services.webhooks.staff.create(OWNER, { name: 'Bench', url, events, ordered: false, enabled: true });
}

let moved = 0;
/** Movements a second. */
const rateOf = async (host: Host): Promise<number> => COMMANDS / (await runCommands(host, COMMANDS));

/** Runs movements. Out: seconds that they took. */
function runCommands({ services }: Host, count: number): Promise<number> {
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

/** Has everything that waits heard. Out: seconds that it took. */
async function drain({ services, runner }: Host): Promise<number> {
  const begun = performance.now();
  runner.start();
  await services.webhooks.sweep();
  const isLeft = () =>
    services.uow.read(
      async (tx) => (await tx.webhooks.listNew(1)).length > 0 || (await tx.pluginPackages.waiting()).length > 0,
    );
  while (await isLeft()) await Bun.sleep(5);
  return (performance.now() - begun) / 1000;
}
