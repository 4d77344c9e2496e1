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

export interface PluginPorts {
  /** Loads a module by its address. */
  load(url: string): Promise<unknown>;
  /** Reports a plugin that does not work. */
  reportError(text: string, error: unknown): void;
}

const ID = /^[a-z][a-z0-9-]{0,39}$/;
const SLOTS: readonly PluginSlot[] = ['dashboard.side', 'account.tab'];

/**
 * Loads and sets up all plugins in parallel, and registers those whose setup succeeds. One that cannot be loaded, is
 * not a plugin, or throws is reported and left out; the others and the page go on (specification, sections 4 and 8).
 * In: addresses of modules. Out: how many work. Never rejects.
 */
export async function loadPlugins(
  urls: readonly string[],
  registry: PluginRegistry,
  ports: PluginPorts,
): Promise<number> {
  const settled = await Promise.allSettled(urls.map(async (url) => runPluginSetup(pluginOf(await ports.load(url)))));
  let working = 0;
  for (const [index, outcome] of settled.entries()) {
    const url = urls[index] ?? '';
    if (outcome.status === 'rejected') ports.reportError(`plugin ${url} failed`, outcome.reason);
    else if (registry.get().some(({ id }) => id === outcome.value.id))
      ports.reportError(`plugin ${url} failed`, new Error(`there is another plugin ${outcome.value.id}`));
    else {
      registry.set([...registry.get(), outcome.value]);
      working += 1;
    }
  }
  return working;
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
  const texts: PluginParts['texts'] = {};
  const menu: PluginMenuEntry[] = [];
  const panels: (PluginPanel & { slot: PluginSlot })[] = [];
  const commands: PluginCommand[] = [];
  const pages = new Map<string, PluginPage>();
  const host: PluginHost = {
    addTexts: (more) => void Object.assign(texts, more),
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
