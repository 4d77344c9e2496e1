import type { i18n } from 'i18next';
import { addTexts, createI18n, type NamespaceTexts } from '#client/lib/i18n-instance.ts';
import { recordedFetch } from '#client/lib/fetch.ts';
import { createTranslator, type Translator } from '#client/lib/i18n.tsx';
import { DEFAULT_LOCALE, type Locale } from '#shared/i18n/locales.ts';
import type { Namespace } from '#shared/i18n/namespaces.ts';

export interface TextStore {
  translator(): Translator;
  subscribe(listener: () => void): () => void;
  /** Loads the missing ones of these namespaces, in the page's language. A failure is logged; the page goes on. */
  load(namespaces: readonly Namespace[]): Promise<void>;
  /** Changes the language: loads every namespace in use, then switches. */
  change(locale: Locale): Promise<void>;
  /** Loads the English texts as the fallback of another language. Out: whether any were loaded. */
  loadFallback(): Promise<boolean>;
}

/**
 * The texts of the page in the browser. In: the language and texts that came with it, and the build (part of the files'
 * addresses).
 */
export function createTextStore(locale: Locale, texts: NamespaceTexts, build: string): TextStore {
  let current = locale;
  let chosen = locale;
  const instance: i18n = createI18n(locale, { [locale]: texts });
  const loaded = new Map<Locale, Set<Namespace>>([[locale, new Set(Object.keys(texts) as Namespace[])]]);
  const listeners = new Set<() => void>();
  let translator = createTranslator(instance, current);

  const announce = () => {
    translator = createTranslator(instance, current);
    for (const listener of listeners) listener();
  };
  /** Requests in flight, by language and namespace, shared by all callers. */
  const coming = new Map<string, Promise<boolean>>();
  const fetchFile = async (wanted: Locale, ns: Namespace, have: Set<Namespace>): Promise<boolean> => {
    try {
      const response = await recordedFetch(`/assets/locales/${wanted}/${ns}.json?v=${build}`);
      if (!response.ok) throw new Error(String(response.status));
      addTexts(instance, wanted, { [ns]: (await response.json()) as object });
      have.add(ns);
      return true;
    } catch (error) {
      // The specification, section 8: a language that cannot be loaded is logged and the application goes on.
      // oxlint-disable-next-line no-console
      console.info('locale not loaded', wanted, ns, error);
      return false;
    }
  };
  const fetchMissing = async (wanted: Locale, namespaces: Iterable<Namespace>): Promise<boolean> => {
    const have = loaded.get(wanted) ?? new Set();
    loaded.set(wanted, have);
    const files = [...namespaces]
      .filter((ns) => !have.has(ns))
      .map((ns) => {
        const name = `${wanted}/${ns}`;
        const file = coming.get(name) ?? fetchFile(wanted, ns, have).finally(() => coming.delete(name));
        coming.set(name, file);
        return file;
      });
    return (await Promise.all(files)).includes(true);
  };

  /** The namespaces in use: those loaded in any language, as the current one may lack a file that failed to load. */
  const inUse = () => new Set([...loaded.values()].flatMap((names) => [...names]));

  return {
    translator: () => translator,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    load: async (namespaces) => {
      if (await fetchMissing(current, namespaces)) announce();
    },
    change: async (next) => {
      chosen = next;
      await fetchMissing(next, inUse());
      // Another language has been chosen in the meantime.
      if (chosen !== next) return;
      current = next;
      announce();
    },
    loadFallback: async () => {
      return current !== DEFAULT_LOCALE && (await fetchMissing(DEFAULT_LOCALE, inUse()));
    },
  };
}
