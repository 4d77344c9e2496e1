import type { i18n } from 'i18next';
import { addTexts, createI18n, hasTexts, type NamespaceTexts } from '#client/lib/i18n-instance.ts';
import { recordedFetch } from '#client/lib/fetch.ts';
import { createTranslator, type Translator } from '#client/lib/i18n.tsx';
import { DEFAULT_LOCALE, type Locale } from '#shared/i18n/locales.ts';
import type { Namespace } from '#shared/i18n/namespaces.ts';
import { TEXT_FILES, TEXT_FILES_OF_LAYOUT, textFileUrl, type TextFile } from '#shared/i18n/text-files.ts';
import type { Layout } from '#shared/routes/row.ts';

export interface TextStore {
  translator(): Translator;
  subscribe(listener: () => void): () => void;
  /** Loads the files that the page names. Throws where one cannot be had: nothing may be hydrated without its texts. */
  open(files: readonly TextFile[]): Promise<void>;
  /** Loads the missing ones of these namespaces, in the page's language. A failure is logged; the page goes on. */
  load(namespaces: readonly Namespace[]): Promise<void>;
  /** Loads the missing texts of a layout's pages, in the page's language. A failure is logged; the page goes on. */
  loadOf(layout: Layout): Promise<void>;
  /** Changes the language: loads every file in use, then switches. */
  change(locale: Locale): Promise<void>;
  /** Loads the English texts as the fallback of another language. Out: whether any were loaded. */
  loadFallback(): Promise<boolean>;
}

/** The texts of the page in the browser. In: the page's language, and the build (part of the files' addresses). */
export function createTextStore(locale: Locale, build: string): TextStore {
  let current = locale;
  let chosen = locale;
  const instance: i18n = createI18n(locale, {});
  const loaded = new Map<Locale, Set<TextFile>>();
  const listeners = new Set<() => void>();
  let translator = createTranslator(instance, current);

  const announce = () => {
    translator = createTranslator(instance, current);
    for (const listener of listeners) listener();
  };
  /** Requests in flight, by language and file, shared by all callers. */
  const coming = new Map<string, Promise<boolean>>();
  const fetchFile = async (wanted: Locale, file: TextFile, have: Set<TextFile>): Promise<boolean> => {
    try {
      const response = await recordedFetch(textFileUrl(wanted, file, build));
      if (!response.ok) throw new Error(String(response.status));
      addTexts(instance, wanted, (await response.json()) as NamespaceTexts);
      have.add(file);
      return true;
    } catch (error) {
      // The specification, section 8: a language that cannot be loaded is logged and the application goes on.
      // oxlint-disable-next-line no-console
      console.info('locale not loaded', wanted, file, error);
      return false;
    }
  };
  const fetchMissing = async (wanted: Locale, files: Iterable<TextFile>): Promise<boolean> => {
    const have = loaded.get(wanted) ?? new Set();
    loaded.set(wanted, have);
    const missing = [...files]
      .filter((file) => !have.has(file))
      .map((file) => {
        const name = `${wanted}/${file}`;
        const request = coming.get(name) ?? fetchFile(wanted, file, have).finally(() => coming.delete(name));
        coming.set(name, request);
        return request;
      });
    return (await Promise.all(missing)).includes(true);
  };

  /** The files in use: those loaded in any language, as the current one may lack a file that failed to load. */
  const inUse = () => new Set([...loaded.values()].flatMap((files) => [...files]));

  return {
    translator: () => translator,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    open: async (files) => {
      await fetchMissing(current, files);
      if (files.some((file) => !loaded.get(current)?.has(file))) throw new Error('the texts of the page cannot be had');
      announce();
    },
    load: async (namespaces) => {
      let loadedAny = false;
      for (const file of TEXT_FILES) {
        if (namespaces.every((ns) => hasTexts(instance, current, ns))) break;
        loadedAny = (await fetchMissing(current, [file])) || loadedAny;
      }
      if (loadedAny) announce();
    },
    loadOf: async (layout) => {
      if (await fetchMissing(current, TEXT_FILES_OF_LAYOUT[layout])) announce();
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
