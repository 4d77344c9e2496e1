import type { ReactNode } from 'react';
import { Link, useLocation } from 'react-router';
import { recordedFetch } from '#client/lib/fetch.ts';
import { useT } from '#client/lib/i18n.tsx';
import { isServerReachable } from '#client/lib/reconnect.ts';
import { useShell } from '#client/lib/shell-context.ts';
import { Banner } from '#client/ui/banner.tsx';
import { href } from '#shared/routes/href.ts';
import { createConnection, type Connection } from './connection.ts';
import type { LostNote } from './notes.tsx';

/** What the connection watch needs from the application. */
export interface ConnectionWatchDeps {
  readonly note: LostNote;
  /** Path and query of the current page. */
  currentPath(): string;
  navigate(path: string): void;
  /** The server responds again. */
  onBack(): void;
}

/**
 * Watches the connection of a signed-in visitor: first a banner, then the page of the lost connection. Loaded ahead,
 * when the page is idle, because later it could not be.
 */
export function watchConnection({ note, currentPath, navigate, onBack }: ConnectionWatchDeps): Connection {
  const connection = createConnection({
    probe: () => isServerReachable(recordedFetch),
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    nowMs: () => performance.now(),
    onLost: () => {
      // Unsaved input is worth more than the explanation.
      if (window.dispatchEvent(new Event('beforeunload', { cancelable: true }))) navigate(lostPath(currentPath()));
    },
  });
  connection.subscribe(() => {
    const state = connection.get();
    note.set(state === 'shaky' ? <LostBanner /> : null);
    if (state === 'up') onBack();
  });
  return connection;
}

/** The banner while the server does not respond, with a link to the explanation. */
export function LostBanner(): ReactNode {
  const t = useT('startup');
  const { session } = useShell();
  const { pathname, search } = useLocation();
  return (
    <aside className="sp-note" data-over="" aria-label={t('note')}>
      <Banner
        tone="danger"
        live
        action={
          session.signedIn &&
          pathname !== href('ws') && (
            <Link className="sp-link" to={lostPath(pathname + search)}>
              {t('lostMore')}
            </Link>
          )
        }
      >
        {t('lost')}
      </Banner>
    </aside>
  );
}

/** The page of the lost connection, which leads back to the current page. */
function lostPath(from: string): string {
  return `${href('ws')}?from=${encodeURIComponent(from)}`;
}
