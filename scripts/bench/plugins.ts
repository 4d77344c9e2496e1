import { strToU8, zipSync } from 'fflate';
import type { Host } from '#server/compose/host.ts';
import type { SignedIn } from '#server/modules/kernel.ts';
import { toCredits } from '#shared/credits.ts';
import { DEFAULT_LOCALE } from '#shared/i18n/locales.ts';
import { inFolder } from './folder.ts';
import { plainFigure, ratioFigure, type Figure } from './report.ts';
import { alternatePair, secondsOf } from './rounds.ts';
import { openWorld, type World } from './installation.ts';
import { compareDashboards } from './page.ts';

const TURNS = 5;
const COMMANDS = 400;
const AT_ONCE = 16;
const PLUGINS = 10;
const PAGE_PLUGINS = 3;
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
 * besides whose receiver is away, against the same that nobody hears; the same with the webhook alone; how many events
 * a second one plugin runs, from the outbox to the end of its hook; pages that name the modules of three plugins
 * against pages without.
 */
export async function pluginFigures(): Promise<Figure[]> {
  return [...(await commandFigures()), ...(await pageFigure())];
}

function commandFigures(): Promise<Figure[]> {
  return inFolders(async ([one, two, three]) => {
    const heard = await openWorld(one, { spawnSandbox });
    const hooked = await openWorld(two);
    const alone = await openWorld(three);
    await install(heard.host, 'first');
    await runCommands(heard.host, EVENTS);
    const seconds = await drain(heard.host);
    for (const { host } of [hooked, alone]) host.runner.start();
    for (let number = 1; number < PLUGINS; number += 1) await install(heard.host, `plugin-${number}`);
    for (const { host } of [heard, hooked]) await addWebhook(host);
    const rate =
      ({ host }: World) =>
      () =>
        rateOf(host);
    const all = await alternatePair(TURNS, rate(heard), rate(alone));
    const webhook = await alternatePair(TURNS, rate(hooked), rate(alone));
    for (const { close } of [heard, hooked, alone]) await close();
    return [
      ratioFigure('p.command with ten plugins and a webhook', all.a, all.b, 'movements/s', 0.9),
      ratioFigure('p.command with a webhook', webhook.a, webhook.b, 'movements/s', 0.9),
      plainFigure('p.events through one plugin', EVENTS / seconds, 'events/s'),
    ];
  });
}

function pageFigure(): Promise<Figure[]> {
  return inFolders(async ([one, two]) => {
    const [extended, plain] = [await openWorld(one), await openWorld(two)];
    for (let number = 1; number <= PAGE_PLUGINS; number += 1) await installForPages(extended.host, `plugin-${number}`);
    const { a, b } = await compareDashboards(extended, plain);
    for (const { close } of [extended, plain]) await close();
    return [ratioFigure('p.page with three plugins', a, b, 'requests/s', 0.95)];
  });
}

/** Does something with three temporary folders. */
const inFolders = (work: (folders: readonly [string, string, string]) => Promise<Figure[]>): Promise<Figure[]> =>
  inFolder((one) => inFolder((two) => inFolder((three) => work([one, two, three]))));

/** Installs a plugin that hears of movements, and waits until it runs. */
async function install(host: Host, identifier: string): Promise<void> {
  const code =
    "let count = 0; export default { events: { 'credits.adjusted': (event) => { count += event.data.amount; } } };";
  const asks = { permissions: { events: ['credits.adjusted'] }, server: 'module.js' };
  await installPackage(host, identifier, asks, code, 'events');
  while (host.services.pluginRunning.stateOf(identifier) !== 'running') await Bun.sleep(20);
}

/** Installs a plugin that adds a card to the dashboard. */
async function installForPages(host: Host, identifier: string): Promise<void> {
  const code = `export default { id: ${JSON.stringify(identifier)}, setup(host) {
    host.addPanel('dashboard.side', { id: 'card', title: 'card', mount: (element) => element.append('card') }); } };`;
  await installPackage(host, identifier, { permissions: {}, client: 'module.js' }, code, 'client');
  await host.services.plugins.load();
}

/** Installs a plugin of one module. In: what its manifest says besides its names, and the kind that is granted. */
async function installPackage(
  { services }: Host,
  identifier: string,
  asks: object,
  code: string,
  granted: 'events' | 'client',
): Promise<void> {
  const names = { identifier, version: '1.0.0', needs: '0.1.0', name: identifier, text: 'Part of the benchmark.' };
  const files = { 'plugin.json': strToU8(JSON.stringify({ ...names, ...asks })), 'module.js': strToU8(code) };
  const id = await services.pluginInstalling.upload(OWNER, new Uint8Array(zipSync(files)));
  await services.pluginInstalling.install(OWNER, id, { granted: [granted], credits: null, unsigned: true });
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
