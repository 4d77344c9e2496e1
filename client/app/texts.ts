import type { i18n } from 'i18next';
import { addTexts, createI18n, type NamespaceTexts } from '#client/lib/i18n-instance.ts';
import { recordedFetch } from '#client/lib/fetch.ts';
import { createTranslator, type Translator } from '#client/lib/i18n.tsx';
import { DEFAULT_LOCALE, type Locale } from '#shared/i18n/locales.ts';
import type { Namespace } from '#shared/i18n/namespaces.ts';

export interface TextStore {
  translator(): Translator;
  subscribe(listener: () => void): () => void;
  /**
   * Loads what is still missing of these namespaces, in the language of the page. A failure is logged; the page goes
   * on.
   */
  load(namespaces: readonly Namespace[]): Promise<void>;
  /** Changes the language: loads everything that is in use in the new one, then shows it. */
  change(locale: Locale): Promise<void>;
  /**
   * Loads the English texts beside those of another language, so that a missing text still says something. Out: whether
   * any came.
   */
  loadFallback(): Promise<boolean>;
}

/**
 * The texts of the page in the browser. In: language and texts it was born with, and the build (part of the files'
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
  /** Files on their way, by language and namespace: who asks again waits for the same one. */
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

  /** What some language has been loaded for: the current one may lack a file that could not be had. */
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
      // Somebody has chosen yet another one meanwhile.
      if (chosen !== next) return;
      current = next;
      announce();
    },
    loadFallback: async () => {
      return current !== DEFAULT_LOCALE && (await fetchMissing(DEFAULT_LOCALE, inUse()));
    },
  };
}
