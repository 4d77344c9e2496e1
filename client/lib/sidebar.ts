import { useState } from 'react';
import { createContext, useContext } from 'react';

/** Cookie that keeps whether the sidebar is collapsed, so that the server draws it right at once. */
export const SIDEBAR_COOKIE = 'sidebar';
const Context = createContext(false);
/** Provides the cookie's value at the time of rendering. */
export const SidebarProvider = Context.Provider;

/** Whether the sidebar shows icons only, and how to change it. */
export function useSidebarCollapsed(): [boolean, (collapsed: boolean) => void] {
  const [collapsed, setCollapsed] = useState(useContext(Context));
  return [
    collapsed,
    (next) => {
      setCollapsed(next);
      document.cookie = `${SIDEBAR_COOKIE}=${next ? 1 : 0}; Path=/; Max-Age=31536000; SameSite=Lax`;
    },
  ];
}
