import { strToU8, zipSync } from 'fflate';
import type { Host } from '#server/compose/host.ts';
import type { SignedIn } from '#server/modules/kernel.ts';
import { DEFAULT_LOCALE } from '#shared/i18n/locales.ts';

/** Whom a side's events have: ten plugins and a webhook, the webhook alone, nobody. */
export const SIDES = ['plugins', 'webhook', 'nobody'] as const;
export type Side = (typeof SIDES)[number];
/** What a side's process says. */
export type Said =
  /** It is ready; events a second that its first plugin runs, from the outbox to the end of its hook. */
  | { readonly kind: 'ready'; readonly eventsPerSecond: number | null }
  /** A turn is over, and everything of it was heard; movements a second. */
  | { readonly kind: 'turn'; readonly rate: number };

/** Starts a thread of the sandbox. */
export const spawnSandbox = () => new Worker(new URL('../../server/plugins/sandbox.worker.ts', import.meta.url));

const OWNER: SignedIn = {
  actor: { userId: 'bench', sessionId: 'bench', username: 'bench', permissions: ['admin.root'], verified: true },
  requestId: 'bench',
  locale: DEFAULT_LOCALE,
  address: '127.0.0.1',
  userAgent: '',
  idempotency: null,
};

/** Installs a plugin that hears of movements, and waits until it runs. */
export async function installHearer(host: Host, identifier: string): Promise<void> {
  const code =
    "let count = 0; export default { events: { 'credits.adjusted': (event) => { count += event.data.amount; } } };";
  const asks = { permissions: { events: ['credits.adjusted'] }, server: 'module.js' };
  await installPackage(host, identifier, asks, code, 'events');
  while (host.services.pluginRunning.stateOf(identifier) !== 'running') await Bun.sleep(20);
}

/** Installs a plugin that adds a card to the dashboard. */
export async function installForPages(host: Host, identifier: string): Promise<void> {
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

/** Adds a webhook that hears of movements, whose receiver is away. */
export async function addWebhook({ services }: Host): Promise<void> {
  await services.plugins.setOn(OWNER, 'webhooks', true);
  const url = 'https://receiver.invalid/hook';
  const events = ['credits.adjusted'];
  await services.webhooks.staff.create(OWNER, { name: 'Bench', url, events, ordered: false, enabled: true });
}

/** Has everything that waits heard. Out: seconds that it took. */
export async function drain({ services, runner }: Host): Promise<number> {
  const begun = performance.now();
  runner.start();
  await services.webhooks.sweep();
  const isLeft = () =>
    services.uow.read(async (tx) => {
      const last = await tx.pluginPackages.lastEvent();
      const cursors = await tx.pluginPackages.cursors();
      return (await tx.webhooks.listNew(1)).length > 0 || cursors.values().some(({ heard }) => heard < last);
    });
  while (await isLeft()) await Bun.sleep(5);
  return (performance.now() - begun) / 1000;
}
