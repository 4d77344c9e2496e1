import type {
  Plugin,
  PluginCommand,
  PluginHost,
  PluginMenuEntry,
  PluginPage,
  PluginPanel,
  PluginParts,
  PluginRegistry,
  PluginSlot,
} from '#client/lib/plugins.ts';
import { packageOfModulePath } from '#shared/client-module-path.ts';
import { isLocale, type Locale } from '#shared/i18n/locales.ts';

export interface PluginPorts {
  /** Loads a module by its address. */
  load(url: string): Promise<unknown>;
  wait(ms: number): Promise<void>;
  /** Reports a plugin that does not work. */
  reportError(text: string, error: unknown): void;
}

const ID = /^[a-z][a-z0-9-]{0,39}$/;
const SLOTS: readonly PluginSlot[] = ['dashboard.side', 'account.tab'];
/** How long a plugin may take until it is set up (ms). */
const PATIENCE_MS = 15_000;

/**
 * Loads and sets up all plugins, each by itself, and registers each as soon as its setup has succeeded, in the order of
 * their addresses. One that cannot be loaded, is not a plugin, throws or takes too long is reported and left out; the
 * others and the page go on (specification, sections 4 and 8). In: addresses of modules. Out: how many work, once all
 * are settled. Never rejects.
 */
export async function loadPlugins(
  urls: readonly string[],
  registry: PluginRegistry,
  ports: PluginPorts,
): Promise<number> {
  const working: (PluginParts | undefined)[] = [];
  await Promise.all(
    urls.map(async (url, index) => {
      try {
        const parts = await Promise.race([loadPlugin(url, ports), refuseAfter(PATIENCE_MS, ports)]);
        if (registry.get().some(({ id }) => id === parts.id)) throw new Error(`there is another plugin ${parts.id}`);
        working[index] = parts;
        registry.set(working.filter((each) => each !== undefined));
      } catch (error) {
        ports.reportError(`plugin ${url} failed`, error);
      }
    }),
  );
  return registry.get().length;
}

async function refuseAfter(ms: number, { wait }: Pick<PluginPorts, 'wait'>): Promise<never> {
  await wait(ms);
  throw new Error(`it was not ready within ${ms / 1000} seconds`);
}

/** Loads a plugin and sets it up. Throws where it is none, or is not what its package says. */
async function loadPlugin(url: string, { load }: Pick<PluginPorts, 'load'>): Promise<PluginParts> {
  const plugin = pluginOf(await load(url));
  const identifier = packageOfModulePath(url);
  if (identifier !== null && plugin.id !== identifier)
    throw new Error(`the module of ${identifier} calls itself ${plugin.id}`);
  return runPluginSetup(plugin);
}

function pluginOf(module: unknown): Plugin {
  const plugin =
    typeof module === 'object' && module !== null && 'default' in module
      ? (module.default as Partial<Plugin> | null)
      : null;
  if (!plugin || typeof plugin.id !== 'string' || !ID.test(plugin.id) || typeof plugin.setup !== 'function')
    throw new Error('the module exports no plugin');
  return plugin as Plugin;
}

/** Runs a plugin's setup and collects what it adds. */
async function runPluginSetup(plugin: Plugin): Promise<PluginParts> {
  const texts: Partial<Record<Locale, Readonly<Record<string, string>>>> = {};
  const menu: PluginMenuEntry[] = [];
  const panels: (PluginPanel & { slot: PluginSlot })[] = [];
  const commands: PluginCommand[] = [];
  const pages = new Map<string, PluginPage>();
  const host: PluginHost = {
    // A language that the product does not have is of no use here, and no fault.
    addTexts(more) {
      for (const [locale, some] of Object.entries(more))
        if (isLocale(locale)) texts[locale] = { ...texts[locale], ...some };
    },
    addMenuEntry: (entry) => void menu.push({ ...entry, page: plainPath(entry.page) }),
    addPanel: (slot, panel) => {
      if (!SLOTS.includes(slot)) throw new Error(`there is no place ${slot} for panels`);
      panels.push({ ...panel, slot });
    },
    addCommand: (command) => void commands.push(command),
    addPage: (path, page) => void pages.set(plainPath(path), page),
  };
  await plugin.setup(host);
  for (const { page } of menu)
    if (!pages.has(page)) throw new Error(`the menu leads to a page that is not there: "${page}"`);
  return { id: plugin.id, texts, menu, panels, commands, pages };
}

/** A path without slashes around it. */
function plainPath(path: string): string {
  return path.replaceAll(/^\/+|\/+$/g, '');
}
