import { createContext, useContext } from 'react';
import type { Confirmation } from '#shared/confirmation.ts';
import { logoOf, type Logo } from '#shared/logo.ts';
import type { Flags } from '#shared/flags.ts';

/** The signed-in user, as the session answer gives it (specification, section 3). */
export interface SessionUser {
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly role: string;
  readonly role_color: string;
  /** Whether the user may do what needs a confirmed address; `confirmation` is the address's own state. */
  readonly verified: boolean;
  readonly confirmation?: Confirmation;
  /** The second factor: `required` where the host asks for one that is not set up (behaviour 3.5). */
  readonly second_factor?: 'on' | 'off' | 'required';
}

/** A link that the host added to the player's navigation (behaviour 7.6). */
export interface MenuLink {
  readonly name: string;
  readonly slug: string;
  readonly icon: string;
  readonly menu: string;
}

/** How many announcements are unread, and the urgent ones that were not put away. */
export interface AnnouncementsStanding {
  readonly unread: number;
  readonly urgent: readonly { readonly id: string; readonly title: string; readonly summary: string }[];
}

export interface SessionView {
  readonly signedIn: boolean;
  readonly user: SessionUser | null;
  readonly permissions: readonly string[];
  /** Credits in the wallet. */
  readonly balance: number;
  readonly unread: number;
  /** The user's tickets with an answer that is unread. */
  readonly unreadTickets: number;
  /** Links that the host added to the navigation, in their order. */
  readonly menu: readonly MenuLink[];
  readonly announcements: AnnouncementsStanding;
  /** Until when (ISO) a member of staff views as this user; absent: it is the user's own session. */
  readonly viewing?: string;
}

/** Public settings by key (specification, section 3). */
export type PublicSettings = Readonly<Record<string, string | number | boolean>>;

export interface Shell {
  readonly session: SessionView;
  readonly flags: Flags;
  readonly settings: PublicSettings;
  /** The server's time of the page, ISO; equal on both sides of hydration. */
  readonly now: string;
  /** Milliseconds since the page loaded, by a monotonic clock. Browser only. */
  elapsedMs(): number;
  readonly theme: 'dark' | 'light';
  setTheme(theme: 'dark' | 'light'): void;
  setLocale(locale: string): void;
  /** Id of the request that made the page, for support. */
  readonly requestId: string | null;
}

const Context = createContext<Shell | null>(null);
export const ShellProvider = Context.Provider;

/** The host's logo for the theme; null where it has none, and outside the application. */
export function useLogo(): Logo | null {
  const shell = useContext(Context);
  return shell && logoOf(shell.settings, shell.theme);
}

/** Session, flags and settings of the page. Throws outside the application. */
export function useShell(): Shell {
  const shell = useContext(Context);
  if (!shell) throw new Error('useShell: no ShellProvider above this component');
  return shell;
}
