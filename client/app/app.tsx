import { useMemo, useSyncExternalStore, type ReactNode } from 'react';
import { ActingAsContext } from '#client/lib/acting-as.ts';
import { I18nProvider, type Translator } from '#client/lib/i18n.tsx';
import { SidebarProvider } from '#client/lib/sidebar.ts';
import { ApiProvider } from '#client/lib/use-api.ts';
import type { Api } from '#shared/contract/index.ts';
import { ShellProvider, type SessionUser, type SessionView, type Shell } from '#client/lib/shell-context.ts';
import { PluginContext, type PluginRegistry } from '#client/lib/plugins.ts';
import { userIdOf } from './acting-as.ts';
import { timeZoneOf, type Boot, type SessionAnswer } from './boot.ts';
import { PageStateContext, type LostNote, type PageState } from './notes.tsx';

const NO_ANNOUNCEMENTS = { unread: 0, urgent: [] } as const;
const GUEST: SessionView = {
  signedIn: false,
  user: null,
  permissions: [],
  balance: 0,
  unread: 0,
  unreadTickets: 0,
  menu: [],
  announcements: NO_ANNOUNCEMENTS,
};

/** The session answer as screens read it. */
function sessionView(answer: SessionAnswer | null): SessionView {
  if (!answer) return GUEST;
  return {
    signedIn: true,
    user: answer.user_info as unknown as SessionUser,
    permissions: answer.permissions,
    balance: answer.billing.credits ?? 0,
    unread: answer.stats.unread ?? 0,
    unreadTickets: answer.stats.tickets_unread ?? 0,
    menu: answer.menu ?? [],
    announcements: answer.announcements ?? NO_ANNOUNCEMENTS,
    ...(answer.viewing ? { viewing: answer.viewing.until } : {}),
  };
}

export interface AppStores {
  /** Null while the server renders. */
  readonly api: Api | null;
  /** Absent while the server renders; null where the page has none. */
  readonly plugins?: PluginRegistry | null;
  readonly lost?: LostNote;
  subscribe(listener: () => void): () => void;
  session(): SessionAnswer | null;
  translator(): Translator;
  theme(): 'dark' | 'light';
  setTheme(theme: 'dark' | 'light'): void;
  setLocale(locale: string): void;
}

/** The providers around the router, the same on the server and in the browser. */
export function App({ boot, stores, children }: { boot: Boot; stores: AppStores; children: ReactNode }): ReactNode {
  const session = useSyncExternalStore(stores.subscribe, stores.session, stores.session);
  const translator = useSyncExternalStore(stores.subscribe, stores.translator, stores.translator);
  const theme = useSyncExternalStore(stores.subscribe, stores.theme, stores.theme);
  const shell = useMemo<Shell>(
    () => ({
      session: sessionView(session),
      flags: boot.flags,
      settings: boot.settings,
      now: boot.now,
      elapsedMs: () => performance.now(),
      theme,
      setTheme: stores.setTheme,
      setLocale: stores.setLocale,
      requestId: boot.requestId,
    }),
    [session, theme, boot, stores],
  );
  const state = useMemo<PageState>(() => ({ safe: boot.safe, lost: stores.lost ?? null }), [boot, stores]);
  return (
    <I18nProvider translator={translator} timeZone={timeZoneOf(session, boot.settings)}>
      <ShellProvider value={shell}>
        <ApiProvider value={stores.api}>
          <SidebarProvider value={boot.collapsed}>
            <PageStateContext value={state}>
              <ActingAsContext value={userIdOf(session)}>
                <PluginContext value={stores.plugins ?? null}>{children}</PluginContext>
              </ActingAsContext>
            </PageStateContext>
          </SidebarProvider>
        </ApiProvider>
      </ShellProvider>
    </I18nProvider>
  );
}
