import { useEffect, useEffectEvent, type ReactNode } from 'react';
import { Outlet, ScrollRestoration, useLocation, useMatches, useNavigation } from 'react-router';
import { useLooseT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { DialogHost } from '#client/ui/dialog-host.tsx';
import { ToastRegion } from '#client/ui/toast-region.tsx';
import { CustomizeButton } from './customize/button.tsx';
import { ConnectionNote, SafeNote } from './notes.tsx';
import type { PageHandle } from './screens.ts';
import { ViewingBar } from './viewing-bar.tsx';

/** What every page has: document title, navigation progress, scrolling, dialogs and toasts. */
export function Root(): ReactNode {
  const shell = useShell();
  // An effect, because it marks the page as hydrated: tests and the host's own script wait for it.
  useEffect(() => {
    document.documentElement.dataset.ready = '';
  }, []);
  return (
    <>
      <PageTitle appName={String(shell.settings.app_name ?? 'Spawnpoint')} />
      <NavigationProgress />
      <SafeNote />
      <ViewingBar />
      <Outlet />
      <CustomizeButton />
      <ConnectionNote />
      <DialogHost />
      <ToastRegion />
      <ScrollToTop />
    </>
  );
}

/** The document title: the page's subject, its name, and the host. */
function usePageTitle(appName: string): string {
  const t = useLooseT('shell');
  const match = useMatches().at(-1);
  const handle = match?.handle as PageHandle | undefined;
  // A page whose loader failed has no data.
  const name = match?.loaderData ? handle?.pageName?.(match.loaderData as never) : '';
  return [name, t(handle?.title ?? 'title.notFound'), appName].filter(Boolean).join(' · ');
}

function PageTitle({ appName }: { appName: string }): ReactNode {
  return <title>{usePageTitle(appName)}</title>;
}

/** A thin line at the top while the next page loads. */
function NavigationProgress(): ReactNode {
  const navigation = useNavigation();
  return <div className="sp-route-progress" data-busy={navigation.state !== 'idle' || undefined} aria-hidden="true" />;
}

/**
 * Every navigation, back and forward too, begins at the top (specification, section 2), unless a control of the page
 * only changed its address; and screen readers announce the new page.
 */
function ScrollToTop(): ReactNode {
  const { pathname } = useLocation();
  const onPage = useEffectEvent((first: boolean) => {
    if (!first) document.getElementById('main')?.focus({ preventScroll: true });
  });
  // An effect, because focus is the browser's.
  useEffect(() => {
    onPage(firstPage === null || firstPage === pathname);
    firstPage ??= pathname;
    return () => {
      firstPage = '';
    };
  }, [pathname]);
  // The router restores the scroll position by key on back navigation: a random key prevents that.
  return <ScrollRestoration getKey={() => crypto.randomUUID()} />;
}
let firstPage: string | null = null;
