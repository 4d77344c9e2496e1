import { createContext, useContext, useSyncExternalStore } from 'react';
import type { i18n } from 'i18next';
import { I18nContext } from 'react-i18next';
import { LOCALE_INFO } from '#shared/i18n/locales.ts';
import type { Locale } from '#shared/i18n/locales.ts';
import type { Vars } from '#shared/i18n/types.ts';
import { useLocale } from './i18n.tsx';
import type { Store } from './store.ts';

export type PluginT = (key: string, vars?: Vars) => string;

/** What a plugin gets besides the element that it renders into. */
export interface PluginView {
  readonly locale: Locale;
  /**
   * The plugin's own texts: the visitor's language, then English, then the key. Values for `{{name}}`; a `count`
   * chooses the plural (`key_one`, `key_other` …).
   */
  readonly t: PluginT;
  /** Of a page: what follows the plugin's address, without slashes around it. */
  readonly path: string;
}
/** Renders into an element of the page. Out: a function that cleans up, if needed. */
export type PluginMount = (element: HTMLElement, view: PluginView) => (() => void) | void;

/** Places for panels: beside the dashboard's cards; a tab of the account page. */
export type PluginSlot = 'dashboard.side' | 'account.tab';
/** Groups of the player's navigation that take entries. */
export type PluginMenuGroup = 'play' | 'earn' | 'spend' | 'community';

/**
 * Texts are keys of the plugin's own texts. Icons are names of client/ui/icons-app.ts; an unknown one is shown as a
 * plug.
 */
export interface PluginMenuEntry {
  readonly label: string;
  /** Page of the plugin that it leads to; '' its first one. */
  readonly page: string;
  readonly group: PluginMenuGroup;
  readonly icon?: string;
}
export interface PluginPanel {
  readonly id: string;
  readonly title: string;
  readonly mount: PluginMount;
}
/** Something that the command palette does. */
export interface PluginCommand {
  readonly id: string;
  readonly label: string;
  readonly icon?: string;
  run(): void | Promise<void>;
}
export interface PluginPage {
  readonly title: string;
  readonly mount: PluginMount;
}

/** What a plugin gets at start-up. Its additions take effect once its setup has succeeded. */
export interface PluginHost {
  /** Texts by language and key. English should have all of them. */
  addTexts(texts: Partial<Record<Locale, Readonly<Record<string, string>>>>): void;
  addMenuEntry(entry: PluginMenuEntry): void;
  addPanel(slot: PluginSlot, panel: PluginPanel): void;
  /** An entry of the command palette (⌘K). */
  addCommand(command: PluginCommand): void;
  /** A page at /plugin/<id>/<path>; '' is /plugin/<id>. */
  addPage(path: string, page: PluginPage): void;
}

/** The default export of a plugin's module. */
export interface Plugin {
  /** Lower-case letters, digits and dashes; part of the addresses of its pages. */
  readonly id: string;
  setup(host: PluginHost): void | Promise<void>;
}

/** Everything one plugin added. */
export interface PluginParts {
  readonly id: string;
  readonly texts: Partial<Record<Locale, Readonly<Record<string, string>>>>;
  readonly menu: readonly PluginMenuEntry[];
  readonly panels: readonly (PluginPanel & { readonly slot: PluginSlot })[];
  readonly commands: readonly PluginCommand[];
  readonly pages: ReadonlyMap<string, PluginPage>;
}

/** The plugins of this page, in the order in which they were set up. */
export type PluginRegistry = Store<readonly PluginParts[]>;

const NONE: readonly PluginParts[] = [];
const nothing = () => NONE;
const never = () => nothing;

/** Null where the page has no plugins, as always on the server. */
export const PluginContext = createContext<PluginRegistry | null>(null);

/** What plugins added. Empty during hydration, so that server and browser render the same. */
export function usePlugins(): readonly PluginParts[] {
  const registry = useContext(PluginContext);
  return useSyncExternalStore(registry?.subscribe ?? never, registry?.get ?? nothing, nothing);
}

/** Translates texts of plugins, by the same rules as our own. */
export function usePluginTexts(): (plugin: PluginParts) => PluginT {
  const locale = useLocale();
  const { i18n } = useContext(I18nContext) ?? {};
  return (plugin) => {
    if (!i18n) return (key) => key;
    const fixed = i18n.getFixedT(LOCALE_INFO[locale].lang, namespaceOf(i18n, plugin));
    return (key, vars) => fixed(key, vars ?? {});
  };
}

const known = new WeakMap<i18n, Set<PluginParts>>();

/**
 * The namespace of a plugin's texts; they are added on first use, without an event, because nothing has rendered them
 * yet.
 */
function namespaceOf(instance: i18n, plugin: PluginParts): string {
  const name = `plugin.${plugin.id}`;
  const have = known.get(instance) ?? new Set();
  known.set(instance, have);
  if (have.has(plugin)) return name;
  have.add(plugin);
  for (const [locale, texts] of Object.entries(plugin.texts))
    instance.addResourceBundle(LOCALE_INFO[locale as Locale].lang, name, texts, false, true, { silent: true });
  return name;
}
