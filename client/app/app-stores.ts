import type { ReactNode } from 'react';
import type { AppStores } from '#client/app/app.tsx';
import type { Boot } from '#client/app/boot.ts';
import type { TextStore } from '#client/app/texts.ts';
import type { SessionStore } from '#client/app/session-store.ts';
import type { PluginRegistry } from '#client/lib/plugins.ts';
import { storage } from '#client/lib/storage.ts';
import type { Store } from '#client/lib/store.ts';
import type { Api } from '#shared/contract/index.ts';
import { LOCALE_COOKIE, STORAGE, THEME_COOKIE } from '#shared/constants.ts';
import { toLocale } from '#shared/i18n/locales.ts';

const YEAR_S = 365 * 24 * 3600;

/** The dependencies of the application's stores. */
interface StoreParts {
  readonly boot: Pick<Boot, 'theme'>;
  readonly api: Api;
  readonly texts: TextStore;
  readonly session: Pick<SessionStore, 'get' | 'subscribe'>;
  readonly plugins: PluginRegistry | null;
  readonly lost: Store<ReactNode>;
}

/**
 * The visitor's session, language and theme. A choice is kept in local storage and in a cookie, so that the next
 * document has it; a signed-in user's language is saved to the account too.
 */
export function createAppStores({ boot, api, texts, session, plugins, lost }: StoreParts): AppStores {
  let theme = boot.theme;
  const themeListeners = new Set<() => void>();
  const setCookie = (name: string, value: string) =>
    (document.cookie = `${name}=${value}; Path=/; Max-Age=${YEAR_S}; SameSite=Lax`);
  const saveLocale = async (locale: ReturnType<typeof toLocale>) => {
    const { first_name, last_name } = await api.account.get();
    await api.account.update({ body: { first_name, last_name, locale } });
  };
  return {
    api,
    plugins,
    lost,
    subscribe: (listener) => {
      const stops = [session.subscribe(listener), texts.subscribe(listener)];
      themeListeners.add(listener);
      return () => {
        stops.forEach((stop) => stop());
        themeListeners.delete(listener);
      };
    },
    session: session.get,
    translator: texts.translator,
    theme: () => theme,
    setTheme: (next) => {
      theme = next;
      document.documentElement.dataset.theme = next;
      storage.setItem(STORAGE.theme, next);
      setCookie(THEME_COOKIE, next);
      themeListeners.forEach((listener) => listener());
    },
    setLocale: (next) => {
      const locale = toLocale(next);
      storage.setItem(STORAGE.locale, locale.toUpperCase());
      setCookie(LOCALE_COOKIE, locale);
      void texts.change(locale).then(() => (document.documentElement.lang = texts.translator().locale));
      const signedIn = session.get();
      if (signedIn && !signedIn.viewing) void saveLocale(locale);
    },
  };
}
